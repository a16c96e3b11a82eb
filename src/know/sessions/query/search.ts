import type { SessionHit, SessionsSearch } from "#ground/contract"
import { QueryWithoutWords } from "../errors.ts"
import {
  LineRange,
  LineRow,
  MatchesRow,
  RankRow,
  type SessionFilter,
  SessionRow,
  type SessionsDb,
  selectLineRange,
  selectLinesById,
  selectMatches,
  selectRanks,
  selectSessions,
  selectSessionsById,
  shownLine,
} from "../queries.ts"
import { excerptOf, queryWords } from "./words.ts"

/** The newest ones; bounds the memory of a search for a common word. */
const MAX_MATCHING_LINES = 100_000

/** With fewer matching lines all are ranked; more are read session by session. */
const MAX_RANKED_LINES = 2_000

/** For a common word, so that one long session does not hide the others. */
const MAX_LINES_PER_SESSION = 100

/** The newest ones; bounds the time for words that are common in old sessions only. */
const MAX_SESSIONS_READ = 200

type SearchRequest = {
  readonly query: string
  readonly limit: number
  readonly filter: SessionFilter
}

/** All words in one line, the last one as a prefix. One line per session, unless one is given. */
export async function searchLines(
  db: SessionsDb,
  { query, limit, filter }: SearchRequest,
): Promise<Omit<SessionsSearch, "import">> {
  const words = queryWords(query)
  if (words.length === 0) throw QueryWithoutWords({ query })
  const matches = await matchingLines(db, words, { limit, filter })
  const counts = new Map<string, number>()
  const chosen: number[] = []
  for (const { id, session } of matches.toSorted(compareRanks)) {
    const isFirst = !counts.has(session)
    counts.set(session, (counts.get(session) ?? 0) + 1)
    if (chosen.length < limit && (isFirst || filter.session !== undefined)) chosen.push(id)
  }
  if (chosen.length === 0) return { hits: [], matches: 0, words: [...words] }
  const lines = new Map((await db.all(LineRow, selectLinesById(chosen))).map((it) => [it.id, it]))
  const sessionIds = [...new Set([...lines.values()].map((it) => it.session))]
  const sessions = new Map(
    (await db.all(SessionRow, selectSessionsById(sessionIds))).map((it) => [it.id, it]),
  )
  const hits = chosen.flatMap((id): SessionHit[] => {
    const line = lines.get(id)
    const session = sessions.get(line?.session ?? "")
    if (line === undefined || session === undefined) return []
    const { text: _, ...place } = shownLine(line)
    const { host, title, repository, branch } = session
    return [
      {
        session: session.id,
        title,
        host,
        repository,
        branch,
        matches: counts.get(session.id) ?? 1,
        line: place,
        excerpt: excerptOf(line.body, words),
      },
    ]
  })
  return { hits, matches: matches.length, words: [...words] }
}

/** A prompt says more about a session than a long result; of equal ones the newer line. */
function compareRanks(a: RankRow, b: RankRow): number {
  return ROLE_ORDER[a.role] - ROLE_ORDER[b.role] || a.size_bytes - b.size_bytes || b.id - a.id
}

const ROLE_ORDER: Readonly<Record<RankRow["role"], number>> = {
  user: 0,
  assistant: 1,
  summary: 1,
  edit: 2,
  call: 2,
  result: 3,
}

async function matchingLines(
  db: SessionsDb,
  words: readonly string[],
  { limit, filter }: Omit<SearchRequest, "query">,
): Promise<readonly RankRow[]> {
  const options = { dialect: db.dialect, limit: MAX_MATCHING_LINES, filter }
  const matches = await db.get(MatchesRow, selectMatches(words, options))
  const ids = ascendingIds(matches?.ids ?? "")
  if (ids.length <= MAX_RANKED_LINES || filter.session !== undefined) {
    return ranksOf(db, ids.subarray(-MAX_RANKED_LINES))
  }
  const ranked: RankRow[] = []
  const hits = new Set<string>()
  for (const { id } of await db.all(SessionRow, selectSessions(filter, MAX_SESSIONS_READ))) {
    const range = await db.get(LineRange, selectLineRange(id))
    if (range === undefined) continue
    const inRange = ids.subarray(firstAtLeast(ids, range.first), firstAtLeast(ids, range.last + 1))
    const lines = await ranksOf(db, inRange.subarray(-MAX_LINES_PER_SESSION))
    const own = lines.filter((it) => it.session === id)
    ranked.push(...own)
    if (own.length > 0) hits.add(id)
    if (hits.size >= limit) break
  }
  return ranked
}

/** Of the comma-separated ids; numbers of their own kind, because a common word has 100,000. */
function ascendingIds(text: string): Float64Array {
  return text === "" ? new Float64Array() : Float64Array.from(text.split(","), Number).sort()
}

/** Index of the first id that is not smaller, in ascending ids. */
function firstAtLeast(ids: Float64Array, id: number): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] ?? id) < id) low = middle + 1
    else high = middle
  }
  return low
}

async function ranksOf(db: SessionsDb, ids: Float64Array): Promise<readonly RankRow[]> {
  return ids.length === 0 ? [] : db.all(RankRow, selectRanks([...ids]))
}
