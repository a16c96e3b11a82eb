import { z } from "zod"
import {
  AgentType,
  type RemoteMessage,
  RemoteMode,
  RemoteRepository,
  RemoteState,
  type SharedItem,
  SharedKind,
} from "#ground/contract"
import { jsonColumn, type Sql, sql } from "#ground/store"

export const RunnerRow = z.object({
  id: z.string(),
  personId: z.string(),
  person: z.string(),
  name: z.string(),
  repositories: jsonColumn(z.array(RemoteRepository)),
  seenAt: z.int(),
  /** By the database's clock, because another node may have noted the time. */
  ageMs: z.int(),
})
export type RunnerRow = z.infer<typeof RunnerRow>

const runners = (now: Sql): Sql => sql`SELECT id, person_id AS "personId", person, name,
  repositories, seen_at AS "seenAt", ${now} - seen_at AS "ageMs" FROM remote_runners`

export const selectRunners = (now: Sql): Sql => sql`${runners(now)} ORDER BY name, id`
export const selectRunner = (id: string, now: Sql): Sql => sql`${runners(now)} WHERE id = ${id}`

export const upsertRunner = (
  row: Omit<RunnerRow, "ageMs" | "repositories" | "seenAt"> & { repositories: string },
  now: Sql,
): Sql =>
  sql`INSERT INTO remote_runners (id, person_id, person, name, repositories, seen_at) VALUES
    (${row.id}, ${row.personId}, ${row.person}, ${row.name}, ${row.repositories}, ${now})
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, repositories = excluded.repositories,
    seen_at = excluded.seen_at`

export const noteSeen = (id: string, now: Sql): Sql => sql`
  UPDATE remote_runners SET seen_at = ${now} WHERE id = ${id}`

export const RemoteRunRow = z.object({
  id: z.string(),
  runner: z.string(),
  repository: z.string(),
  type: AgentType,
  prompt: z.string(),
  mode: RemoteMode,
  requestedBy: z.string(),
  state: RemoteState,
  note: z.string(),
  stopWanted: z.int(),
  lastSeq: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export type RemoteRunRow = z.infer<typeof RemoteRunRow>

const RUN = sql`SELECT id, runner, repository, type, prompt, mode, requested_by AS "requestedBy",
  state, note, stop_wanted AS "stopWanted", last_seq AS "lastSeq", created_at AS "createdAt",
  updated_at AS "updatedAt" FROM remote_runs`

export const selectRun = (id: string): Sql => sql`${RUN} WHERE id = ${id}`
export const selectRuns = (limit: number): Sql => sql`
  ${RUN} ORDER BY created_at DESC, id DESC LIMIT ${limit}`
export const selectOpenRuns = (runner: string): Sql => sql`
  ${RUN} WHERE runner = ${runner} AND state IN ('waiting', 'running') ORDER BY created_at, id`

export const insertRun = (row: RemoteRunRow): Sql => sql`
  INSERT INTO remote_runs (id, runner, repository, type, prompt, mode, requested_by, state, note,
    stop_wanted, last_seq, created_at, updated_at) VALUES
    (${row.id}, ${row.runner}, ${row.repository}, ${row.type}, ${row.prompt}, ${row.mode},
    ${row.requestedBy}, ${row.state}, ${row.note}, ${row.stopWanted}, ${row.lastSeq},
    ${row.createdAt}, ${row.updatedAt})`

/** An ended run stays ended. */
export const setRunState = (
  id: string,
  it: { readonly state: RemoteState; readonly note: string; readonly at: number },
): Sql => sql`UPDATE remote_runs SET state = ${it.state}, note = ${it.note}, updated_at = ${it.at}
  WHERE id = ${id} AND state IN ('waiting', 'running')`

export const wantStop = (id: string, at: number): Sql => sql`
  UPDATE remote_runs SET stop_wanted = 1, updated_at = ${at} WHERE id = ${id}`

export const noteLastSeq = (id: string, seq: number, at: number): Sql => sql`
  UPDATE remote_runs SET last_seq = ${seq}, updated_at = ${at} WHERE id = ${id} AND last_seq < ${seq}`

export const insertMessage = (run: string, it: RemoteMessage): Sql => sql`
  INSERT INTO remote_messages (run, seq, kind, text, at) VALUES
    (${run}, ${it.seq}, ${it.kind}, ${it.text}, ${it.at}) ON CONFLICT (run, seq) DO NOTHING`

export const MessageRow = z.object({
  seq: z.int(),
  kind: z.string(),
  text: z.string(),
  at: z.int(),
})
export const selectMessages = (run: string, after: number, limit: number): Sql => sql`
  SELECT seq, kind, text, at FROM remote_messages WHERE run = ${run} AND seq > ${after}
  ORDER BY seq LIMIT ${limit}`

export const upsertItem = (runner: string, it: SharedItem, at: number): Sql => sql`
  INSERT INTO remote_items (runner, repository, kind, id, title, text, at) VALUES
    (${runner}, ${it.repository}, ${it.kind}, ${it.id}, ${it.title}, ${it.text}, ${at})
  ON CONFLICT (runner, repository, kind, id) DO UPDATE SET title = excluded.title,
    text = excluded.text, at = excluded.at`

/** For a kind that the runner no longer shares. */
export const removeItems = (runner: string, repository: string, kind: string): Sql => sql`
  DELETE FROM remote_items WHERE runner = ${runner} AND repository = ${repository}
    AND kind = ${kind}`

export const ItemRow = z.object({
  runner: z.string(),
  repository: z.string(),
  kind: SharedKind,
  id: z.string(),
  title: z.string(),
  text: z.string(),
  at: z.int(),
})
export const ItemKindRow = z.object({ repository: z.string(), kind: z.string() })
export const selectItemKinds = (runner: string): Sql => sql`
  SELECT DISTINCT repository, kind FROM remote_items WHERE runner = ${runner}`
export const selectItems = (runner: string | undefined, limit: number): Sql =>
  runner === undefined
    ? sql`SELECT runner, repository, kind, id, title, text, at FROM remote_items
        ORDER BY at DESC, id LIMIT ${limit}`
    : sql`SELECT runner, repository, kind, id, title, text, at FROM remote_items
        WHERE runner = ${runner} ORDER BY at DESC, id LIMIT ${limit}`
