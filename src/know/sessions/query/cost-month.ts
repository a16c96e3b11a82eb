import type { CostMonth, Spend } from "#ground/contract"
import type { SessionsDb } from "../queries.ts"
import { DAY_MS, monthOf, spendBy, spendOf } from "./spend.ts"

/** Two weeks, so that weekends count as often as they occur. */
const FORECAST_DAYS = 14
const FEWEST_FORECAST_DAYS = 7

type DaySpend = { readonly day: number; readonly spend: Spend }

/** Cost of all sessions in the calendar month of `now`, and the estimate for the whole month. */
export async function costMonth(db: SessionsDb, now: number): Promise<CostMonth> {
  const month = monthOf(now)
  const today = Math.floor(now / DAY_MS)
  const first = Math.min(month.since / DAY_MS, today - FORECAST_DAYS)
  const request = { since: first * DAY_MS, until: now + 1, filter: {} }
  const rows = await spendBy(db, "day", request)
  const days = rows.map(({ key, spend }) => ({ day: Number(key), spend }))
  const spend = addSpends(days.filter((it) => it.day * DAY_MS >= month.since))
  const dailyUsd = meanOfDays(days, today)
  if (spend.usd === null || dailyUsd === null) return { ...month, spend, forecastUsd: null }
  const daysLeft = (month.until - now) / DAY_MS
  return { ...month, spend, forecastUsd: spend.usd + dailyUsd * daysLeft }
}

/** Of whole days before today. Null if there are too few, or most tokens have no price. */
function meanOfDays(days: readonly DaySpend[], today: number): number | null {
  // From the first day that the index has: days before it are not days without cost.
  const start = Math.max(today - FORECAST_DAYS, Math.min(...days.map((it) => it.day)))
  const count = today - start
  if (count < FEWEST_FORECAST_DAYS || isMostlyUnpriced(addSpends(days))) return null
  const { usd } = addSpends(days.filter((it) => it.day >= start && it.day < today))
  return (usd ?? 0) / count
}

const MOST_UNPRICED_SHARE = 0.5

function isMostlyUnpriced({ tokens, unpricedTokens }: Spend): boolean {
  const all = Object.values(tokens).reduce((sum, it) => sum + it, 0)
  return unpricedTokens > all * MOST_UNPRICED_SHARE
}

function addSpends(days: readonly DaySpend[]): Spend {
  const spends = days.map((it) => it.spend)
  const sum = (of: (spend: Spend) => number) => spends.reduce((total, it) => total + of(it), 0)
  return spendOf({
    calls: sum((it) => it.calls),
    input: sum((it) => it.tokens.input),
    output: sum((it) => it.tokens.output),
    cache_read: sum((it) => it.tokens.cacheRead),
    cache_write: sum((it) => it.tokens.cacheWrite),
    cache_write_hour: sum((it) => it.tokens.cacheWriteHour),
    usd: spends.every((it) => it.usd === null) ? null : sum((it) => it.usd ?? 0),
    unpriced: sum((it) => it.unpricedTokens),
  })
}
