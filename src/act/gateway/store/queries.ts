import { join, type Sql, sql } from "#ground/store"
import type { Owner, ProxiedSessionFacts } from "./rows.ts"

export type SessionKey = { readonly root: string; readonly id: string }

type NewProxiedSession = SessionKey & {
  readonly run: string | null
  readonly startedAt: number
  readonly owner: Owner
  readonly facts: ProxiedSessionFacts
}

export const insertProxiedSession = (it: NewProxiedSession): Sql => sql`
  INSERT INTO gateway_sessions (id, root, run, host, directory, started_at, ended_at, latched_off,
    last_seq, owner, body)
  VALUES (${it.id}, ${it.root}, ${it.run}, ${it.facts.host}, ${it.facts.workingDirectory},
    ${it.startedAt}, NULL, NULL, 0, ${JSON.stringify(it.owner)}, ${JSON.stringify(it.facts)})`

/** Unique also when requests are recorded concurrently. */
export const nextSeq = ({ root, id }: SessionKey): Sql => sql`
  UPDATE gateway_sessions SET last_seq = last_seq + 1 WHERE id = ${id} AND root = ${root}
  RETURNING last_seq AS seq, run, body`

export const setLatchedOff = ({ root, id }: SessionKey, reason: string): Sql => sql`
  UPDATE gateway_sessions SET latched_off = coalesce(latched_off, ${reason})
  WHERE id = ${id} AND root = ${root} RETURNING run`

type NewLatch = {
  readonly root: string
  readonly session: string
  readonly at: number
  readonly reason: string
}

export const insertLatch = ({ root, session, at, reason }: NewLatch): Sql => sql`
  INSERT INTO gateway_latches (root, session, at, reason)
  VALUES (${root}, ${session}, ${at}, ${reason}) ON CONFLICT (root, session) DO NOTHING`

export const selectLatches = (root: string, limit: number): Sql => sql`
  SELECT session, reason FROM gateway_latches WHERE root = ${root}
  ORDER BY at DESC, session LIMIT ${limit}`

export const deleteLatches = (root: string, before: number): Sql => sql`
  DELETE FROM gateway_latches WHERE root = ${root} AND at < ${before}`

export const deleteMasks = (root: string, before: number): Sql => sql`
  DELETE FROM gateway_masks WHERE root = ${root} AND at < ${before}`

export const setEnded = ({ root, id }: SessionKey, at: number): Sql => sql`
  UPDATE gateway_sessions SET ended_at = ${at}
  WHERE id = ${id} AND root = ${root} AND ended_at IS NULL RETURNING run`

export const selectIdsOfRun = (root: string, run: string, limit: number): Sql => sql`
  SELECT id FROM gateway_sessions WHERE root = ${root} AND run = ${run} LIMIT ${limit}`

export const selectOpen = (root: string): Sql => sql`
  SELECT id, owner FROM gateway_sessions WHERE root = ${root} AND ended_at IS NULL`

/** How a request counts for the window of its run. */
export const STANDINGS = { none: 0, aside: 1, main: 2 } as const

type NewRequest = {
  readonly root: string
  readonly proxiedSession: string
  readonly seq: number
  readonly at: number
  readonly conversation: string
  readonly standing: number
  readonly outcome: string
  readonly baseSeq: number
  readonly beforeSeq: number | null
  readonly kept: number
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  } | null
  readonly costUsd: number | null
  readonly savedTokens: number
  readonly savedBytes: number
  readonly body: Uint8Array
  readonly items: Uint8Array
}

export const insertRequest = (it: NewRequest): Sql => sql`
  INSERT INTO gateway_requests (proxied_session, seq, root, at, conversation, standing, outcome, base_seq,
    before_seq, kept, input, output, cache_read, cache_write, cost_usd, saved_tokens, saved_bytes,
    body, items)
  VALUES (${it.proxiedSession}, ${it.seq}, ${it.root}, ${it.at}, ${it.conversation}, ${it.standing},
    ${it.outcome}, ${it.baseSeq}, ${it.beforeSeq}, ${it.kept}, ${it.usage?.input ?? null},
    ${it.usage?.output ?? null}, ${it.usage?.cacheRead ?? null}, ${it.usage?.cacheWrite ?? null},
    ${it.costUsd}, ${it.savedTokens}, ${it.savedBytes}, ${it.body}, ${it.items})`

