import type { AgentEvent, AgentMode, RunCost, RunStatus, TokenUsage } from "#ground/contract"
import { statusAfter } from "./status.ts"

/** What is known of a run from what its agent has said. */
export type Progress = {
  readonly status: RunStatus
  readonly sessionId: string | null
  readonly model: string | null
  readonly hostVersion: string | null
  readonly mode: AgentMode
  readonly turns: number
  readonly error: string | null
  readonly cost: RunCost
  readonly contextUsed: number | null
  readonly contextWindow: number | null
  /** Questions of the host that wait for an answer, by the host's own id. */
  readonly open: ReadonlySet<string>
}

/** What a price table says of some usage; undefined for a model it does not know. */
export type PriceOf = (usage: TokenUsage, model: string) => number | undefined

/** A run once its agent has said one thing more. */
export function progressAfter(before: Progress, event: AgentEvent, priceOf: PriceOf): Progress {
  const open = openAfter(before.open, event)
  const next = { ...before, open, status: statusAfter(before.status, event, open.size) }
  switch (event.event) {
    case "session.started":
      return {
        ...next,
        sessionId: event.sessionId,
        model: event.model ?? before.model,
        hostVersion: event.version ?? before.hostVersion,
      }
    case "turn.ended":
      return { ...next, turns: before.turns + 1, error: event.error ?? null }
    case "context.usage":
      return { ...next, contextUsed: event.used, contextWindow: event.window }
    case "context.compacted":
      return { ...next, contextUsed: event.tokensAfter ?? before.contextUsed }
    case "cost":
      return { ...next, cost: costAfter(before, event, priceOf) }
    case "mode.changed":
      return { ...next, mode: event.mode }
    case "error":
      return event.isFatal ? { ...next, error: event.message } : next
    default:
      return next
  }
}

function openAfter(open: ReadonlySet<string>, event: AgentEvent): ReadonlySet<string> {
  if (event.event === "approval.requested") return new Set([...open, event.approvalId])
  if (event.event !== "approval.resolved") return open
  return new Set([...open].filter((it) => it !== event.approvalId))
}

type CostEvent = Extract<AgentEvent, { event: "cost" }>

function costAfter(before: Progress, event: CostEvent, priceOf: PriceOf): RunCost {
  const { cost } = before
  const usage = event.isTotal ? event.usage : added(cost.usage, event.usage)
  const model = event.model ?? before.model ?? ""
  const reported = event.reportedUsd
  return {
    usage,
    reportedUsd: reported === undefined ? cost.reportedUsd : sumOf(cost, reported, event.isTotal),
    computedUsd: priceOf(usage, model) ?? null,
  }
}

function sumOf(cost: RunCost, reported: number, isTotal: boolean): number {
  return isTotal ? reported : (cost.reportedUsd ?? 0) + reported
}

function added(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}
