import type { ActivityKind, AgentEvent, AgentMode } from "#ground/contract"
import type { Verdict } from "../agent.ts"
import type { Telling } from "./telling.ts"

/**
 * What a mode answers by itself when a host asks: the rule that is the same for every agent,
 * whatever switches its host has. `plan` changes nothing, `edits` lets files be changed and asks
 * for commands, `auto` says yes.
 */
export function ownAnswer(mode: AgentMode, kind: ActivityKind): Decision {
  switch (mode) {
    case "plan":
      return "deny"
    case "ask":
      return "ask"
    case "edits":
      return kind === "edit" ? "allow" : "ask"
    case "auto":
      return "allow"
    default:
      return mode satisfies never
  }
}

/** `by` names the rule that decided; without it the mode did. */
export type Decided = { readonly decision: Decision; readonly by?: string }
type Decision = "allow" | "deny" | "ask"

/**
 * A person's rules before the mode's own answer: what they deny is denied in every mode, what they
 * want to be asked is asked, and what they allow is allowed, except where nothing may change.
 */
export function decide(mode: AgentMode, verdict: Verdict | undefined, own: Decision): Decided {
  if (verdict === undefined) return { decision: own }
  const by = `rule: ${verdict.rule}`
  if (verdict.decision === "deny") return { decision: "deny", by }
  if (mode === "plan") return { decision: own }
  return verdict.decision === "ask" ? { decision: "ask" } : { decision: "allow", by }
}

type Asked = Omit<Extract<AgentEvent, { event: "approval.requested" }>, "event">

/** A question that a rule has answered is told as any other, with its answer at once. */
export function tellByRule(
  telling: Telling,
  asked: Asked,
  it: {
    readonly decision: "allow" | "deny"
    readonly by: string
    readonly raw?: string | undefined
  },
): void {
  const { decision, by, raw } = it
  telling.say({ ...asked, event: "approval.requested" }, raw)
  telling.say({ event: "approval.resolved", approvalId: asked.approvalId, decision, by })
}

/** What the agent is told when it was denied without a person. */
export function whyDenied({ by }: Decided): string {
  return by === undefined ? DENIED_BY_PLAN : `This is not permitted here, by a ${by}.`
}

/** What the agent is told when the mode denies. */
const DENIED_BY_PLAN = "This session is in plan mode: nothing may be changed or run."

/** What the agent is told when a person denies without a word. */
export const DENIED = "This was not permitted."
