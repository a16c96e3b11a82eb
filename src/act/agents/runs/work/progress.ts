import type { AgentEvent, AgentMode, RunCost, RunStatus, TokenUsage } from "#ground/contract"
import { statusAfter } from "../../status.ts"

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
        cost: costBefore(before, event.sessionId),
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
  const { earlier } = cost
  // A host's total is of its session; what earlier sessions of the run cost stands beside it.
  const base = event.isTotal ? earlier : cost
  const spent = spentIn(event, event.model ?? before.model ?? "", priceOf)
  const reportedUsd = sumOf(base?.reportedUsd, spent.reportedUsd)
  return {
    usage: base === undefined ? spent.usage : added(base.usage, spent.usage),
    reportedUsd: spent.reportedUsd === null ? cost.reportedUsd : reportedUsd,
    computedUsd: spent.computedUsd === null ? null : sumOf(base?.computedUsd, spent.computedUsd),
    ...(earlier === undefined ? {} : { earlier }),
  }
}

function spentIn(event: CostEvent, model: string, priceOf: PriceOf): Omit<RunCost, "earlier"> {
  const { usage, reportedUsd = null, models = [{ model, usage }] } = event
  const prices = models.map((it) => priceOf(it.usage, it.model))
  const isPriced = prices.every((it) => it !== undefined)
  const computedUsd = isPriced ? prices.reduce((sum, it) => sum + it, 0) : null
  return { usage, reportedUsd, computedUsd }
}

function sumOf(base: number | null | undefined, more: number | null): number | null {
  return more === null ? (base ?? null) : (base ?? 0) + more
}

/** Another session of the same run: what was spent until now is of the earlier ones. */
function costBefore({ sessionId, cost }: Progress, started: string): RunCost {
  const isAnother = sessionId !== started && cost.usage.input + cost.usage.output > 0
  if (!isAnother) return cost
  const { earlier: _, ...spent } = cost
  return { ...cost, earlier: spent }
}

function added(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}
