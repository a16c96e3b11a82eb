import { promisify } from "node:util"
import { deflateRaw, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { type Clock, giveOthersATurn, type Ids, type Log, type ProcessIdentity } from "#ground/base"
import { GatewayRequest, ProxiedSession, WireItem } from "#ground/contract"
import { type Db, jsonColumn } from "#ground/store"

const ROWS_PER_TURN = 50

/** Below it, compression costs more than it saves. */
const SHORTEST_COMPRESSED_BYTES = 1_000

/** The largest bodies of hosts have 35 MB. */
const LARGEST_UNPACKED_BYTES = 128 * 1024 ** 2

const PLAIN = 0
const COMPRESSED = 1

const deflate = promisify(deflateRaw)

/**
 * As JSON, so that NUL and lone surrogates survive; long values are compressed off this thread. The
 * first byte tells which.
 */
export async function pack(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(JSON.stringify(value))
  const isShort = bytes.length < SHORTEST_COMPRESSED_BYTES
  const body = isShort ? bytes : await deflate(bytes, { level: 1 })
  const packed = new Uint8Array(body.length + 1)
  packed[0] = isShort ? PLAIN : COMPRESSED
  packed.set(body, 1)
  return packed
}

function unpack<Schema extends z.ZodType>(schema: Schema, packed: Uint8Array): z.output<Schema> {
  const bytes = packed.subarray(1)
  const limit = { maxOutputLength: LARGEST_UNPACKED_BYTES }
  const plain = packed[0] === PLAIN ? Buffer.from(bytes) : inflateRawSync(bytes, limit)
  const value: unknown = JSON.parse(plain.toString("utf8"))
  return schema.parse(value)
}

export async function mapInTurns<Row, Value>(
  rows: readonly Row[],
  one: (row: Row) => Value,
): Promise<readonly Value[]> {
  const values: Value[] = []
  for (const [at, row] of rows.entries()) {
    values.push(one(row))
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await giveOthersATurn()
  }
  return values
}

const Packed = z.instanceof(Uint8Array)

export const Owner = z.object({
  pid: z.int(),
  startedAt: z.string(),
  machine: z.string(),
})
export type Owner = z.infer<typeof Owner>

/** The options of a session; they never change. */
export const ProxiedSessionFacts = ProxiedSession.pick({
  title: true,
  host: true,
  wire: true,
  mode: true,
  hasContent: true,
  workingDirectory: true,
  upstream: true,
  notice: true,
})
export type ProxiedSessionFacts = z.infer<typeof ProxiedSessionFacts>

export const ProxiedSessionRow = z
  .object({
    id: z.string(),
    run: z.string().nullable(),
    started_at: z.int(),
    ended_at: z.int().nullable(),
    latched_off: z.string().nullable(),
    owner: jsonColumn(Owner),
    body: jsonColumn(ProxiedSessionFacts),
    requests: z.int(),
    folds: z.int(),
  })
  .transform((row) => ({
    id: row.id,
    run: row.run,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    latchedOff: row.latched_off,
    owner: row.owner,
    facts: row.body,
    requests: row.requests,
    folds: row.folds,
  }))
export type ProxiedSessionRow = z.infer<typeof ProxiedSessionRow>

const Headers = z.array(z.object({ name: z.string(), value: z.string() }))

/** The fields without a column. */
export const RequestBody = GatewayRequest.omit({
  proxiedSession: true,
  seq: true,
  run: true,
}).extend({
  headers: Headers,
})

export const RequestRow = z.object({
  proxied_session: z.string(),
  seq: z.int(),
  run: z.string().nullable(),
  body: Packed,
})
type RequestRow = z.infer<typeof RequestRow>

export function requestOf({ proxied_session: proxiedSession, seq, run, body }: RequestRow): {
  readonly request: GatewayRequest
  readonly headers: z.infer<typeof Headers>
} {
  const { headers, ...rest } = unpack(RequestBody, body)
  return { request: { proxiedSession, seq, run, ...rest }, headers }
}

export const LinkRow = z
  .object({ seq: z.int(), before_seq: z.int().nullable(), kept: z.int(), items: Packed })
  .transform((row) => ({
    seq: row.seq,
    beforeSeq: row.before_seq,
    kept: row.kept,
    items: row.items,
  }))
export type LinkRow = z.infer<typeof LinkRow>

const Items = z.array(WireItem)
export const itemsOf = (packed: Uint8Array): WireItem[] => unpack(Items, packed)

export const TextRow = z.object({ sha256: z.string(), body: Packed })
export const textOf = (packed: Uint8Array): string => unpack(z.string(), packed)

export const TotalsRow = z.object({
  requests: z.int(),
  unknown: z.int(),
  input: z.int(),
  output: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cost_usd: z.number().nullable(),
  unpriced: z.int(),
  saved_tokens: z.int(),
  saved_bytes: z.int(),
})

export const NumberedRow = z.object({
  seq: z.int(),
  run: z.string().nullable(),
  body: jsonColumn(ProxiedSessionFacts),
})
export const ChangedRow = z.object({ run: z.string().nullable() })
export const BaseRow = z.object({ base_seq: z.int() })
export const WhereRow = z.object({
  proxied_session: z.string(),
  seq: z.int(),
  conversation: z.string(),
})
export const OpenRow = z.object({ id: z.string(), owner: jsonColumn(Owner) })
export const LatchRow = z.object({ session: z.string(), reason: z.string() })
export const MomentRow = z.object({ at: z.int() })
export const IdRow = z.object({ id: z.string() })
export const EndedRow = z.object({ id: z.string(), ended_at: z.int() })

export type StoreDeps = {
  readonly db: Db<"gateway">
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly owner: Owner
  isAlive(identity: ProcessIdentity): boolean
  root(): string
  keepRequests(): number
  /** Lost tokens from which a cache miss is an event; 0 never. */
  cacheAlertTokens(): number
}

/** Processes of other machines count as alive until they report their end. */
export function isThere(owner: Owner, deps: Pick<StoreDeps, "owner" | "isAlive">): boolean {
  if (owner.machine !== deps.owner.machine) return true
  const startedAt = owner.startedAt === "" ? undefined : owner.startedAt
  return deps.isAlive({ pid: owner.pid, startedAt })
}

export function proxiedSessionOf(
  row: ProxiedSessionRow,
  deps: Pick<StoreDeps, "owner" | "isAlive">,
): ProxiedSession {
  const { owner, facts, ...fields } = row
  return { ...facts, ...fields, isAlive: row.endedAt === null && isThere(owner, deps) }
}
