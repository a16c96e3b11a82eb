import { createHash } from "node:crypto"
import { z } from "zod"
import { formatCount, formatExact, plural } from "#ground/base"
import type { WasteFinding } from "#ground/contract"
import { join, sql } from "#ground/store"
import { type SessionFilter, type SessionsDb, sessionCondition } from "../queries.ts"
import type { Period } from "../query/spend.ts"

/** Larger results are cut by few hosts and fill the window at once. */
const OVERSIZE_TOKENS = 20_000

/** Smaller reads cost less than a rule against them. */
const LEAST_READ_TOKENS = 200
const LEAST_REPEATED_TOKENS = 1_000

/** Each sub-agent loads its own start; up to this number that is worth it. */
const MOST_SUB_AGENTS = 4
const FAN_OUT = 8

/** Providers cache no smaller prompts, and a few misses are normal. */
const LEAST_CACHED_TOKENS = 4_096
const LEAST_MISSED_TOKENS = 20_000

/** The default life of a cache entry. */
const CACHE_MS = 5 * 60_000

const MOST_ROWS = 100_000
const MOST_SESSIONS_NAMED = 10

type WasteRequest = Period & { readonly filter: SessionFilter }

/** A finding without what only a file edit has. */
type Measured = Omit<WasteFinding, "id" | "change" | "per">

export async function findSessionWaste(
  db: SessionsDb,
  request: WasteRequest,
): Promise<readonly WasteFinding[]> {
  const findings = [
    ...(await repeatedReads(db, request)),
    ...(await oversizeResults(db, request)),
    ...(await subAgentStarts(db, request)),
    ...(await cacheMisses(db, request)),
  ]
  return findings.map((it) => ({
    ...it,
    id: findingId(it.kind, it.title),
    per: "period",
    change: null,
  }))
}

/** The same for the same cause, so that it can be named later. */
export function findingId(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("hex").slice(0, 8)
}

const Total = z.coerce.number()
const ReadRow = z.object({
  session: z.string(),
  agent: z.string(),
  at: z.int(),
  tokens: z.int(),
  size_bytes: z.int(),
  head: z.string(),
})
const CompactedRow = z.object({ session: z.string(), agent: z.string(), at: z.int() })

const READING_TOOLS = ["Read", "read", "read_file", "view", "read_many_files"] as const

/** The same text twice in one window; a compaction in between removed the first copy. */
async function repeatedReads(db: SessionsDb, request: WasteRequest): Promise<readonly Measured[]> {
  const { since, until, filter } = request
  const rows = await db.all(
    ReadRow,
    sql`SELECT l.session AS session, l.agent AS agent, l.at AS at, l.tokens AS tokens,
        l.size_bytes AS size_bytes, substr(l.body, 1, 400) AS head
      FROM session_lines l JOIN sessions s ON s.id = l.session
      WHERE l.role = 'result' AND l.tool IN (${join(READING_TOOLS.map((it) => sql`${it}`))})
        AND l.tokens >= ${LEAST_READ_TOKENS} AND l.at >= ${since} AND l.at < ${until}
        AND ${sessionCondition(filter)}
      ORDER BY l.session, l.id LIMIT ${MOST_ROWS}`,
  )
  const compacted = await db.all(
    CompactedRow,
    sql`SELECT session, agent, at FROM session_compactions WHERE at >= ${since} AND at < ${until}`,
  )
  const seen = new Map<string, number>()
  const repeats = rows.filter((row) => {
    const key = [row.session, row.agent, row.size_bytes, row.tokens, row.head].join("\0")
    const before = seen.get(key)
    seen.set(key, row.at)
    if (before === undefined) return false
    const wasRemoved = compacted.some(
      (one) =>
        one.session === row.session &&
        one.agent === row.agent &&
        one.at >= before &&
        one.at <= row.at,
    )
    return !wasRemoved
  })
  const tokens = repeats.reduce((sum, it) => sum + it.tokens, 0)
  if (tokens < LEAST_REPEATED_TOKENS) return []
  const sessions = [...new Set(repeats.map((it) => it.session))]
  return [
    {
      kind: "repeated-reads",
      title: "Unchanged files were read again",
      evidence: `${plural(repeats.length, "read")} in ${plural(sessions.length, "session")} returned text that was in the window already.`,
      tokens,
      fix: "Let hooks answer repeated reads (`qm init --level 5`), or name the file's part in the prompt.",
      sessions: sessions.slice(0, MOST_SESSIONS_NAMED),
    },
  ]
}

const ResultRow = z.object({ session: z.string(), tool: z.string(), tokens: z.int() })

async function oversizeResults(
  db: SessionsDb,
  { since, until, filter }: WasteRequest,
): Promise<readonly Measured[]> {
  const rows = await db.all(
    ResultRow,
    sql`SELECT l.session AS session, l.tool AS tool, l.tokens AS tokens
      FROM session_lines l JOIN sessions s ON s.id = l.session
      WHERE l.role = 'result' AND l.tool IS NOT NULL AND l.tokens >= ${OVERSIZE_TOKENS}
        AND l.at >= ${since} AND l.at < ${until} AND ${sessionCondition(filter)}
      ORDER BY l.tokens DESC LIMIT 1000`,
  )
  return [...Map.groupBy(rows, (it) => it.tool)].map(([tool, results]): Measured => {
    const largest = results[0]?.tokens ?? 0
    return {
      kind: "oversize-results",
      title: `Results of ${tool} fill the window`,
      evidence: `${plural(results.length, "result")} of at least ${formatCount(OVERSIZE_TOKENS)} tokens, the largest ${formatCount(largest)}.`,
      tokens: results.reduce((sum, it) => sum + it.tokens, 0),
      fix: 'Ask for a part of the output, such as its last lines, or fold it: `qm run --gateway fold "fix the test"`.',
      sessions: [...new Set(results.map((it) => it.session))].slice(0, MOST_SESSIONS_NAMED),
    }
  })
}

