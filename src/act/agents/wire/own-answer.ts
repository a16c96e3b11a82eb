import type { ActivityKind, AgentMode } from "#ground/contract"

/**
 * What a mode answers by itself when a host asks: the rule that is the same for every agent,
 * whatever switches its host has. `plan` changes nothing, `edits` lets files be changed and asks
 * for commands, `auto` says yes.
 */
export function ownAnswer(mode: AgentMode, kind: ActivityKind): "allow" | "deny" | "ask" {
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

/** What the agent is told when the mode denies. */
export const DENIED_BY_PLAN = "This session is in plan mode: nothing may be changed or run."

/** What the agent is told when a person denies without a word. */
export const DENIED = "This was not permitted."
