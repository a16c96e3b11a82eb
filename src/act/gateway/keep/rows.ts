import { z } from "zod"
import { GatewayCarry, GatewayRequest, WireItem } from "#ground/contract"
import { json, Packed, unpack } from "./packed.ts"

/** Which process carries; it is asked after when somebody looks. */
export const Owner = z.object({
  pid: z.int(),
  startedAt: z.string(),
  machine: z.string(),
})
export type Owner = z.infer<typeof Owner>

/** What a carry was opened with; it never changes. */
export const CarryFacts = GatewayCarry.pick({
  title: true,
  host: true,
  wire: true,
  mode: true,
  hasContent: true,
  workingDirectory: true,
  upstream: true,
})
export type CarryFacts = z.infer<typeof CarryFacts>

export const CarryRow = z
  .object({
    id: z.string(),
    run: z.string().nullable(),
    started_at: z.int(),
    ended_at: z.int().nullable(),
    latched_off: z.string().nullable(),
    owner: json(Owner),
    body: json(CarryFacts),
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
export type CarryRow = z.infer<typeof CarryRow>

const Headers = z.array(z.object({ name: z.string(), value: z.string() }))

/** What of a request is no column, and what stands in one and is not asked for by itself. */
export const RequestBody = GatewayRequest.omit({ carry: true, seq: true, run: true }).extend({
  headers: Headers,
})

export const RequestRow = z.object({
  carry: z.string(),
  seq: z.int(),
  run: z.string().nullable(),
  body: Packed,
})
type RequestRow = z.infer<typeof RequestRow>

export function requestOf({ carry, seq, run, body }: RequestRow): {
  readonly request: GatewayRequest
  readonly headers: z.infer<typeof Headers>
} {
  const { headers, ...rest } = unpack(RequestBody, body)
  return { request: { carry, seq, run, ...rest }, headers }
}

/** A link of a chain: what a request has more than the one before it. */
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
  saved_tokens: z.int(),
  saved_bytes: z.int(),
})

export const NumberedRow = z.object({
  seq: z.int(),
  run: z.string().nullable(),
  body: json(CarryFacts),
})
export const ChangedRow = z.object({ run: z.string().nullable() })
export const BaseRow = z.object({ base_seq: z.int() })
export const WhereRow = z.object({ carry: z.string(), seq: z.int(), conversation: z.string() })
export const OpenRow = z.object({ id: z.string(), owner: json(Owner) })
export const LatchRow = z.object({ session: z.string(), reason: z.string() })
export const MomentRow = z.object({ at: z.int() })
export const IdRow = z.object({ id: z.string() })
export const EndedRow = z.object({ id: z.string(), ended_at: z.int() })
