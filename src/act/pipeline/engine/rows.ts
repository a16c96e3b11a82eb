import { z } from "zod"
import { PipelineLine, PipelineStatus } from "#ground/contract"

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)

/** Who works on a run: a process by number and start time, so that a later one is not it. */
export const Owner = z.object({
  pid: z.int(),
  startedAt: z.string().optional(),
  machine: z.string(),
  /** One process may have opened the store twice; each is an owner of its own. */
  instance: z.string().default(""),
})
export type Owner = z.infer<typeof Owner>

export const RunRow = z
  .object({
    id: z.string(),
    number: z.int(),
    status: PipelineStatus,
    last_seq: z.int(),
    owner: json(Owner).nullable(),
    fence: z.int(),
    lease_until: z.int(),
    wanted: z.string().nullable(),
    line: json(PipelineLine),
  })
  .transform((row) => ({
    id: row.id,
    number: row.number,
    status: row.status,
    lastSeq: row.last_seq,
    owner: row.owner,
    fence: row.fence,
    leaseUntil: row.lease_until,
    isStopWanted: row.wanted === STOP,
    line: row.line,
  }))
export type RunRow = z.infer<typeof RunRow>

export const STOP = "stop"

export const EventRow = z.object({
  seq: z.int(),
  at: z.int(),
  body: z.string(),
  digest: z.string(),
})

export const NumberRow = z.object({ number: z.int() })
export const FenceRow = z.object({ fence: z.int() })
export const WantedRow = z.object({ wanted: z.string().nullable() })
export const DigestRow = z.object({ digest: z.string() })
