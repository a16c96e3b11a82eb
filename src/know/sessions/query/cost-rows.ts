import { z } from "zod"
import { compareText } from "#ground/base"
import type { CostByType, CostChange, CostGroup, SessionsCost, Spend } from "#ground/contract"
import { type Sql, sql } from "#ground/store"
import { LONG_PROMPT_TOKENS, pricesOf } from "#ground/tokens"
import {
  type SessionFilter,
  SessionRow,
  type SessionsDb,
  SpendRow,
  selectSessionsById,
  sessionCondition,
} from "../queries.ts"
import { DAY_MS, GROUP_KEYS, nameOf, type Period, SPEND_SUMS, spendOf } from "./spend.ts"

type RowGroup = Exclude<CostGroup, "tool">

export type CostRequest = Period & { readonly filter: SessionFilter }

type CostRows = Pick<SessionsCost, "before" | "change" | "costs" | "rows" | "total">

/** The calls of one group, day, model and price level, in the period or in the one before. */
const Part = SpendRow.extend({
  is_now: z.coerce.number(),
  day: z.coerce.number(),
  model: z.string(),
  longest: z.coerce.number(),
})
type Part = z.infer<typeof Part>

/** Days and weeks are in time order, other rows most expensive first. */
export async function costRows(
  db: SessionsDb,
  by: CostGroup,
  request: CostRequest,
): Promise<CostRows> {
  const before = periodBefore(request)
  // Rows of tools have no price; the total is the same for each group.
  const group = by === "tool" ? "host" : by
  const parts = await selectParts(db, group, { ...request, before })
  const [now, earlier] = [
    parts.filter((it) => it.is_now === 1),
    parts.filter((it) => it.is_now === 0),
  ]
  const figures = figuresOf(now)
  const summary = {
    before,
    total: figures.spend,
    costs: figures.costs,
    change: changeOf(now, earlier),
  }
  if (by === "tool") return { ...summary, rows: [] }
  const earlierByKey = Map.groupBy(earlier, (it) => it.key)
  const rows = [...Map.groupBy(now, (it) => it.key)].map(([key, ofKey]) => ({
    ...nameOf(group, key),
    ...figuresOf(ofKey),
    ...(isTime(group) || group === "session"
      ? {}
      : {
          change: changeOf(ofKey, earlierByKey.get(key) ?? []),
          trend: trendOf(ofKey, request),
        }),
    ...(isTime(group) ? { models: modelsOf(ofKey) } : {}),
  }))
  const sorted = rows.toSorted(
    (a, b) => (isTime(group) ? 0 : byCost(a, b)) || compareText(a.key, b.key),
  )
  return { ...summary, rows: group === "session" ? await withTitles(db, sorted) : sorted }
}

const isTime = (by: RowGroup): boolean => by === "day" || by === "week"

type WithSpend = { readonly spend: Spend }

const byCost = (a: WithSpend, b: WithSpend): number => (b.spend.usd ?? -1) - (a.spend.usd ?? -1)

/**
 * A period that starts with a day is compared with the same hours whole days earlier, so that the
 * part of today that has passed is compared with the same part of a day.
 */
function periodBefore({ since, until }: Period): Period {
  const lengthMs = until - since
  const shiftMs = since % DAY_MS === 0 ? Math.ceil(lengthMs / DAY_MS) * DAY_MS : lengthMs
  return { since: since - shiftMs, until: until - shiftMs }
}

/** A forked session repeats the calls of its origin; the one of the lowest session id counts. */
function selectParts(
  db: SessionsDb,
  by: RowGroup,
  { filter, since, until, before }: CostRequest & { readonly before: Period },
): Promise<readonly Part[]> {
  const prompt = sql`(c.input + c.cache_read + c.cache_write + c.cache_write_hour)`
  const level = LONG_PROMPT_TOKENS.reduce<Sql>(
    (all, tokens) => sql`${all} + CASE WHEN ${prompt} > ${tokens} THEN 1 ELSE 0 END`,
    sql`0`,
  )
  return db.all(
    Part,
    sql`SELECT c.group_key AS key, c.is_now AS is_now, c.day AS day, c.model AS model,
        max(c.prompt) AS longest, ${SPEND_SUMS} FROM (
        SELECT ${GROUP_KEYS[by]} AS group_key, CASE WHEN c.at >= ${since} THEN 1 ELSE 0 END AS is_now,
          c.at / 86400000 AS day, ${prompt} AS prompt, ${level} AS price_level, c.*
        FROM session_calls c JOIN sessions s ON s.id = c.session
        WHERE ((c.at >= ${since} AND c.at < ${until})
            OR (c.at >= ${before.since} AND c.at < ${before.until}))
          AND ${sessionCondition(filter)}
          AND NOT EXISTS (SELECT 1 FROM session_calls o
            WHERE o.call_key = c.call_key AND o.session < c.session)
      ) c GROUP BY c.group_key, c.is_now, c.day, c.model, c.price_level`,
  )
}

