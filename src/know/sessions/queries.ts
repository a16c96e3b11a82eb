import { z } from "zod"
import { estimateTokens } from "#ground/base"
import { type SessionLine, SessionRole, TranscriptHost } from "#ground/contract"
import { type Db, join, type Sql, sql } from "#ground/store"

export type SessionsDb = Db<"sessions">

const Total = z.coerce.number()

export const SessionRow = z.object({
  id: z.string(),
  host: TranscriptHost,
  title: z.string(),
  cwd: z.string().nullable(),
  repository: z.string().nullable(),
  branch: z.string().nullable(),
  version: z.string().nullable(),
  started_at: z.int().nullable(),
  ended_at: z.int().nullable(),
  turns: z.int(),
  window_tokens: z.int().nullable(),
})
export type SessionRow = z.infer<typeof SessionRow>

export const FileRow = z.object({
  file: z.string(),
  session: z.string(),
  agent: z.string(),
  inode: z.string(),
  size_bytes: z.int(),
  modified_at: z.int(),
  position: z.int(),
  head: z.string(),
  state: z.string(),
  problem: z.string().nullable(),
})
export type FileRow = z.infer<typeof FileRow>

export type CallRow = {
  readonly session: string
  readonly call_key: string
  readonly file: string
  readonly agent: string
  readonly model: string
  readonly at: number
  readonly position: number
  readonly turn: number
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cache_write_hour: number
  readonly usd: number | null
  readonly prices: string
}

export const LineRow = z.object({
  id: z.int(),
  session: z.string(),
  file: z.string(),
  agent: z.string(),
  turn: z.int(),
  at: z.int(),
  role: SessionRole,
  tool: z.string().nullable(),
  size_bytes: z.int(),
  tokens: z.int(),
  body: z.string(),
})
export type LineRow = z.infer<typeof LineRow>

export const CompactionRow = z.object({
  file: z.string(),
  position: z.int(),
  session: z.string(),
  agent: z.string(),
  at: z.int(),
  turn: z.int(),
  cause: z.string(),
  tokens_before: z.int().nullable(),
  tokens_after: z.int().nullable(),
})
export type CompactionRow = z.infer<typeof CompactionRow>

export const PathRow = z.object({ path: z.string(), reads: Total, edits: Total })
export type PathRow = z.infer<typeof PathRow>

export const CountRow = z.object({ count: Total })
export const IdRow = z.object({ id: z.string() })

export const SpendRow = z.object({
  key: z.coerce.string(),
  calls: Total,
  input: Total,
  output: Total,
  cache_read: Total,
  cache_write: Total,
  cache_write_hour: Total,
  usd: z.number().nullable(),
  unpriced: Total,
})
export type SpendRow = z.infer<typeof SpendRow>

const SESSION = sql`id, host, title, cwd, repository, branch, version, started_at, ended_at, turns, window_tokens`
const FILE = sql`file, session, agent, inode, size_bytes, modified_at, position, head, state, problem`

export const selectFiles = (): Sql => sql`SELECT ${FILE} FROM session_files`
export const selectFile = (file: string): Sql =>
  sql`SELECT ${FILE} FROM session_files WHERE file = ${file}`
export const selectFilesOf = (session: string): Sql =>
  sql`SELECT ${FILE} FROM session_files WHERE session = ${session}`

/** States of the transcripts that were written last. */
export const selectNewestStates = (host: TranscriptHost): Sql => sql`
  SELECT f.state AS state FROM session_files f JOIN sessions s ON s.id = f.session
  WHERE s.host = ${host} AND f.agent = 'main' ORDER BY f.modified_at DESC LIMIT 20`
export const StateRow = z.object({ state: z.string() })

export const upsertFile = (it: FileRow): Sql => sql`
  INSERT INTO session_files (${FILE}) VALUES (${it.file}, ${it.session}, ${it.agent}, ${it.inode},
    ${it.size_bytes}, ${it.modified_at}, ${it.position}, ${it.head}, ${it.state}, ${it.problem})
  ON CONFLICT (file) DO UPDATE SET session = excluded.session, agent = excluded.agent,
    inode = excluded.inode, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
    position = excluded.position, head = excluded.head, state = excluded.state,
    problem = excluded.problem`