export type NewText = { readonly sha256: string; readonly body: Uint8Array }

export const insertTexts = ({ root, id }: SessionKey, texts: readonly NewText[]): Sql => sql`
  INSERT INTO gateway_texts (proxied_session, sha256, root, body)
  VALUES ${join(texts.map((it) => sql`(${id}, ${it.sha256}, ${root}, ${it.body})`))}
  ON CONFLICT (proxied_session, sha256) DO NOTHING`

export const selectBase = ({ root, id }: SessionKey, seq: number): Sql => sql`
  SELECT base_seq FROM gateway_requests
  WHERE proxied_session = ${id} AND seq = ${seq} AND root = ${root}`

const among = (ids: readonly string[]): Sql => sql`(${join(ids.map((it) => sql`${it}`))})`

export const deleteTexts = (root: string, sessionIds: readonly string[]): Sql => sql`
  DELETE FROM gateway_texts WHERE root = ${root} AND proxied_session IN ${among(sessionIds)}`

export const deleteRequests = (root: string, sessionIds: readonly string[]): Sql => sql`
  DELETE FROM gateway_requests WHERE root = ${root} AND proxied_session IN ${among(sessionIds)}`

export const deleteProxiedSessions = (root: string, sessionIds: readonly string[]): Sql => sql`
  DELETE FROM gateway_sessions WHERE root = ${root} AND id IN ${among(sessionIds)}`

/** The time of the oldest request to keep, if there are more. */
export const selectOldestKept = (root: string, most: number): Sql => sql`
  SELECT at FROM gateway_requests r WHERE r.root = ${root}
    AND (SELECT count(*) FROM gateway_requests a WHERE a.root = ${root}) > ${most}
  ORDER BY at DESC LIMIT 1 OFFSET ${most - 1}`

type AgeQuery = { readonly root: string; readonly before: number; readonly limit: number }

/** Whole chains: one remaining request needs them all. */
export const deleteOldChains = ({ root, before, limit }: AgeQuery): Sql => sql`
  DELETE FROM gateway_requests WHERE root = ${root} AND (proxied_session, base_seq) IN (
    SELECT proxied_session, base_seq FROM gateway_requests WHERE root = ${root}
    GROUP BY proxied_session, base_seq HAVING max(at) < ${before}
    ORDER BY max(at), proxied_session, base_seq LIMIT ${limit})`

export const selectEmptied = (root: string, limit: number): Sql => sql`
  SELECT id, ended_at FROM gateway_sessions c WHERE c.root = ${root} AND c.ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM gateway_requests r WHERE r.proxied_session = c.id)
  ORDER BY c.ended_at, c.id LIMIT ${limit}`

const PROXIED_SESSION = sql`c.id, c.run, c.started_at, c.ended_at, c.latched_off, c.owner, c.body,
  (SELECT count(*) FROM gateway_requests r WHERE r.proxied_session = c.id) AS requests,
  (SELECT count(*) FROM gateway_requests r WHERE r.proxied_session = c.id AND r.saved_bytes > 0) AS folds`

const hasConversation = (root: string, conversation: string): Sql => sql`c.id IN (
    SELECT r.proxied_session FROM gateway_requests r
    WHERE r.root = ${root} AND r.conversation = ${conversation})`

type SessionQuery = {
  readonly root: string
  readonly run?: string | undefined
  readonly conversation?: string | undefined
  readonly limit: number
}

export const selectProxiedSessions = ({ root, run, conversation, limit }: SessionQuery): Sql => sql`
  SELECT ${PROXIED_SESSION} FROM gateway_sessions c
  WHERE c.root = ${root} AND ${run === undefined ? sql`1 = 1` : sql`c.run = ${run}`}
    AND ${conversation === undefined ? sql`1 = 1` : hasConversation(root, conversation)}
  ORDER BY c.started_at DESC, c.id DESC LIMIT ${limit}`

export const selectProxiedSession = ({ root, id }: SessionKey): Sql => sql`
  SELECT ${PROXIED_SESSION} FROM gateway_sessions c WHERE c.id = ${id} AND c.root = ${root}`

