import { z } from "zod"
import { compareText } from "#ground/base"
import type { CostBudget, CostGroup, Spend } from "#ground/contract"
import { type Sql, sql } from "#ground/store"
import { PRICES_VERSION } from "#ground/tokens"
import { priceOf } from "../import/batch.ts"
import { type SessionFilter, type SessionsDb, SpendRow, sessionCondition } from "../queries.ts"

export const DAY_MS = 86_400_000

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_DAYS = 4

export const SPEND_SUMS = sql`count(*) AS calls, coalesce(sum(c.input), 0) AS input,
  coalesce(sum(c.output), 0) AS output, coalesce(sum(c.cache_read), 0) AS cache_read,
  coalesce(sum(c.cache_write), 0) AS cache_write,
  coalesce(sum(c.cache_write_hour), 0) AS cache_write_hour, sum(c.usd) AS usd,
  coalesce(sum(CASE WHEN c.usd IS NULL THEN
    c.input + c.output + c.cache_read + c.cache_write + c.cache_write_hour ELSE 0 END), 0)
    AS unpriced`

export type SpendGroup = Exclude<CostGroup, "tool"> | "all"

export const GROUP_KEYS: Readonly<Record<SpendGroup, Sql>> = {
  all: sql`1`,
  // Literals: SQLite divides by a bound number without rounding.
  day: sql`c.at / 86400000`,
  week: sql`(c.at / 86400000 - 4) / 7`,
  model: sql`c.model`,
  repository: sql`coalesce(s.repository, '')`,
  agent: sql`s.host || ' ' || c.agent`,
  session: sql`c.session`,
  host: sql`s.host`,
}

export type Period = { readonly since: number; readonly until: number }

type SpendRequest = Period & { readonly filter: SessionFilter }

/** A forked session repeats the calls of its origin; the one of the lowest session id counts. */
export async function spendBy(
  db: SessionsDb,
  by: SpendGroup,
  { filter, since, until }: SpendRequest,
): Promise<readonly { readonly key: string; readonly spend: Spend }[]> {
  const rows = await db.all(
    SpendRow,
    sql`SELECT c.group_key AS key, ${SPEND_SUMS} FROM (
        SELECT ${GROUP_KEYS[by]} AS group_key, c.* FROM session_calls c
        JOIN sessions s ON s.id = c.session
        WHERE c.at >= ${since} AND c.at < ${until} AND ${sessionCondition(filter)}
          AND NOT EXISTS (SELECT 1 FROM session_calls o
            WHERE o.call_key = c.call_key AND o.session < c.session)
      ) c GROUP BY c.group_key`,
  )
  return rows
    .map((row) => ({ key: row.key, spend: spendOf(row) }))
    .toSorted((a, b) => (b.spend.usd ?? -1) - (a.spend.usd ?? -1) || compareText(a.key, b.key))
}

export function nameOf(by: SpendGroup, key: string): { key: string; label: string } {
  if (by === "day") return dated(Number(key) * DAY_MS)
  if (by === "week") return dated((Number(key) * 7 + FIRST_MONDAY_DAYS) * DAY_MS)
  return { key, label: by === "repository" && key === "" ? "unknown repository" : key }
}

function dated(at: number): { key: string; label: string } {
  const key = new Date(at).toISOString().slice(0, 10)
  return { key, label: key }
}

export function spendOf(row: Omit<SpendRow, "key"> | undefined): Spend {
  if (row === undefined || row.calls === 0) return NO_SPEND
  const someKnown = row.unpriced > 0 ? "partly unknown" : "known"
  return {
    usd: row.usd,
    price: row.usd === null ? "unknown" : someKnown,
    unpricedTokens: row.unpriced,
    calls: row.calls,
    tokens: {
      input: row.input,
      cacheRead: row.cache_read,
      cacheWrite: row.cache_write,
      cacheWriteHour: row.cache_write_hour,
      output: row.output,
    },
  }
}