export const upsertSession = (it: SessionRow): Sql => sql`
  INSERT INTO sessions (${SESSION}) VALUES (${it.id}, ${it.host}, ${it.title}, ${it.cwd},
    ${it.repository}, ${it.branch}, ${it.version}, ${it.started_at}, ${it.ended_at}, ${it.turns},
    ${it.window_tokens})
  ON CONFLICT (id) DO UPDATE SET title = excluded.title, cwd = excluded.cwd,
    repository = excluded.repository, branch = excluded.branch, version = excluded.version,
    started_at = excluded.started_at, ended_at = excluded.ended_at, turns = excluded.turns,
    window_tokens = excluded.window_tokens`

/** For a sub-agent whose main transcript was not read yet. */
export const insertSessionIfMissing = (it: SessionRow): Sql => sql`
  INSERT INTO sessions (${SESSION}) VALUES (${it.id}, ${it.host}, ${it.title}, ${it.cwd},
    ${it.repository}, ${it.branch}, ${it.version}, ${it.started_at}, ${it.ended_at}, ${it.turns},
    ${it.window_tokens})
  ON CONFLICT (id) DO NOTHING`

/** A transcript that was replaced by another one: everything from it. */
export const deleteFileRows = (file: string, dialect: SessionsDb["dialect"]): readonly Sql[] => {
  const lines = sql`SELECT id FROM session_lines WHERE file = ${file}`
  return [
    dialect === "sqlite"
      ? sql`DELETE FROM session_words WHERE rowid IN (${lines})`
      : sql`DELETE FROM session_words WHERE line IN (${lines})`,
    sql`DELETE FROM session_lines WHERE file = ${file}`,
    sql`DELETE FROM session_calls WHERE file = ${file}`,
    sql`DELETE FROM session_compactions WHERE file = ${file}`,
    sql`DELETE FROM session_paths WHERE file = ${file}`,
  ]
}

export const selectLastLine = (): Sql =>
  sql`SELECT coalesce(max(id), 0) AS count FROM session_lines`

/** SQLite allows 32,766 values in a statement. */
const ROWS_PER_STATEMENT = 100

export function* inGroups<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    yield rows.slice(at, at + ROWS_PER_STATEMENT)
  }
}

export const insertLines = (rows: readonly LineRow[]): Sql => sql`
  INSERT INTO session_lines (id, session, file, agent, turn, at, role, tool, size_bytes, tokens,
    body)
  VALUES ${join(
    rows.map(
      (it) => sql`(${it.id}, ${it.session}, ${it.file}, ${it.agent}, ${it.turn}, ${it.at},
        ${it.role}, ${it.tool}, ${it.size_bytes}, ${it.tokens}, ${it.body})`,
    ),
  )}`

type WordsRow = { readonly id: number; readonly words: string }

export const insertWords = (rows: readonly WordsRow[], dialect: SessionsDb["dialect"]): Sql =>
  dialect === "sqlite"
    ? sql`INSERT INTO session_words (rowid, words)
        VALUES ${join(rows.map((it) => sql`(${it.id}, ${it.words})`))}`
    : sql`INSERT INTO session_words (line, words)
        VALUES ${join(rows.map((it) => sql`(${it.id}, to_tsvector('simple', ${it.words}))`))}`

/** Lines of one message repeat its usage; the last one has the complete output. */
export const upsertCalls = (rows: readonly CallRow[]): Sql => sql`
  INSERT INTO session_calls (session, call_key, file, agent, model, at, position, turn, input,
    output, cache_read, cache_write, cache_write_hour, usd, prices)
  VALUES ${join(
    rows.map(
      (it) => sql`(${it.session}, ${it.call_key}, ${it.file}, ${it.agent}, ${it.model}, ${it.at},
        ${it.position}, ${it.turn}, ${it.input}, ${it.output}, ${it.cache_read}, ${it.cache_write},
        ${it.cache_write_hour}, ${it.usd}, ${it.prices})`,
    ),
  )}
  ON CONFLICT (session, call_key) DO UPDATE SET input = excluded.input, output = excluded.output,
    cache_read = excluded.cache_read, cache_write = excluded.cache_write,
    cache_write_hour = excluded.cache_write_hour, usd = excluded.usd, prices = excluded.prices
    WHERE excluded.output >= session_calls.output`

