import { z } from "zod"
import { parseJson } from "#ground/base"
import { type Sql, sql } from "#ground/store"
import { MemoryEntry } from "./files/entry.ts"

export const FileRow = z.object({
  file: z.string(),
  stamp: z.string(),
  problem: z.string().nullable(),
  body: z.string().nullable(),
})
export type FileRow = z.infer<typeof FileRow>

export const UsesRow = z.object({ memory: z.string(), uses: z.int() })

export const selectFiles = (root: string): Sql => sql`
  SELECT file, stamp, problem, body FROM memory_files WHERE root = ${root} ORDER BY file`

export const upsertFile = (root: string, row: FileRow): Sql => sql`
  INSERT INTO memory_files (root, file, stamp, problem, body)
  VALUES (${root}, ${row.file}, ${row.stamp}, ${row.problem}, ${row.body})
  ON CONFLICT (root, file) DO UPDATE SET stamp = excluded.stamp, problem = excluded.problem,
    body = excluded.body`

export const deleteFile = (root: string, file: string): Sql => sql`
  DELETE FROM memory_files WHERE root = ${root} AND file = ${file}`

export const selectUses = (root: string): Sql => sql`
  SELECT memory, uses FROM memory_uses WHERE root = ${root}`

type UseRecord = { readonly root: string; readonly memory: string; readonly at: number }

export const countUse = ({ root, memory, at }: UseRecord): Sql => sql`
  INSERT INTO memory_uses (root, memory, uses, used_at) VALUES (${root}, ${memory}, 1, ${at})
  ON CONFLICT (root, memory) DO UPDATE SET uses = memory_uses.uses + 1, used_at = excluded.used_at`

export const FeedbackRow = z.object({
  verdict: z.enum(["helpful", "unhelpful"]).nullable(),
  outcome: z.enum(["succeeded", "failed"]).nullable(),
})
export type FeedbackRow = z.infer<typeof FeedbackRow>

type Speaker = { readonly root: string; readonly memory: string; readonly speaker: string }

export const selectFeedback = ({ root, memory, speaker }: Speaker): Sql => sql`
  SELECT verdict, outcome FROM memory_says
  WHERE root = ${root} AND memory = ${memory} AND speaker = ${speaker}`

/** Missing values keep the stored ones. */
export const upsertFeedback = (
  { root, memory, speaker }: Speaker,
  feedback: FeedbackRow,
): Sql => sql`
  INSERT INTO memory_says (root, memory, speaker, verdict, outcome)
  VALUES (${root}, ${memory}, ${speaker}, ${feedback.verdict}, ${feedback.outcome})
  ON CONFLICT (root, memory, speaker) DO UPDATE SET
    verdict = coalesce(excluded.verdict, memory_says.verdict),
    outcome = coalesce(excluded.outcome, memory_says.outcome)`

export const deleteTraces = (root: string, memory: string): readonly Sql[] => [
  sql`DELETE FROM memory_uses WHERE root = ${root} AND memory = ${memory}`,
  sql`DELETE FROM memory_says WHERE root = ${root} AND memory = ${memory}`,
]

type Lease = {
  readonly root: string
  readonly owner: string
  readonly now: number
  readonly leaseMs: number
}

/** A lock that ends later than two leases was written by a wrong clock. */
export const takeLock = ({ root, owner, now, leaseMs }: Lease): Sql => sql`
  INSERT INTO memory_locks (root, owner, held_until) VALUES (${root}, ${owner}, ${now + leaseMs})
  ON CONFLICT (root) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
  WHERE memory_locks.held_until <= ${now} OR memory_locks.held_until > ${now + 2 * leaseMs}`

export const releaseLock = (root: string, owner: string): Sql => sql`
  DELETE FROM memory_locks WHERE root = ${root} AND owner = ${owner}`

/** Undefined for a row of another version. */
export function entryOfRow(body: string): MemoryEntry | undefined {
  return MemoryEntry.safeParse(parseJson(body)).data
}
