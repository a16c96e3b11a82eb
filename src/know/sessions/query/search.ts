import type { SessionHit, SessionsSearch } from "#ground/contract"
import { QueryWithoutWords } from "../errors.ts"
import {
  LineRow,
  LineSessionRow,
  MatchRow,
  type SessionFilter,
  SessionRow,
  type SessionsDb,
  selectLinesById,
  selectMatches,
  selectSessionsById,
  selectSessionsOfLines,
  shownLine,
} from "../queries.ts"
import { excerptOf, queryWords } from "./words.ts"

/** Matching lines that are ranked, the newest; keeps a search of a common word fast. */
const MAX_RANKED_LINES = 2_000

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
  const options = { dialect: db.dialect, limit: MAX_RANKED_LINES, filter }
  const matches = await db.all(MatchRow, selectMatches(words, options))
  if (matches.length === 0) return { hits: [], matches: 0, words: [...words] }
  // Lower scores are better; of equal ones the newer line.
  const ranked = matches.toSorted((a, b) => a.score - b.score || b.id - a.id)
  const ids = ranked.map((it) => it.id)
  const sessionOf = new Map(
    (await db.all(LineSessionRow, selectSessionsOfLines(ids))).map((it) => [it.id, it.session]),
  )
  const counts = new Map<string, number>()
  const chosen: number[] = []
  for (const id of ids) {
    const session = sessionOf.get(id) ?? ""
    const isFirst = !counts.has(session)
    counts.set(session, (counts.get(session) ?? 0) + 1)
    if (chosen.length < limit && (isFirst || filter.session !== undefined)) chosen.push(id)
  }
  const lines = new Map((await db.all(LineRow, selectLinesById(chosen))).map((it) => [it.id, it]))
  const sessionIds = [...new Set(chosen.map((id) => sessionOf.get(id) ?? ""))]
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