export const NO_SPEND: Spend = {
  usd: 0,
  price: "known",
  unpricedTokens: 0,
  calls: 0,
  tokens: { input: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0 },
}

const UnpricedRow = z.object({ model: z.string() })

export async function unpricedModels(db: SessionsDb, { since, until }: Period) {
  const rows = await db.all(
    UnpricedRow,
    sql`SELECT DISTINCT model FROM session_calls
      WHERE usd IS NULL AND at >= ${since} AND at < ${until} ORDER BY model LIMIT 100`,
  )
  return rows.map((it) => it.model)
}

const PricedRow = z.object({
  session: z.string(),
  call_key: z.string(),
  model: z.string(),
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cache_write_hour: z.int(),
})

const REPRICED_PER_STEP = 500

/** Computes stored prices again after an update of the price table. */
export async function reprice(db: SessionsDb): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const rows = await db.all(
      PricedRow,
      sql`SELECT session, call_key, model, input, output, cache_read, cache_write,
          cache_write_hour
        FROM session_calls WHERE prices <> ${PRICES_VERSION} LIMIT ${REPRICED_PER_STEP}`,
    )
    // A transaction writes, and a read must also work where nothing can be written.
    if (rows.length === 0) return
    await db.transaction(async (tx) => {
      for (const row of rows) {
        const usd = priceOf(row.model, {
          input: row.input,
          output: row.output,
          cacheRead: row.cache_read,
          cacheWrite: row.cache_write,
          cacheWriteHour: row.cache_write_hour,
        })
        await tx.run(sql`UPDATE session_calls SET usd = ${usd}, prices = ${PRICES_VERSION}
          WHERE session = ${row.session} AND call_key = ${row.call_key}`)
      }
    })
    isDone = rows.length < REPRICED_PER_STEP
  }
}

/** The first moment of a date, or a time ago, in UTC. */
export function sinceOf(since: string, now: number): number {
  const ago = /^(?<count>\d+)(?<unit>[hdw])$/.exec(since)?.groups
  if (ago === undefined) return Date.parse(`${since}T00:00:00Z`)
  const count = Number(ago["count"])
  if (ago["unit"] === "h") return now - count * 3_600_000
  const days = count * (ago["unit"] === "w" ? 7 : 1)
  // Whole days, today included.
  return (Math.floor(now / DAY_MS) - days + 1) * DAY_MS
}

type Budgets = {
  readonly dayBudget: number
  readonly weekBudget: number
  readonly monthBudget: number
}

/** The calendar month (UTC) of a moment. */
export function monthOf(now: number): Period {
  const date = new Date(now)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { since: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) }
}

export async function budgetStates(
  db: SessionsDb,
  { dayBudget, weekBudget, monthBudget }: Budgets,
  now: number,
): Promise<CostBudget[]> {
  const today = Math.floor(now / DAY_MS)
  const monday = today - ((today - FIRST_MONDAY_DAYS) % 7)
  const periods = [
    { period: "day", limitUsd: dayBudget, since: today * DAY_MS },
    { period: "week", limitUsd: weekBudget, since: monday * DAY_MS },
    { period: "month", limitUsd: monthBudget, since: monthOf(now).since },
  ] as const
  const states: CostBudget[] = []
  for (const { period, limitUsd, since } of periods.filter((it) => it.limitUsd > 0)) {
    const [total] = await spendBy(db, "all", { since, until: now + 1, filter: {} })
    const spentUsd = total === undefined ? 0 : total.spend.usd
    states.push({ period, limitUsd, spentUsd, state: budgetState(spentUsd, limitUsd) })
  }
  return states
}

function budgetState(spentUsd: number | null, limitUsd: number): CostBudget["state"] {
  if (spentUsd === null) return "unknown"
  if (spentUsd >= limitUsd) return "over"
  return spentUsd >= 0.8 * limitUsd ? "near" : "below"
}
