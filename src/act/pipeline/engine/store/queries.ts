import { z } from "zod"
import { PipelineLine, PipelineStatus } from "#ground/contract"
import { join, jsonColumn, type Sql, sql } from "#ground/store"
import type { KeptEvent } from "../../events/chain.ts"

/** `now` is the database's clock: it alone decides whether a lease is over. */
const rowAt = (now: Sql): Sql => sql`id, number, status, last_seq, owner, fence, wanted, line,
  CASE WHEN lease_until < ${now} THEN 1 ELSE 0 END AS is_lease_over`

export const selectRun = (id: string, now: Sql): Sql => sql`
  SELECT ${rowAt(now)} FROM pipeline_runs WHERE id = ${id}`

export type RunFilter = {
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly limit: number
}

export const selectRuns = (filter: RunFilter, now: Sql): Sql => sql`
  SELECT ${rowAt(now)} FROM pipeline_runs WHERE ${join(
    [
      sql`number > 0`,
      ...(filter.agent === undefined ? [] : [sql`agent = ${filter.agent}`]),
      ...(filter.session === undefined ? [] : [sql`session = ${filter.session}`]),
    ],
    sql` AND `,
  )} ORDER BY number DESC LIMIT ${filter.limit}`

export const selectRunning = (now: Sql): Sql => sql`
  SELECT ${rowAt(now)} FROM pipeline_runs WHERE status = 'running' ORDER BY number`

export const selectLastNumber = (): Sql => sql`
  SELECT coalesce(max(number), 0) AS number FROM pipeline_runs`

export const insertRun = (
  line: PipelineLine,
  it: { readonly number: number; readonly owner: Owner; readonly until: Sql },
): Sql => sql`
  INSERT INTO pipeline_runs (id, number, agent, session, status, created_at, updated_at, last_seq,
    owner, fence, lease_until, wanted, line)
  VALUES (${line.id}, ${it.number}, ${line.agent}, ${line.session}, ${line.status},
    ${line.createdAt}, ${line.updatedAt}, ${line.lastSeq}, ${JSON.stringify(it.owner)}, 1,
    ${it.until}, NULL, ${JSON.stringify(line)})`

export const insertEvents = (run: string, events: readonly KeptEvent[]): Sql => sql`
  INSERT INTO pipeline_events (run, seq, at, body, digest) VALUES ${join(
    events.map((it) => sql`(${run}, ${it.seq}, ${it.at}, ${it.body}, ${it.digest})`),
  )}`

export const selectEvents = (run: string): Sql => sql`
  SELECT seq, at, body, digest FROM pipeline_events WHERE run = ${run} ORDER BY seq`

export const selectDigest = (run: string, seq: number): Sql => sql`
  SELECT digest FROM pipeline_events WHERE run = ${run} AND seq = ${seq}`

export const advanceRun = (
  line: PipelineLine,
  it: { readonly fence: number; readonly after: number },
): Sql => sql`
  UPDATE pipeline_runs SET last_seq = ${line.lastSeq}, status = ${line.status},
    updated_at = ${line.updatedAt}, line = ${JSON.stringify(line)}
  WHERE id = ${line.id} AND fence = ${it.fence} AND last_seq = ${it.after}`

/**
 * Raises the fence, which invalidates earlier claims. The row must be unchanged since it was read,
 * so that only one of two processes succeeds. Resets the count if the tail was lost.
 */
export const claimRun = (
  id: string,
  claim: {
    readonly owner: Owner
    readonly until: Sql
    readonly seen: number
    readonly condition: Sql
  },
): Sql => sql`
  UPDATE pipeline_runs SET fence = fence + 1, owner = ${JSON.stringify(claim.owner)},
    lease_until = ${claim.until}, wanted = NULL,
    last_seq = (SELECT coalesce(max(seq), 0) FROM pipeline_events WHERE run = ${id})
  WHERE id = ${id} AND fence = ${claim.seen} AND ${claim.condition} RETURNING fence`

export const isLeaseOver = (now: Sql): Sql => sql`lease_until < ${now}`

export const releaseRun = (id: string, fence: number): Sql => sql`
  UPDATE pipeline_runs SET fence = fence + 1, owner = NULL, lease_until = 0
  WHERE id = ${id} AND fence = ${fence}`

export const writeOffRun = (line: PipelineLine, fence: number): Sql => sql`
  UPDATE pipeline_runs SET status = ${line.status}, updated_at = ${line.updatedAt},
    line = ${JSON.stringify(line)}
  WHERE id = ${line.id} AND fence = ${fence}`

export const renewLease = (id: string, fence: number, until: Sql): Sql => sql`
  UPDATE pipeline_runs SET lease_until = ${until}
  WHERE id = ${id} AND fence = ${fence} RETURNING wanted`

export const wantStop = (id: string, fence: number): Sql => sql`
  UPDATE pipeline_runs SET wanted = ${STOP} WHERE id = ${id} AND fence = ${fence}`

/** A process is identified by pid and start time, because pids are reused. */
export const Owner = z.object({
  pid: z.int(),
  startedAt: z.string().optional(),
  machine: z.string(),
  /** One process may open the store twice; each is a separate owner. */
  instance: z.string().default(""),
})
export type Owner = z.infer<typeof Owner>

export const RunRow = z
  .object({
    id: z.string(),
    number: z.int(),
    status: PipelineStatus,
    last_seq: z.int(),
    owner: jsonColumn(Owner).nullable(),
    fence: z.int(),
    is_lease_over: z.int(),
    wanted: z.string().nullable(),
    line: jsonColumn(PipelineLine),
  })
  .transform((row) => ({
    id: row.id,
    number: row.number,
    status: row.status,
    lastSeq: row.last_seq,
    owner: row.owner,
    fence: row.fence,
    isLeaseOver: row.is_lease_over === 1,
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
