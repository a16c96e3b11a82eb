import type { Tx } from "#ground/store"
import { counterOrRough, type FoldDeps, openScrub, sessionOf } from "../deps.ts"
import { selectBranch, selectWorkedIn, setState, settleCharges, sumUnsettled } from "../queries.ts"
import { BranchRow, isLive, SumRow } from "../rows.ts"
import { afterCharge, type ChargeResult, chargeBranch, chargeEnded, graceOf } from "./charge.ts"
import { drainSpool, markSpool } from "./host-charges.ts"

/** The provider's own count of one request of a session. */
export type WireUsage = {
  readonly session: string
  /** "" for the main conversation; sub-agents have windows of their own. */
  readonly agent: string
  /** When the request was sent: it contains all work of the host up to this moment. */
  readonly sentAt: number
  readonly inputTokens: number
  readonly outputTokens: number
}

type UsageDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }

/** Conversations of one gateway process; more than it ever proxies at once. */
const MOST_WINDOWS = 1_000

/**
 * Charges by how much a window grows from request to request. The growth replaces the estimates of
 * our tools and of the hooks for the same work, so that nothing counts twice.
 */
export function createUsageMeter(deps: UsageDeps) {
  const windows = new Map<string, { readonly branch: string; readonly tokens: number }>()
  return {
    async charge(report: WireUsage): Promise<void> {
      if (!deps.config().enabled) return
      const session = sessionOf(report.session, "", await openScrub(deps))
      const root = deps.root()
      const db = await deps.db()
      const key = `${session}/${report.agent}`
      const row = await db.get(BranchRow, selectWorkedIn(root, session, report.sentAt))
      if (row === undefined) return void windows.delete(key)
      const who = { root, principal: row.principal, session }
      await drainSpool(deps, who)
      const before = windows.get(key)
      const tokens = report.inputTokens + report.outputTokens
      windows.delete(key)
      windows.set(key, { branch: row.id, tokens })
      const [oldest] = windows.keys()
      if (windows.size > MOST_WINDOWS && oldest !== undefined) windows.delete(oldest)
      // The first request of a branch shows where its window starts, and so does the first after a
      // compaction or after the fold of a child.
      const isFirst = before?.branch !== row.id || tokens < before.tokens
      const growth = isFirst ? report.outputTokens : tokens - before.tokens
      // Nothing of a sub-agent precedes its first request; the estimates belong to other windows.
      const isNewWindow = before === undefined && report.agent !== ""
      const count = await counterOrRough(deps)
      const result = await db.transaction((tx) =>
        settle(tx, {
          id: row.id,
          who,
          growth,
          isFirst,
          isNewWindow,
          count,
          deps,
          sentAt: report.sentAt,
        }),
      )
      if (result !== undefined) afterCharge(deps, result)
      await markSpool(deps, who)
    },
  }
}

type Settlement = {
  readonly id: string
  readonly who: { readonly root: string; readonly principal: string; readonly session: string }
  readonly growth: number
  readonly isFirst: boolean
  readonly isNewWindow: boolean
  readonly sentAt: number
  readonly count: (text: string) => number
  readonly deps: UsageDeps
}

async function settle(tx: Tx<"fold">, it: Settlement): Promise<ChargeResult | undefined> {
  const { id, who, growth, sentAt, count, deps } = it
  const estimated = (await tx.get(SumRow, sumUnsettled(id, sentAt)))?.tokens ?? 0
  if (!it.isNewWindow) await tx.run(settleCharges(id, sentAt))
  // Without an earlier request the growth before the estimates is unknown.
  const tokens = it.isFirst ? growth : growth - estimated
  const before = await tx.get(BranchRow, selectBranch(who.root, id))
  if (before === undefined) return undefined
  const row = it.isNewWindow ? before : await storeCounted(tx, before, it)
  const now = deps.clock.now()
  const charge = { now, at: sentAt, source: "usage", tokens } as const
  if (!isLive(row)) {
    await chargeEnded(tx, row, charge)
    return undefined
  }
  const step = { kind: "charge", tool: null, text: "", handle: null } as const
  const rest = { withheld: 0, paths: [], redactions: 0, step, count, graceMs: graceOf(deps) }
  return chargeBranch(tx, row, { ...charge, ...rest, who })
}

/** Lines of hooks that are read later are not charged again for the same work. */
async function storeCounted(
  tx: Tx<"fold">,
  row: BranchRow,
  { isFirst, sentAt }: Settlement,
): Promise<BranchRow> {
  const { counted } = row.state
  const until = Math.max(sentAt, counted?.until ?? 0)
  const state = {
    ...row.state,
    counted: { from: isFirst ? until : (counted?.from ?? until), until },
  }
  await tx.run(setState(row.id, state))
  return { ...row, state }
}