function figuresOf(parts: readonly Part[]): { readonly spend: Spend; readonly costs: CostByType } {
  const sum = (of: (part: Part) => number) => parts.reduce((total, it) => total + of(it), 0)
  const costs = parts.map(costsOf)
  const usd = (type: keyof CostByType) => costs.reduce((total, it) => total + it[type], 0)
  return {
    spend: spendOf({
      calls: sum((it) => it.calls),
      input: sum((it) => it.input),
      output: sum((it) => it.output),
      cache_read: sum((it) => it.cache_read),
      cache_write: sum((it) => it.cache_write),
      cache_write_hour: sum((it) => it.cache_write_hour),
      usd: usdOf(parts),
      unpriced: sum((it) => it.unpriced),
    }),
    costs: {
      input: usd("input"),
      cacheRead: usd("cacheRead"),
      cacheWrite: usd("cacheWrite"),
      cacheWriteHour: usd("cacheWriteHour"),
      output: usd("output"),
    },
  }
}

/** All calls of a part have the same prices. */
function costsOf(part: Part): CostByType {
  const prices = part.usd === null ? undefined : pricesOf(part.model, part.longest)
  const usd = (tokens: number, price = 0) => (tokens * price) / 1_000_000
  return {
    input: usd(part.input, prices?.input),
    cacheRead: usd(part.cache_read, prices?.cacheRead),
    cacheWrite: usd(part.cache_write, prices?.cacheWrite),
    cacheWriteHour: usd(part.cache_write_hour, prices?.cacheWriteHour),
    output: usd(part.output, prices?.output),
  }
}

/** Null if there are calls and no price is known. */
function usdOf(parts: readonly Part[]): number | null {
  const amounts = parts.flatMap((it) => (it.usd === null ? [] : [it.usd]))
  if (amounts.length === 0 && parts.length > 0) return null
  return amounts.reduce((total, it) => total + it, 0)
}

function changeOf(now: readonly Part[], earlier: readonly Part[]): CostChange {
  const usd = knownUsd(now)
  const beforeUsd = knownUsd(earlier)
  const isComparable = usd !== null && beforeUsd !== null && beforeUsd > 0
  return { beforeUsd, percent: isComparable ? (usd / beforeUsd - 1) * 100 : null }
}

/** A sum without some calls cannot be compared. */
const knownUsd = (parts: readonly Part[]): number | null =>
  parts.some((it) => it.unpriced > 0) ? null : usdOf(parts)

function trendOf(parts: readonly Part[], { since, until }: Period): (number | null)[] {
  const byDay = Map.groupBy(parts, (it) => it.day)
  const first = Math.floor(since / DAY_MS)
  const last = Math.floor((until - 1) / DAY_MS)
  return Array.from({ length: last - first + 1 }, (_, i) => usdOf(byDay.get(first + i) ?? []))
}

function modelsOf(parts: readonly Part[]): { model: string; spend: Spend }[] {
  return [...Map.groupBy(parts, (it) => it.model)]
    .map(([model, ofModel]) => ({ model, spend: figuresOf(ofModel).spend }))
    .toSorted((a, b) => byCost(a, b) || compareText(a.model, b.model))
}

const TITLES_PER_STEP = 500

async function withTitles(
  db: SessionsDb,
  rows: SessionsCost["rows"],
): Promise<SessionsCost["rows"]> {
  const titles = new Map<string, string>()
  for (let at = 0; at < rows.length; at += TITLES_PER_STEP) {
    const ids = rows.slice(at, at + TITLES_PER_STEP).map((it) => it.key)
    for (const it of await db.all(SessionRow, selectSessionsById(ids))) titles.set(it.id, it.title)
  }
  return rows.map((row) => ({ ...row, label: titles.get(row.key) ?? row.label }))
}
