import { z } from "zod"
import type { IndexedSession, SessionCompaction, SessionsContext } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"
import {
  CompactionRow,
  ResultSizeRow,
  type SessionRow,
  type SessionsDb,
  SpendRow,
  selectCompactions,
  selectResultSizes,
} from "../queries.ts"
import { READING_TOOLS } from "../transcript/transcript-state.ts"
import {
  compactionContents,
  insideOf,
  selectWindowLines,
  WindowLine,
} from "./compaction-content.ts"
import { NO_SPEND, spendOf } from "./spend.ts"

const Total = z.coerce.number()
const ModelRow = z.object({ session: z.string(), model: z.string() })
const PeakRow = z.object({ session: z.string(), peak: Total.nullable() })
const SampleRow = z.object({ session: z.string(), part: Total, peak: Total })
const CountOfSession = z.object({ session: z.string(), count: Total })

const PROMPT = sql`(c.input + c.cache_read + c.cache_write + c.cache_write_hour)`

/** Sessions with the figures of their calls, in the given order. */
export async function describeSessions(
  db: SessionsDb,
  rows: readonly SessionRow[],
): Promise<IndexedSession[]> {
  if (rows.length === 0) return []
  const ids = join(rows.map((it) => sql`${it.id}`))
  const spends = await db.all(
    SpendRow,
    sql`SELECT c.session AS key, count(*) AS calls, sum(c.input) AS input, sum(c.output) AS output,
        sum(c.cache_read) AS cache_read, sum(c.cache_write) AS cache_write,
        sum(c.cache_write_hour) AS cache_write_hour, sum(c.usd) AS usd,
        sum(CASE WHEN c.usd IS NULL THEN ${PROMPT} + c.output ELSE 0 END) AS unpriced
      FROM session_calls c WHERE c.session IN (${ids}) GROUP BY c.session`,
  )
  const models = await db.all(
    ModelRow,
    sql`SELECT session, model FROM session_calls WHERE session IN (${ids})
      GROUP BY session, model ORDER BY session, count(*) DESC, model`,
  )
  const peaks = await db.all(
    PeakRow,
    // A host compacts on more tokens than its last call had: results have entered since.
    sql`SELECT p.session AS session, max(p.tokens) AS peak FROM (
        SELECT c.session AS session, ${PROMPT} AS tokens FROM session_calls c
        WHERE c.session IN (${ids}) AND c.agent = 'main'
        UNION ALL SELECT session, tokens_before AS tokens FROM session_compactions
        WHERE session IN (${ids}) AND agent = 'main'
      ) p GROUP BY p.session`,
  )
  // Parts of equal numbers of calls, because a session may wait for days.
  const samples = await db.all(
    SampleRow,
    sql`SELECT p.session AS session, p.part AS part, max(p.tokens) AS peak FROM (
        SELECT c.session AS session, ${PROMPT} AS tokens,
          ntile(32) OVER (PARTITION BY c.session ORDER BY c.at, c.position) AS part
        FROM session_calls c WHERE c.session IN (${ids}) AND c.agent = 'main'
      ) p GROUP BY p.session, p.part ORDER BY p.session, p.part`,
  )
  const samplesById = Map.groupBy(samples, (it) => it.session)
  const counts = async (query: Sql) =>
    new Map((await db.all(CountOfSession, query)).map((it) => [it.session, it.count]))
  const compactions = await counts(sql`SELECT session, count(*) AS count FROM session_compactions
    WHERE session IN (${ids}) GROUP BY session`)
  const subAgents = await counts(sql`SELECT session, count(*) AS count FROM session_files
    WHERE session IN (${ids}) AND agent <> 'main' GROUP BY session`)
  const files = await counts(sql`SELECT session, count(DISTINCT path) AS count FROM session_paths
    WHERE session IN (${ids}) GROUP BY session`)
  const spendById = new Map(spends.map((it) => [it.key, spendOf(it)]))
  const peakById = new Map(peaks.map((it) => [it.session, it.peak]))
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    title: row.title,
    cwd: row.cwd,
    repository: row.repository,
    branch: row.branch,
    version: row.version,
    models: models.filter((it) => it.session === row.id).map((it) => it.model),
    turns: row.turns,
    peakTokens: reportsCalls(row) ? (peakById.get(row.id) ?? null) : null,
    windowTokens: row.window_tokens,
    context: reportsCalls(row) ? (samplesById.get(row.id)?.map((it) => it.peak) ?? []) : [],
    compactions: compactions.get(row.id) ?? 0,
    subAgents: subAgents.get(row.id) ?? 0,
    files: files.get(row.id) ?? 0,
    spend: spendById.get(row.id) ?? NO_SPEND,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }))
}

