import { expect, test } from "vitest"
import { memoryDisk } from "#test/memory-disk"
import { loadHost } from "./hosts.ts"

const PLACE = { workingDirectory: "/w", home: "/home", environment: {}, platform: "linux" } as const
const line = (record: object) => `${JSON.stringify(record)}\n`
const call = (name: string, timestamp: string) => ({
  type: "assistant",
  timestamp,
  message: {
    content: [
      { type: "text", text: "x" },
      { type: "tool_use", id: "t", name, input: {} },
    ],
  },
})

test("[HOSTS-66] Claude Code: answers are counted by tool, stored requests and old lines are not", async () => {
  const day = "1970-01-01T00:00:00.500Z"
  const disk = memoryDisk({
    "/home/.claude/projects/-w/a.jsonl": [
      line(call("mcp__gh__search", day)),
      line(call("mcp__gh__search", "1969-12-31T23:59:59.000Z")),
      line({ type: "api-request-blob", content: [call("mcp__gh__search", day)] }),
      line(call("Bash", day)),
      "mcp__ not json\n",
    ].join(""),
  })
  const host = await loadHost("claude-code")
  const calls = await host.countToolCalls?.(PLACE, disk, 0)
  expect([calls?.sessions, calls?.isWhole]).toEqual([1, true])
  expect([...(calls?.byTool ?? [])]).toEqual([
    ["mcp__gh__search", { calls: 1, lastAt: Date.parse(day) }],
  ])
})

test("[HOSTS-66] Codex: calls of a namespace are counted by server and tool", async () => {
  const disk = memoryDisk({
    "/home/.codex/sessions/2026/11/10/rollout-1.jsonl": line({
      timestamp: "2026-11-10T10:00:00.000Z",
      type: "response_item",
      payload: { type: "function_call", name: "echo", namespace: "mcp__lab", arguments: "{}" },
    }),
  })
  const host = await loadHost("codex")
  const calls = await host.countToolCalls?.(PLACE, disk, 0)
  expect([...(calls?.byTool.keys() ?? [])]).toEqual(["mcp__lab__echo"])
})
