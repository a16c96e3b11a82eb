import { formatExact } from "#ground/base"
import type { AgentEvent, AgentMode, Run, RunCost, RunStatus, TokenUsage } from "#ground/contract"
import { addUsage } from "#ground/tokens"

const ENDED: ReadonlySet<RunStatus> = new Set(["completed", "failed", "stopped", "interrupted"])

export function isEnded(status: RunStatus): boolean {
  return ENDED.has(status)
}

export type Progress = Pick<
  Run,
  | "status"
  | "sessionId"
  | "model"
  | "hostVersion"
  | "turns"
  | "error"
  | "cost"
  | "contextUsed"
  | "contextWindow"
> & {
  readonly mode: AgentMode
  readonly open: ReadonlySet<string>
}

export type PriceOf = (usage: TokenUsage, model: string) => number | undefined

export function initialProgress(run: Run): Progress {
  const { sessionId, model, hostVersion, mode, turns, cost, contextUsed, contextWindow } = run
  const fields = { sessionId, model, hostVersion, mode, turns, cost, contextUsed, contextWindow }
  return { ...fields, status: "starting", error: null, open: new Set() }
}

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

export function statusAfter(status: RunStatus, event: AgentEvent, open: number): RunStatus {
  if (isEnded(status)) return status
  switch (event.event) {
    case "session.started":
    case "turn.started":
      return "running"
    case "approval.requested":
      return "waiting"
    case "approval.resolved":
      return open === 0 ? "running" : "waiting"
    case "turn.ended":
      return "paused"
    case "error":
      return event.isFatal ? "failed" : status
    default:
      return status === "starting" || status === "queued" ? "running" : status
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
  // A host's total covers its session; the cost of earlier sessions of the run is added.
  const base = event.isTotal ? earlier : cost
  const spent = spentIn(event, event.model ?? before.model ?? "", priceOf)
  const reportedUsd = sumOf(base?.reportedUsd, spent.reportedUsd)
  return {
    usage: base === undefined ? spent.usage : addUsage(base.usage, spent.usage),
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

/** When another session of the run starts, the cost so far belongs to the earlier ones. */
function costBefore({ sessionId, cost }: Progress, started: string): RunCost {
  const isAnother = sessionId !== started && cost.usage.input + cost.usage.output > 0
  if (!isAnother) return cost
  const { earlier: _, ...spent } = cost
  return { ...cost, earlier: spent }
}

type RunBudget = { readonly usd: number | null; readonly tokens: number | null }

type BudgetState =
  | { readonly kind: "free" }
  | { readonly kind: "warned" | "spent"; readonly says: string }

/** The higher of the reported and the computed cost counts; the warning comes at 80 %. */
export function budgetState(cost: RunCost, budget: RunBudget): BudgetState {
  const usd = Math.max(cost.reportedUsd ?? 0, cost.computedUsd ?? 0)
  const { input, output, cacheRead, cacheWrite } = cost.usage
  const tokens = input + output + cacheRead + cacheWrite
  const shares: { readonly share: number; readonly says: string }[] = []
  if (budget.usd !== null) {
    const spent = `$${usd.toFixed(2)} of $${budget.usd.toFixed(2)}`
    shares.push({ share: usd / budget.usd, says: spent })
  }
  if (budget.tokens !== null) {
    const spent = `${formatExact(tokens)} of ${formatExact(budget.tokens)} tokens`
    shares.push({ share: tokens / budget.tokens, says: spent })
  }
  const [highest] = shares.toSorted((a, b) => b.share - a.share)
  if (highest === undefined || highest.share < 0.8) return { kind: "free" }
  return { kind: highest.share >= 1 ? "spent" : "warned", says: highest.says }
}

export function budgetOf({ budgetUsd: usd, budgetTokens: tokens }: Run): RunBudget {
  return { usd, tokens }
}