/** Copilot reports the sum of a process, which is no window. */
const reportsCalls = ({ host }: SessionRow): boolean => host !== "copilot"

const PointRow = z.object({
  at: z.int(),
  position: z.int(),
  turn: z.int(),
  model: z.string(),
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cache_write_hour: z.int(),
})

type ContextRequest = { readonly agent: string; readonly limit: number }

/** The window at each model call. Where a host reports no sizes of a compaction, the calls around it give them. */
export async function contextOverTime(
  db: SessionsDb,
  row: SessionRow,
  { agent, limit }: ContextRequest,
): Promise<SessionsContext> {
  const most = reportsCalls(row) ? limit : 0
  const newest = await db.all(
    PointRow,
    sql`SELECT at, position, turn, model, input, output, cache_read, cache_write, cache_write_hour
      FROM session_calls WHERE session = ${row.id} AND agent = ${agent}
      ORDER BY at DESC, position DESC LIMIT ${most}`,
  )
  const count = await db.get(
    z.object({ count: Total }),
    sql`SELECT count(*) AS count FROM session_calls WHERE session = ${row.id} AND agent = ${agent}`,
  )
  const calls = newest.toReversed().map((it) => ({
    ...it,
    tokens: it.input + it.cache_read + it.cache_write + it.cache_write_hour,
  }))
  const compactions = (await db.all(CompactionRow, selectCompactions(row.id)))
    .filter((it) => it.agent === agent)
    .map((it): SessionCompaction => {
      const before = calls.findLast((call) => call.at <= it.at && call.position < it.position)
      const after = calls.find((call) => call.at >= it.at && call.position > it.position)
      return {
        at: it.at,
        turn: it.turn,
        cause: it.cause,
        tokensBefore: it.tokens_before ?? before?.tokens ?? null,
        tokensAfter: it.tokens_after ?? after?.tokens ?? null,
      }
    })
  const compactedAt = compactions.map((it) => it.at)
  const lines =
    compactions.length === 0 ? [] : await db.all(WindowLine, selectWindowLines(row.id, agent))
  const removed = compactionContents(lines, compactedAt)
  const results = await db.all(ResultSizeRow, selectResultSizes(row.id, agent))
  const parts = partsOf(calls, { results, compactedAt })
  return {
    session: row.id,
    agent,
    windowTokens: row.window_tokens,
    peakTokens:
      calls.length === 0
        ? null
        : Math.max(
            ...calls.map((it) => it.tokens),
            ...compactions.map((it) => it.tokensBefore ?? 0),
          ),
    left: reportsCalls(row) ? Math.max(0, (count?.count ?? 0) - calls.length) : 0,
    compactions: compactions.flatMap((it, i) => {
      const content = removed[i]
      return content === undefined ? [] : [{ ...it, removed: insideOf(row.cwd, content) }]
    }),
    points: calls.map((it, index) => ({
      at: it.at,
      turn: it.turn,
      model: it.model,
      tokens: it.tokens,
      added: it.tokens - (calls[index - 1]?.tokens ?? 0),
      input: it.input,
      cacheRead: it.cache_read,
      cacheWrite: it.cache_write + it.cache_write_hour,
      output: it.output,
      parts: parts[index] ?? { start: it.tokens, files: 0, results: 0, conversation: 0 },
    })),
  }
}

type WindowParts = SessionsContext["points"][number]["parts"]
type Entered = {
  readonly results: readonly ResultSizeRow[]
  readonly compactedAt: readonly number[]
}

/**
 * The first call is the start, results are counted by their sizes since the last compaction, and
 * the rest is conversation. Sizes are estimates, so results are scaled down where they exceed it.
 */
function partsOf(
  calls: readonly { readonly at: number; readonly tokens: number }[],
  { results, compactedAt }: Entered,
): readonly WindowParts[] {
  const first = calls[0]?.tokens ?? 0
  let [files, others, next, compacted] = [0, 0, 0, 0]
  return calls.map(({ at, tokens }) => {
    while ((compactedAt[compacted] ?? Infinity) <= at) {
      const until = compactedAt[compacted] ?? 0
      while ((results[next]?.at ?? Infinity) <= until) next += 1
      compacted += 1
      files = 0
      others = 0
    }
    for (let it = results[next]; it !== undefined && it.at < at; it = results[next]) {
      if (it.tool !== null && READING_TOOLS.test(it.tool)) files += it.tokens
      else others += it.tokens
      next += 1
    }
    const start = Math.min(first, tokens)
    const room = tokens - start
    const share = files + others === 0 ? 0 : Math.min(1, room / (files + others))
    const fileTokens = Math.floor(files * share)
    const resultTokens = Math.floor(others * share)
    return {
      start,
      files: fileTokens,
      results: resultTokens,
      conversation: room - fileTokens - resultTokens,
    }
  })
}
