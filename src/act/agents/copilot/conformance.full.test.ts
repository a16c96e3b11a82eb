import { afterAll, describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { agentSuite, begin, last } from "../../../../test/conformance/agents.ts"
import { copilotWorld, removeCopilotCache } from "../../../../test/conformance/agents-worlds.ts"
import { agentEnvironment } from "../environment.ts"
import { copilot } from "./copilot.ts"

describe.runIf(needs("TB7", "copilot"))("the real Copilot", () => {
  const environment = (source: Readonly<Record<string, string | undefined>>) =>
    agentEnvironment("copilot", source)
  const world = () => copilotWorld({ agent: copilot, environment })
  afterAll(removeCopilotCache)

  agentSuite("copilot", {
    world,
    // In this way of running nobody can be asked: what would be asked is denied.
    canAsk: false,
    hasProcess: true,
    canResume: true,
  })

  test.each([
    { mode: "ask", deed: "edit" },
    { mode: "ask", deed: "command" },
    { mode: "edits", deed: "command" },
    { mode: "edits", deed: "outside" },
    { mode: "plan", deed: "edit" },
    { mode: "plan", deed: "command" },
  ] as const)("[AGENTS-13] mode $mode lets no $deed through", async ({ mode, deed }) => {
    await using place = await world()
    await using run = await begin(place, deed, mode)
    const events = await run.until("turn.ended")
    expect(last(events, "activity.ended").outcome).toMatch(/denied|failed/)
  })
})