export const insertCompactions = (rows: readonly CompactionRow[]): Sql => sql`
  INSERT INTO session_compactions (file, position, session, agent, at, turn, cause, tokens_before,
    tokens_after)
  VALUES ${join(
    rows.map(
      (it) => sql`(${it.file}, ${it.position}, ${it.session}, ${it.agent}, ${it.at}, ${it.turn},
        ${it.cause}, ${it.tokens_before}, ${it.tokens_after})`,
    ),
  )}
  ON CONFLICT (file, position) DO NOTHING`

export const addPaths = (
  { file, session }: { readonly file: string; readonly session: string },
  rows: readonly PathRow[],
): Sql => sql`
  INSERT INTO session_paths (file, path, session, reads, edits)
  VALUES ${join(rows.map((it) => sql`(${file}, ${it.path}, ${session}, ${it.reads}, ${it.edits})`))}
  ON CONFLICT (file, path) DO UPDATE SET reads = session_paths.reads + excluded.reads,
    edits = session_paths.edits + excluded.edits`

export type SessionFilter = {
  readonly host?: string | undefined
  readonly repository?: string | undefined
  readonly session?: string | undefined
}

export function sessionCondition({ host, repository, session }: SessionFilter): Sql {
  return join(
    [
      sql`1 = 1`,
      ...(host === undefined ? [] : [sql`s.host = ${host}`]),
      ...(repository === undefined ? [] : [sql`s.repository = ${repository}`]),
      ...(session === undefined ? [] : [sql`s.id = ${session}`]),
    ],
    sql` AND `,
  )
}

export const selectSessions = (filter: SessionFilter, limit: number): Sql => sql`
  SELECT ${SESSION} FROM sessions s WHERE ${sessionCondition(filter)}
  ORDER BY coalesce(ended_at, 0) DESC, id LIMIT ${limit}`

export const countSessions = (filter: SessionFilter): Sql =>
  sql`SELECT count(*) AS count FROM sessions s WHERE ${sessionCondition(filter)}`

export const countSessionsSince = (since: number, filter: SessionFilter): Sql =>
  sql`SELECT count(*) AS count FROM sessions s
    WHERE coalesce(s.ended_at, 0) >= ${since} AND ${sessionCondition(filter)}`

export const selectSession = (id: string): Sql =>
  sql`SELECT ${SESSION} FROM sessions WHERE id = ${id}`

/** Ids between the prefix and its last possible continuation: no pattern, so nothing to escape. */
export const selectIdsFrom = (prefix: string): Sql =>
  sql`SELECT id FROM sessions WHERE id >= ${prefix} AND id < ${`${prefix}\uffff`} ORDER BY id LIMIT 10`

export type LineFilter = {
  readonly after: number
  readonly agent?: string | undefined
  readonly from?: number | undefined
  readonly until?: number | undefined
}

export const selectLines = (
  session: string,
  { after, agent, from, until }: LineFilter,
  limit: number,
): Sql => sql`
  SELECT id, session, file, agent, turn, at, role, tool, size_bytes, tokens, body
  FROM session_lines WHERE session = ${session} AND id > ${after}
    ${agent === undefined ? sql`` : sql`AND agent = ${agent}`}
    ${from === undefined ? sql`` : sql`AND at >= ${from}`}
    ${until === undefined ? sql`` : sql`AND at < ${until}`}
  ORDER BY id LIMIT ${limit}`

/** Sizes of the tool results of one agent, for the estimate of what fills its window. */
export const selectResultSizes = (session: string, agent: string): Sql => sql`
  SELECT at, tool, tokens FROM session_lines
  WHERE session = ${session} AND agent = ${agent} AND role = 'result' ORDER BY at, id`
export const ResultSizeRow = z.object({ at: z.int(), tool: z.string().nullable(), tokens: z.int() })
export type ResultSizeRow = z.infer<typeof ResultSizeRow>

export const selectCompactions = (session: string): Sql => sql`
  SELECT file, position, session, agent, at, turn, cause, tokens_before, tokens_after
  FROM session_compactions WHERE session = ${session} ORDER BY at, position`