const StartRow = z.object({ session: z.string(), tokens: Total })

async function subAgentStarts(
  db: SessionsDb,
  { since, until, filter }: WasteRequest,
): Promise<readonly Measured[]> {
  const rows = await db.all(
    StartRow,
    sql`SELECT f.session AS session, f.tokens AS tokens FROM (
        SELECT c.session AS session,
          c.input + c.cache_read + c.cache_write + c.cache_write_hour AS tokens,
          row_number() OVER (PARTITION BY c.file ORDER BY c.at, c.position) AS place
        FROM session_calls c JOIN sessions s ON s.id = c.session
        JOIN session_files t ON t.file = c.file
        WHERE t.agent <> 'main' AND c.at >= ${since} AND c.at < ${until}
          AND ${sessionCondition(filter)}
      ) f WHERE f.place = 1 ORDER BY f.session, f.tokens LIMIT ${MOST_ROWS}`,
  )
  const wide = [...Map.groupBy(rows, (it) => it.session)].filter(([, all]) => all.length >= FAN_OUT)
  if (wide.length === 0) return []
  const starts = wide.flatMap(([, all]) => all)
  const beyond = wide.flatMap(([, all]) => all.slice(MOST_SUB_AGENTS))
  const mean = starts.reduce((sum, it) => sum + it.tokens, 0) / starts.length
  return [
    {
      kind: "sub-agents",
      title: "Many sub-agents load the same start context",
      evidence: `Up to ${plural(Math.max(...wide.map(([, all]) => all.length)), "sub-agent")} in one session, ${formatCount(Math.round(mean))} tokens each before their first step.`,
      tokens: beyond.reduce((sum, it) => sum + it.tokens, 0),
      fix: `Limit a session to ${MOST_SUB_AGENTS} sub-agents and give them one package (\`qm pack\`).`,
      sessions: wide.map(([session]) => session).slice(0, MOST_SESSIONS_NAMED),
    },
  ]
}

const CallRow = z.object({
  session: z.string(),
  at: z.int(),
  tokens: Total,
  cache_read: Total,
})

/** Less than half of the prompt before was read from the cache, and the prompt did not shrink. */
async function cacheMisses(
  db: SessionsDb,
  { since, until, filter }: WasteRequest,
): Promise<readonly Measured[]> {
  const calls = await db.all(
    CallRow,
    sql`SELECT c.session AS session, c.at AS at, c.cache_read AS cache_read,
        c.input + c.cache_read + c.cache_write + c.cache_write_hour AS tokens
      FROM session_calls c JOIN sessions s ON s.id = c.session
      WHERE c.agent = 'main' AND c.at >= ${since} AND c.at < ${until}
        AND ${sessionCondition(filter)}
      ORDER BY c.session, c.at, c.position LIMIT ${MOST_ROWS}`,
  )
  const misses = calls.flatMap((call, i) => {
    const before = calls[i - 1]
    if (before === undefined || before.session !== call.session) return []
    const isCached = before.tokens >= LEAST_CACHED_TOKENS
    const hasShrunk = call.tokens < before.tokens * 0.9
    if (!isCached || hasShrunk || call.cache_read >= before.tokens / 2) return []
    const isExpired = call.at - before.at > CACHE_MS
    return [{ ...call, isExpired, again: before.tokens - call.cache_read }]
  })
  const finding = (kind: "cache-misses" | "cache-expired"): readonly Measured[] => {
    const own = misses.filter((it) => it.isExpired === (kind === "cache-expired"))
    const tokens = own.reduce((sum, it) => sum + it.again, 0)
    if (tokens < LEAST_MISSED_TOKENS) return []
    const sessions = [...new Set(own.map((it) => it.session))]
    const where = `${plural(own.length, "call")} in ${plural(sessions.length, "session")}`
    return [
      {
        kind,
        title:
          kind === "cache-expired"
            ? "The cache expired while a session waited"
            : "The start of the prompt changed during a session",
        evidence: `${where} wrote ${formatExact(tokens)} tokens to the cache again.`,
        tokens,
        fix:
          kind === "cache-expired"
            ? "Compact or hand off before a break of more than five minutes, or use the one-hour cache."
            : "Connect MCP servers before the first prompt, and do not switch tools or models in a session.",
        sessions: sessions.slice(0, MOST_SESSIONS_NAMED),
      },
    ]
  }
  return [...finding("cache-misses"), ...finding("cache-expired")]
}

const FirstRow = z.object({ started: z.int(), tokens: Total })

/** Tokens of the first call of each session: what it starts with. Oldest first. */
export async function startSizes(db: SessionsDb, filter: SessionFilter) {
  return db.all(
    FirstRow,
    sql`SELECT f.at AS started, f.tokens AS tokens FROM (
        SELECT c.at AS at, c.input + c.cache_read + c.cache_write + c.cache_write_hour AS tokens,
          row_number() OVER (PARTITION BY c.session ORDER BY c.at, c.position) AS place
        FROM session_calls c JOIN sessions s ON s.id = c.session
        WHERE c.agent = 'main' AND ${sessionCondition(filter)}
      ) f WHERE f.place = 1 ORDER BY f.at DESC LIMIT 1000`,
  )
}
