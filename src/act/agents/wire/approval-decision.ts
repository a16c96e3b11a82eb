import path from "node:path"
import { isInside, realPath } from "#ground/base"
import type { ActivityKind, AgentEvent, AgentMode } from "#ground/contract"
import type { Verdict } from "../agent.ts"
import type { EventEmitter } from "./event-emitter.ts"

type Decision = "allow" | "deny" | "ask"

export type ApprovalDecision = { readonly decision: Decision; readonly by?: string }

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

export function denialReason({ by }: ApprovalDecision): string {
  return by === undefined
    ? "This session is in plan mode: nothing may be changed or run."
    : `Denied by a permission ${by}.`
}

export const DENIED = "Denied by the user."

/**
 * An ordinary edit is below the working directory, through no link that leads out, and in no dot
 * folder, whose hooks and settings could run code.
 */
export async function checkOrdinaryFile(cwd: string, file: string): Promise<boolean> {
  const target = path.resolve(cwd, file)
  const way = path.relative(cwd, target)
  const isHidden = way.split(path.sep).some((it) => it.startsWith("."))
  if (way === "" || isHidden || !isInside(cwd, target)) return false
  return isInside(await realPath(cwd), await realAncestor(target))
}

async function realAncestor(file: string): Promise<string> {
  for (let at = file; path.dirname(at) !== at; at = path.dirname(at)) {
    const real = await realPath(at).catch(() => undefined)
    if (real !== undefined) return real
  }
  return path.parse(file).root
}
