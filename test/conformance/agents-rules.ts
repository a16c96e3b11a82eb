import { describe, expect, test } from "vitest"
import type { AgentEvent, AgentMode } from "#ground/contract"
import { type AgentFixture, begin, last, type ScriptedAction, type Suite } from "./agents.ts"

type Decision = "allow" | "ask" | "deny"
type ApprovalQuestion = { readonly kind: string; readonly tool: string; readonly cwd: string }

export function agentRuleSuite(name: string, makeFixture: () => Promise<AgentFixture>): void {
  describe(`${name} with rules`, () => {
    test.each([
      { mode: "auto", deed: "command" },
      { mode: "ask", deed: "command" },
      { mode: "edits", deed: "edit" },
      { mode: "auto", deed: "edit" },
    ] as const)(
      "[AGENTS-43] a rule denies a $deed in mode $mode, and an event reports it",
      async (it) => {
        await using place = await makeFixture()
        const asked: ApprovalQuestion[] = []
        await using run = await under(place, { ...it, decision: "deny", asked })
        const events = await run.until("turn.ended")
        expectByRule(events, "deny")
        expect(last(events, "activity.ended")).toMatchObject({ outcome: "denied" })
        expect(asked[0]).toMatchObject({ kind: it.deed, cwd: place.options("talk").cwd })
        expect(place.hasMade()).toBe(false)
      },
    )

    test.each([
      { mode: "auto", deed: "command" },
      { mode: "edits", deed: "edit" },
    ] as const)("[AGENTS-43] a rule makes a $deed require approval in mode $mode", async (it) => {
      await using place = await makeFixture()
      await using run = await under(place, { ...it, decision: "ask" })
      const { approvalId } = last(await run.until("approval.requested"), "approval.requested")
      await run.session.answer(approvalId, { decision: "allow", by: "test" })
      const events = await run.until("turn.ended")
      expect(last(events, "approval.resolved")).toMatchObject({ decision: "allow", by: "test" })
      expect(last(events, "activity.ended")).toMatchObject({ outcome: "done" })
    })

    test("[AGENTS-43] a rule allows a tool without the user, and an event reports it", async () => {
      await using place = await makeFixture()
      await using run = await under(place, { mode: "ask", deed: "command", decision: "allow" })
      const events = await run.until("turn.ended")
      expectByRule(events, "allow")
      expect(last(events, "activity.ended")).toMatchObject({ outcome: "done" })
    })

    test("[AGENTS-43] in mode plan a rule allows nothing", async () => {
      await using place = await makeFixture()
      await using run = await under(place, { mode: "plan", deed: "command", decision: "allow" })
      const events = await run.until("turn.ended")
      const outcomes = events.flatMap((it) => (it.event === "activity.ended" ? [it.outcome] : []))
      expect(outcomes).not.toContain("done")
      expect(place.hasMade()).toBe(false)
    })
  })
}

/** The approval and its answer are adjacent events, so that a reader sees both. */
function expectByRule(events: readonly AgentEvent[], decision: "allow" | "deny"): void {
  const at = events.findIndex((it) => it.event === "approval.requested")
  const asked = last(events.slice(0, at + 1), "approval.requested")
  const { approvalId } = asked
  const by = `rule: ${decision} everything`
  expect(events[at + 1]).toEqual({ event: "approval.resolved", approvalId, decision, by })
}

type Case = {
  readonly mode: AgentMode
  readonly deed: ScriptedAction
  readonly decision: Decision
  readonly asked?: ApprovalQuestion[]
}

function under(place: AgentFixture, { mode, deed, decision, asked }: Case) {
  const verdict = (it: ApprovalQuestion) => {
    asked?.push(it)
    return { decision, rule: `${decision} everything` }
  }
  const options = (wanted: ScriptedAction) => ({ ...place.options(wanted), verdict })
  return begin({ agent: place.agent, options }, deed, mode)
}

export function agentServerSuite(name: string, suite: Pick<Suite, "makeFixture" | "canAsk">): void {
  describe(`${name} with MCP servers`, () => {
    test.each([
      { sources: undefined, started: SERVERS },
      { sources: ["kept"], started: ["kept"] },
      { sources: [], started: [] },
    ])(
      "[AGENTS-44] with the sources $sources the servers $started are started",
      async ({ sources, started }) => {
        await using place = await suite.makeFixture()
        const options = (deed: ScriptedAction) => ({
          ...place.options(deed),
          ...(sources && { sources }),
        })
        await using run = await begin({ agent: place.agent, options }, "talk", "auto")
        expect(last(await run.until("turn.ended"), "turn.ended").outcome).toBe("completed")
        expect(SERVERS.filter((it) => place.hasServed(it))).toEqual(started)
      },
    )

    test("[AGENTS-2] a server's tool runs in mode auto", async () => {
      await using place = await suite.makeFixture()
      await using run = await begin(place, "serve", "auto")
      const events = await run.until("turn.ended")
      expect(last(events, "activity.started")).toMatchObject({ kind: "mcp" })
      expect(last(events, "activity.ended")).toMatchObject({ outcome: "done" })
    })

    if (!suite.canAsk) return
    test("[AGENTS-3] a server's tool requires approval under a name that rules can match", async () => {
      await using place = await suite.makeFixture()
      await using run = await begin(place, "serve", "ask")
      const asked = last(await run.until("approval.requested"), "approval.requested")
      expect(asked).toMatchObject({ tool: "mcp__kept__echo", input: "{}" })
      await run.session.answer(asked.approvalId, { decision: "deny", by: "test" })
      const events = await run.until("turn.ended")
      expect(last(events, "activity.ended").outcome).toMatch(/denied|failed/)
    })
  })
}

/** A dot in a name breaks code that writes dotted configuration keys. */
export const SERVERS: readonly string[] = ["kept", "drop.ped"]
