import { join, type Sql, sql } from "#ground/store"
import { type Own, STANDINGS } from "./queries.ts"

const CARRY = sql`c.id, c.run, c.started_at, c.ended_at, c.latched_off, c.owner, c.body,
  (SELECT count(*) FROM gateway_requests r WHERE r.carry = c.id) AS requests,
  (SELECT count(*) FROM gateway_requests r WHERE r.carry = c.id AND r.saved_bytes > 0) AS folds`

type Wanted = { readonly root: string; readonly run?: string | undefined; readonly limit: number }

export const selectCarries = ({ root, run, limit }: Wanted): Sql => sql`
  SELECT ${CARRY} FROM gateway_carries c
  WHERE c.root = ${root} AND ${run === undefined ? sql`1 = 1` : sql`c.run = ${run}`}
  ORDER BY c.started_at DESC, c.id DESC LIMIT ${limit}`

export const selectCarry = ({ root, id }: Own): Sql => sql`
  SELECT ${CARRY} FROM gateway_carries c WHERE c.id = ${id} AND c.root = ${root}`

const among = (ids: readonly string[]): Sql => sql`(${join(ids.map((it) => sql`${it}`))})`

const REQUEST = sql`r.carry, r.seq, c.run, r.body FROM gateway_requests r
  JOIN gateway_carries c ON c.id = r.carry AND c.root = r.root`

type OfCarries = {
  readonly root: string
  readonly carries: readonly string[]
  readonly limit: number
}

export const selectRequests = ({ root, carries, limit }: OfCarries): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.carry IN ${among(carries)}
  ORDER BY r.at DESC, r.carry DESC, r.seq DESC LIMIT ${limit}`

export const selectRequest = ({ root, id }: Own, seq: number): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.carry = ${id} AND r.seq = ${seq}`

/** A sum has a wider type on one of the two databases. */
const sum = (column: Sql): Sql => sql`CAST(coalesce(sum(${column}), 0) AS BIGINT)`

export const selectTotals = (root: string, carries: readonly string[]): Sql => sql`
  SELECT count(*) AS requests, count(*) - count(input) AS unknown, ${sum(sql`input`)} AS input,
    ${sum(sql`output`)} AS output, ${sum(sql`cache_read`)} AS cache_read,
    ${sum(sql`cache_write`)} AS cache_write, sum(cost_usd) AS cost_usd,
    ${sum(sql`saved_tokens`)} AS saved_tokens, ${sum(sql`saved_bytes`)} AS saved_bytes
  FROM gateway_requests WHERE root = ${root} AND carry IN ${among(carries)}`

/** What a list can lean on: it and what is older on the same whole list. */
export const selectLinks = ({ root, id }: Own, seq: number): Sql => sql`
  SELECT seq, before_seq, kept, items FROM gateway_requests
  WHERE root = ${root} AND carry = ${id} AND seq <= ${seq} AND base_seq =
    (SELECT base_seq FROM gateway_requests WHERE carry = ${id} AND seq = ${seq})
  ORDER BY seq`

export const selectTexts = ({ root, id }: Own, hashes: readonly string[]): Sql => sql`
  SELECT sha256, body FROM gateway_texts
  WHERE root = ${root} AND carry = ${id} AND sha256 IN ${among(hashes)}`

/** The newest answer whose size the provider told; one that has tools is the conversation itself. */
export const selectNewestAnswered = (root: string, run: string): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND c.run = ${run} AND r.outcome = 'answered'
    AND r.standing > ${STANDINGS.none} AND r.input IS NOT NULL
  ORDER BY r.standing DESC, r.at DESC, r.seq DESC LIMIT 1`

type Place = {
  readonly root: string
  readonly workingDirectory: string
  readonly host: string
}

export const selectNewestOfPlace = ({ root, workingDirectory, host }: Place): Sql => sql`
  SELECT r.carry, r.seq, r.conversation FROM gateway_requests r
  JOIN gateway_carries c ON c.id = r.carry AND c.root = r.root
  WHERE r.root = ${root} AND c.directory = ${workingDirectory} AND c.host = ${host}
    AND r.standing > ${STANDINGS.none}
  ORDER BY r.standing DESC, r.at DESC, r.seq DESC LIMIT 1`

/** How its conversation began, as far as that is kept. */
export const selectFirst = ({ root, id }: Own, conversation: string): Sql => sql`
  SELECT ${REQUEST} WHERE r.root = ${root} AND r.carry = ${id}
    AND r.conversation = ${conversation} AND r.standing > ${STANDINGS.none}
  ORDER BY r.standing DESC, r.seq LIMIT 1`

/** Where a conversation was heard last, in whichever carry. */
export const selectLast = (root: string, conversation: string): Sql => sql`
  SELECT r.carry, r.seq, r.conversation FROM gateway_requests r
  WHERE r.root = ${root} AND r.conversation = ${conversation} AND r.standing > ${STANDINGS.none}
  ORDER BY r.at DESC, r.seq DESC LIMIT 1`
