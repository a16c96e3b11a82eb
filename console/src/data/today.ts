import { formatCostSum, formatUsd } from "#ground/base/format"
import { KINDS } from "../base/kinds.ts"
import { allTokens, formatSpend } from "../base/spend.ts"
import { type Now, type NowRow, plural, type SessionsCost } from "../contract.ts"
import { paths } from "./paths.ts"
import { useOperation } from "./queries.tsx"

export type Today = {
  readonly running: number
  readonly tokens: number | null
}

export function sumToday({ waiting, running, ended }: Now): Today {
  const rows = [...waiting, ...running, ...ended]
  return {
    running: running.filter((it) => it.state === "running").length,
    tokens: sumKnown(rows, tokensOfRow),
  }
}

/** Automation stops at testing, so tickets there wait for a person too. */
export const IN_REVIEW = { lane: "testing", limit: 20 } as const

export function useWaitingCount(): number {
  const { data: report } = useOperation("now.show", {})
  const { data: board } = useOperation("board.show", IN_REVIEW)
  return (report?.waiting.length ?? 0) + (board?.tickets.length ?? 0)
}

export function tokensOfRow({ tokens }: NowRow): number | undefined {
  if (tokens === undefined) return undefined
  return KINDS.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0)
}

export function hrefOfRow({ id, kind }: Pick<NowRow, "id" | "kind">): string {
  return kind === "pipeline" ? paths.pipeline(id) : paths.run(id)
}

/** Unknown is not 0: a sum is known if at least one part is. */
function sumKnown(rows: readonly NowRow[], of: (row: NowRow) => number | undefined): number | null {
  const values = rows.map(of).filter((it) => it !== undefined)
  return values.length === 0 ? null : values.reduce((sum, it) => sum + it, 0)
}

/** Imported sessions contain the runs too; without them, the runs are all that is known. */
export function useSpend(): SpentToday | undefined {
  const { data: report } = useOperation("now.show", {})
  const { data: cost } = useOperation("sessions.cost", { by: "day", since: `${SPEND_DAYS}d` })
  if (cost !== undefined && cost.total.calls > 0) return spendOfSessions(cost)
  if (report === undefined) return undefined
  const { todayUsd, runs, unknown, days } = report.spend
  return {
    days,
    today: todayUsd === null && unknown === 0 ? "" : formatCostSum(todayUsd ?? 0, unknown),
    tokens: sumToday(report).tokens,
    aside: todayUsd === null ? "" : plural(runs, "run"),
  }
}

/** Days of the index are UTC, like those of Cost. */
type IndexedDays = {
  readonly rows: readonly Pick<SessionsCost["rows"][number], "key" | "spend">[]
  readonly until: number
}

export function spendOfSessions(cost: IndexedDays): SpentToday {
  const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10)
  const usdOf = (day: string) => cost.rows.find((it) => it.key === day)?.spend.usd ?? null
  const now = cost.until - 1
  const days = Array.from({ length: SPEND_DAYS }, (_, i) => {
    const day = dayAt(now - (SPEND_DAYS - 1 - i) * DAY_MS)
    return { day, usd: usdOf(day) ?? 0 }
  })
  const today = cost.rows.find((it) => it.key === dayAt(now))
  const calls = today?.spend.calls ?? 0
  return {
    days,
    today: today === undefined ? formatUsd(0) : formatSpend(today.spend),
    tokens: today === undefined ? 0 : allTokens(today.spend),
    aside: calls === 0 ? "list prices" : `${plural(calls, "call")}, list prices`,
  }
}

const SPEND_DAYS = 14
const DAY_MS = 86_400_000

export type SpentToday = {
  /** Empty if nothing ran; unknown costs are named as unknown. */
  readonly today: string
  readonly tokens: number | null
  readonly aside: string
  readonly days: readonly { readonly day: string; readonly usd: number }[]
}
