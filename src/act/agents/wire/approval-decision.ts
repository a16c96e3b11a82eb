import path from "node:path"
import { isInside, realPath } from "#ground/base"
import type { ActivityKind, AgentEvent, AgentMode } from "#ground/contract"
import type { Verdict } from "../agent.ts"
import type { EventEmitter } from "./event-emitter.ts"

type Decision = "allow" | "deny" | "ask"

/** `by` names the rule that decided; without it the mode did. */
export type ApprovalDecision = { readonly decision: Decision; readonly by?: string }

/** What a mode answers by itself when a host asks, the same for every agent. */
export function decideByMode(mode: AgentMode, kind: ActivityKind): Decision {
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

/** The user's rules come before the mode; `plan` allows nothing. */
export function decideApproval(
  mode: AgentMode,
  verdict: Verdict | undefined,
  byMode: Decision,
): ApprovalDecision {
  if (verdict === undefined) return { decision: byMode }
  const by = `rule: ${verdict.rule}`
  if (verdict.decision === "deny") return { decision: "deny", by }
  if (mode === "plan") return { decision: byMode }
  return verdict.decision === "ask" ? { decision: "ask" } : { decision: "allow", by }
}

/** Emits a request that a rule has decided, with its answer. */
export function emitRuleDecision(
  emitter: EventEmitter,
  request: Omit<Extract<AgentEvent, { event: "approval.requested" }>, "event">,
  answer: {
    readonly decision: "allow" | "deny"
    readonly by: string
    readonly raw?: string | undefined
  },
): void {
  const { decision, by, raw } = answer
  emitter.emit({ ...request, event: "approval.requested" }, raw)
  emitter.emit({ event: "approval.resolved", approvalId: request.approvalId, decision, by })
}

/** The reason an agent gets when a rule or the mode denies. */
export function denialReason({ by }: ApprovalDecision): string {
  return by === undefined
    ? "This session is in plan mode: nothing may be changed or run."
    : `This is not permitted here, by a ${by}.`
}

/** The reason an agent gets when a person denies without a note. */
export const DENIED = "This was not permitted."

/**
 * Whether a change to a file is an ordinary edit of the working directory: below it, through no link
 * that leads out, and in no dot folder, where hooks and settings would run with it.
 */
export async function checkOrdinaryFile(cwd: string, file: string): Promise<boolean> {
  const target = path.resolve(cwd, file)
  const way = path.relative(cwd, target)
  const isHidden = way.split(path.sep).some((it) => it.startsWith("."))
  if (way === "" || isHidden || !isInside(cwd, target)) return false
  return isInside(await realPath(cwd), await realAncestor(target))
}

/** The real path of a file, or of the nearest folder above it that exists. */
async function realAncestor(file: string): Promise<string> {
  for (let at = file; path.dirname(at) !== at; at = path.dirname(at)) {
    const real = await realPath(at).catch(() => undefined)
    if (real !== undefined) return real
  }
  return path.parse(file).root
}