const REQUEST = sql`r.proxied_session, r.seq, c.run, r.body FROM gateway_requests r
  JOIN gateway_sessions c ON c.id = r.proxied_session AND c.root = r.root`

type OfProxiedSessions = {
  readonly root: string
  readonly sessionIds: readonly string[]
  readonly limit: number
}

export const selectRequests = ({ root, sessionIds, limit }: OfProxiedSessions): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.proxied_session IN ${among(sessionIds)}
  ORDER BY r.at DESC, r.proxied_session DESC, r.seq DESC LIMIT ${limit}`

export const selectRequest = ({ root, id }: SessionKey, seq: number): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.proxied_session = ${id} AND r.seq = ${seq}`

/** The newest answers whose provider reported their size. */
export const selectNewestUsages = (root: string, limit: number): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.outcome = 'answered' AND r.input IS NOT NULL
  ORDER BY r.at DESC, r.seq DESC LIMIT ${limit}`

/** Postgres widens the type of a sum. */
const sum = (column: Sql): Sql => sql`CAST(coalesce(sum(${column}), 0) AS BIGINT)`

export const selectTotals = (root: string, sessionIds: readonly string[]): Sql => sql`
  SELECT count(*) AS requests, count(*) - count(input) AS unknown, ${sum(sql`input`)} AS input,
    ${sum(sql`output`)} AS output, ${sum(sql`cache_read`)} AS cache_read,
    ${sum(sql`cache_write`)} AS cache_write, sum(cost_usd) AS cost_usd,
    ${sum(sql`CASE WHEN cost_usd IS NULL AND input + cache_read + cache_write + output > 0 THEN 1 ELSE 0 END`)} AS unpriced,
    ${sum(sql`saved_tokens`)} AS saved_tokens, ${sum(sql`saved_bytes`)} AS saved_bytes
  FROM gateway_requests WHERE root = ${root} AND proxied_session IN ${among(sessionIds)}`

export const selectLinks = ({ root, id }: SessionKey, seq: number): Sql => sql`
  SELECT seq, before_seq, kept, items FROM gateway_requests
  WHERE root = ${root} AND proxied_session = ${id} AND seq <= ${seq} AND base_seq =
    (SELECT base_seq FROM gateway_requests WHERE proxied_session = ${id} AND seq = ${seq})
  ORDER BY seq`

export const selectTexts = ({ root, id }: SessionKey, hashes: readonly string[]): Sql => sql`
  SELECT sha256, body FROM gateway_texts
  WHERE root = ${root} AND proxied_session = ${id} AND sha256 IN ${among(hashes)}`

/** The newest answer with a known size; requests with tools are the main conversation. */
export const selectNewestAnswered = (root: string, run: string): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND c.run = ${run} AND r.outcome = 'answered'
    AND r.standing > ${STANDINGS.none} AND r.input IS NOT NULL
  ORDER BY r.standing DESC, r.at DESC, r.seq DESC LIMIT 1`

type FolderQuery = {
  readonly root: string
  readonly workingDirectory: string
  readonly host: string
}

export const selectNewestOfPlace = ({ root, workingDirectory, host }: FolderQuery): Sql => sql`
  SELECT r.proxied_session, r.seq, r.conversation FROM gateway_requests r
  JOIN gateway_sessions c ON c.id = r.proxied_session AND c.root = r.root
  WHERE r.root = ${root} AND c.directory = ${workingDirectory} AND c.host = ${host}
    AND r.standing > ${STANDINGS.none}
  ORDER BY r.standing DESC, r.at DESC, r.seq DESC LIMIT 1`

export const selectFirst = ({ root, id }: SessionKey, conversation: string): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.proxied_session = ${id}
    AND r.conversation = ${conversation} AND r.standing > ${STANDINGS.none}
  ORDER BY r.standing DESC, r.seq LIMIT 1`

export const selectLast = (root: string, conversation: string): Sql => sql`
  SELECT r.proxied_session, r.seq, r.conversation FROM gateway_requests r
  WHERE r.root = ${root} AND r.conversation = ${conversation} AND r.standing > ${STANDINGS.none}
  ORDER BY r.at DESC, r.seq DESC LIMIT 1`
