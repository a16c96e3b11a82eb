import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { hookFixture } from "#test/hook-fixture"
import { tempDirectory } from "#test/temp"
import type { HookContext, HookEvent } from "../event.ts"
import { judgeEvent } from "../judge-hook-event.ts"
import { readVerdicts } from "../verdict-log.ts"
import { guideline } from "./guideline.ts"

const base = { host: "claude-code", session: "s", directory: "/", at: 1 } as const
const tool = (name: string, paths: readonly string[] = []): HookEvent => ({
  ...base,
  kind: "before-tool",
  tool: name,
  paths,
})

async function judgeWith(file: unknown, event: HookEvent) {
  await using temp = await tempDirectory()
  mkdirSync(path.join(temp.path, ".qm"))
  const text = typeof file === "string" ? file : JSON.stringify(file)
  writeFileSync(path.join(temp.path, ".qm/guidelines.json"), text)
  // The rule uses nothing else of a hook's fixture.
  const fixture = { root: temp.path } satisfies Pick<HookContext, "root">
  return await guideline.judge(event, Object.assign(Object.create(null), fixture))
}

const guidelines = (...list: readonly unknown[]) => ({ guidelines: list })
const one = (fields: Readonly<Record<string, unknown>>) =>
  guidelines({ id: "one", title: "One", category: "c", priority: 1, ...fields })

describe("guidelines before a tool", () => {
  test.for<readonly [string, unknown, string, string]>([
    ["a denied tool", [{ type: "tool_restriction", denied: ["Bash"] }], "Bash", "deny"],
    ["a denied prefix", [{ type: "tool_restriction", denied: ["mcp__x__*"] }], "mcp__x__y", "deny"],
    ["another tool", [{ type: "tool_restriction", denied: ["Bash"] }], "Read", "silent"],
    ["a tool not allowed", [{ type: "tool_restriction", allowed: ["Read"] }], "Bash", "deny"],
    ["an allowed tool", [{ type: "tool_restriction", allowed: ["Read"] }], "Read", "silent"],
    ["a gate", [{ type: "hitl_gate", reason: "risky" }], "Read", "ask"],
    [
      "a denial and a gate",
      [
        { type: "hitl_gate", reason: "risky" },
        { type: "tool_restriction", denied: ["Read"] },
      ],
      "Read",
      "deny",
    ],
    ["advice", [{ type: "instruction", text: "x" }], "Read", "silent"],
  ])("[T13][GUARD-70] %s", async ([, actions, name, kind]) => {
    expect((await judgeWith(one({ actions }), tool(name))).kind).toBe(kind)
  })

  test("[T13][GUARD-70] telemetry is a note for the log", async () => {
    const actions = [{ type: "telemetry", event: "touched" }]
    expect(await judgeWith(one({ actions }), tool("Read"))).toEqual({
      kind: "silent",
      note: "Telemetry: touched (one)",
    })
  })

  test("[GUARD-70] telemetry of a tool that a gate asks for is a line of its own in the log", async () => {
    await using fixture = await hookFixture()
    const actions = [
      { type: "hitl_gate", reason: "risky" },
      { type: "telemetry", event: "touched" },
    ]
    await fixture.write(".qm/guidelines.json", JSON.stringify(one({ actions })))
    const event = fixture.event("before-tool", { tool: "Read", paths: [] })
    expect(await judgeEvent(event, fixture)).toMatchObject({ verdict: { kind: "ask" } })
    const { stateDirectory, clock } = fixture
    const query = { stateDirectory, now: clock.now(), sinceMs: 0, limit: 9 }
    const { verdicts } = await readVerdicts(query)
    expect(new Map(verdicts.map((it) => [it.verdict, [it.rule, it.text]]))).toEqual(
      new Map([
        ["ask", ["guideline", expect.stringContaining("risky (one)")]],
        ["silent", ["guideline", "Telemetry: touched (one)"]],
      ]),
    )
  })

  test("[GUARD-71] agents, paths and switches decide whether it applies; actions and domains are unknown", async () => {
    const actions = [{ type: "tool_restriction", denied: ["Read"] }]
    const kindWith = async (fields: Readonly<Record<string, unknown>>, event: HookEvent) =>
      (await judgeWith(one({ actions, ...fields }), event)).kind
    const ofBackend = { ...tool("Read"), agent: "backend" }
    expect(await kindWith({ when: { agents: ["backend"] } }, ofBackend)).toBe("deny")
    expect(await kindWith({ when: { agents: ["backend"] } }, tool("Read"))).toBe("silent")
    expect(await kindWith({ when: { notAgents: ["backend"] } }, ofBackend)).toBe("silent")
    expect(await kindWith({ when: { paths: ["db/**"] } }, tool("Read", ["db/a.sql"]))).toBe("deny")
    expect(await kindWith({ when: { paths: ["db/**"] } }, tool("Read", ["a.sql"]))).toBe("silent")
    expect(await kindWith({ when: { actions: ["fix"] } }, tool("Read"))).toBe("silent")
    expect(await kindWith({ when: { domains: ["a"] } }, tool("Read"))).toBe("silent")
    expect(await kindWith({ isEnabled: false }, tool("Read"))).toBe("silent")
  })

  test("[T13][GUARD-72] the field names of the repo-mapper design mean the same", async () => {
    const file = guidelines({
      id: "original",
      name: "Original",
      description: "As the design writes it.",
      enabled: true,
      category: "c",
      priority: 750,
      condition: { agents: ["backend"] },
      action: { type: "tool_restriction", tools_denied: ["Read"] },
    })
    const verdict = await judgeWith(file, { ...tool("Read"), agent: "backend" })
    expect(verdict).toMatchObject({ kind: "deny", text: expect.stringContaining("Original") })
  })

  test.for(["", "{", "[]", "null", '{"guidelines":1}', '{"guidelines":[1,null,{"id":"a"}]}'])(
    "[GUARD-72] a damaged file enforces nothing: %s",
    async (text) => expect((await judgeWith(text, tool("Read"))).kind).toBe("silent"),
  )
})
