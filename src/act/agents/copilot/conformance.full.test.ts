import { afterAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import {
  agentSuite,
  begin,
  last,
  type ScriptedAction,
} from "../../../../test/conformance/agents.ts"
import { copilotFixture, removeCopilotCache } from "../../../../test/conformance/agents-fixtures.ts"
import { agentServerSuite, SERVERS } from "../../../../test/conformance/agents-rules.ts"
import { agentEnvironment } from "../environment.ts"
import { copilot } from "./copilot.ts"

describe.runIf(needs("TB7", "copilot"))("the real Copilot", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("copilot", source)
  const makeFixture = () => copilotFixture({ agent: copilot, environment })
  afterAll(removeCopilotCache)

  agentSuite("copilot", {
    makeFixture,
    // This mode of Copilot cannot ask, so requests are denied.
    canAsk: false,
    hasProcess: true,
    canResume: true,
  })

  agentServerSuite("copilot", {
    makeFixture: () => copilotFixture({ agent: copilot, environment, servers: SERVERS }),
    canAsk: false,
  })

  test.each([
    { rule: { command: "touch *" }, deed: "command" },
    { rule: { tool: "Bash" }, deed: "command" },
    { rule: { path: "note.txt" }, deed: "edit" },
    { rule: { tool: "create" }, deed: "edit" },
    { rule: { path: "other/**" }, deed: "edit" },
    { rule: { tool: "mcp__kept__echo" }, deed: "serve" },
  ] as const)("[AGENTS-43] the rule $rule denies a $deed in mode auto", async ({ rule, deed }) => {
    await using place = await copilotFixture({ agent: copilot, environment, servers: SERVERS })
    const restricting = [{ decision: "deny", ...rule }] as const
    const options = (wanted: ScriptedAction) => ({ ...place.options(wanted), restricting })
    await using run = await begin({ agent: copilot, options }, deed, "auto")
    const events = await run.until("turn.ended")
    expect(last(events, "activity.ended").outcome).toMatch(/denied|failed/)
    expect(place.hasMade()).toBe(false)
  })

  test("[AGENTS-43] actions that no rule matches are executed", async () => {
    await using place = await makeFixture()
    const restricting = [{ decision: "ask", command: "rm -rf *" }] as const
    const options = (wanted: ScriptedAction) => ({ ...place.options(wanted), restricting })
    await using run = await begin({ agent: copilot, options }, "command", "auto")
    expect(last(await run.until("turn.ended"), "activity.ended").outcome).toBe("done")
    expect(place.hasMade()).toBe(true)
  })

  test.each([
    { mode: "ask", deed: "edit" },
    { mode: "ask", deed: "command" },
    { mode: "edits", deed: "command" },
    { mode: "edits", deed: "outside" },
    { mode: "plan", deed: "edit" },
    { mode: "plan", deed: "command" },
  ] as const)("[AGENTS-13] mode $mode allows no $deed", async ({ mode, deed }) => {
    await using place = await makeFixture()
    await using run = await begin(place, deed, mode)
    const events = await run.until("turn.ended")
    expect(last(events, "activity.ended").outcome).toMatch(/denied|failed/)
  })
})
