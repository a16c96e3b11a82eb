import { describe, expect, test } from "vitest"
import { claudeStory, gatewayUser } from "#test/gateway-story"
import { needs } from "#test/needs"
import { blocksOf, textOfResult } from "#test/strict-wire"
import { GO } from "./gateway-scenes.ts"

const A_SESSION_MS = 600_000

describe.runIf(needs("GUARD-85", "claude-code"))("large outputs without a gateway", () => {
  test("[GUARD-85] the real Claude Code gets a digest and reads the rest by its handle", {
    timeout: A_SESSION_MS,
  }, async () => {
    const log = Array.from({ length: 900 }, (_, line) => `line ${line} of the log`).join("\n")
    await using user = await gatewayUser({ "log.txt": log }, { folding: {}, hookLevel: 4 })
    const says = [
      [{ use: "Bash", input: { command: `cat ${user.project}/log.txt`, description: "Prints" } }],
      [{ use: "mcp__qm__read_handle", input: { handle: "$handle", query: "line 700 of" } }],
      "Done.",
    ]
    const played = await claudeStory(user, { stories: [{ hears: GO, says }], enforce: true }, [
      () => ({ way: "direct", prompts: [GO] }),
    ])
    expect(played.ended.map((it) => [it.code, it.results])).toEqual([[0, ["Done."]]])
    const blocks = played.requests.at(-1)?.body.messages.flatMap((it) => blocksOf(it.content)) ?? []
    const [shell, rest] = blocks.filter((it) => it.type === "tool_result").map(textOfResult)
    expect(shell).toMatch(/^Bash: 900 lines, [\d,]+ bytes, kept as rh_[0-9a-f]{32}\./)
    expect(shell).toContain("line 0 of the log")
    expect(shell).not.toContain("line 700 of the log")
    expect(rest).toContain("line 700 of the log")
  })
})