export const selectPaths = (session: string): Sql => sql`
  SELECT path, sum(reads) AS reads, sum(edits) AS edits FROM session_paths
  WHERE session = ${session} GROUP BY path ORDER BY edits DESC, reads DESC, path LIMIT 500`

export const ToolRow = z.object({ tool: z.string(), results: Total, bytes: Total, tokens: Total })

export const selectTools = (
  filter: SessionFilter,
  { since, until }: { readonly since: number; readonly until: number },
): Sql => sql`
  SELECT l.tool AS tool, count(*) AS results, sum(l.size_bytes) AS bytes, sum(l.tokens) AS tokens
  FROM session_lines l JOIN sessions s ON s.id = l.session
  WHERE l.role = 'result' AND l.tool IS NOT NULL AND l.at >= ${since} AND l.at < ${until}
    AND ${sessionCondition(filter)}
  GROUP BY l.tool ORDER BY tokens DESC, l.tool LIMIT 200`

/** Ids of the newest matching lines as one text: a row for each would take longer than the search. */
export const selectMatches = (
  words: readonly string[],
  {
    dialect,
    limit,
    filter,
  }: {
    readonly dialect: SessionsDb["dialect"]
    readonly limit: number
    readonly filter: SessionFilter
  },
): Sql => {
  const isFiltered = Object.values(filter).some((it) => it !== undefined)
  const line = dialect === "sqlite" ? sql`w.rowid` : sql`w.line`
  const joined = isFiltered
    ? sql`JOIN session_lines l ON l.id = ${line} JOIN sessions s ON s.id = l.session`
    : sql``
  const only = isFiltered ? sql`AND ${sessionCondition(filter)}` : sql``
  const newest = sql`ORDER BY ${line} DESC LIMIT ${limit}`
  if (dialect === "sqlite") {
    const match = words.map((it, at) => `"${it}"${at === words.length - 1 ? "*" : ""}`).join(" ")
    return sql`SELECT group_concat(m.id) AS ids FROM (SELECT w.rowid AS id FROM session_words w ${joined}
      WHERE session_words MATCH ${match} ${only} ${newest}) m`
  }
  const match = words.map((it, at) => `'${it}'${at === words.length - 1 ? ":*" : ""}`).join(" & ")
  return sql`SELECT string_agg(m.id::text, ',') AS ids FROM (SELECT w.line AS id
    FROM session_words w ${joined}
    WHERE w.words @@ to_tsquery('simple', ${match}) ${only} ${newest}) m`
}
export const MatchesRow = z.object({ ids: z.string().nullable() })

/** The first and the last line of a session; lines of others may be between them. */
export const selectLineRange = (session: string): Sql => sql`
  SELECT coalesce(min(id), 0) AS first, coalesce(max(id), 0) AS last FROM session_lines
  WHERE session = ${session}`
export const LineRange = z.object({ first: z.int(), last: z.int() })

export const selectRanks = (ids: readonly number[]): Sql => sql`
  SELECT id, session, role, size_bytes FROM session_lines
  WHERE id IN (${join(ids.map((it) => sql`${it}`))})`
export const RankRow = z.object({
  id: z.int(),
  session: z.string(),
  role: SessionRole,
  size_bytes: z.int(),
})
export type RankRow = z.infer<typeof RankRow>

export const selectLinesById = (ids: readonly number[]): Sql => sql`
  SELECT id, session, file, agent, turn, at, role, tool, size_bytes, tokens, body
  FROM session_lines WHERE id IN (${join(ids.map((it) => sql`${it}`))})`

export const selectSessionsById = (ids: readonly string[]): Sql =>
  sql`SELECT ${SESSION} FROM sessions WHERE id IN (${join(ids.map((it) => sql`${it}`))})`

export function shownLine(row: LineRow): SessionLine {
  const { id, turn, at, role, agent, tool, size_bytes: sizeBytes, body: text } = row
  return { id, turn, at, role, agent, tool, sizeBytes, tokens: tokensOf(row), text }
}

/** Results were estimated when they were indexed; of other lines the stored part is scaled up. */
function tokensOf({ role, tokens, size_bytes: sizeBytes, body }: LineRow): number {
  if (role === "result") return tokens
  const scale = Math.max(1, sizeBytes / Math.max(1, Buffer.byteLength(body)))
  return Math.round(estimateTokens(body, "claude") * scale)
}
