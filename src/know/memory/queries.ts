import { z } from "zod"
import { type Sql, sql } from "#ground/store"
import { MemoryEntry } from "./entry.ts"

/** What the index knows of a file: a memory, or what is wrong with it. */
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

type Used = { readonly root: string; readonly memory: string; readonly at: number }

export const countUse = ({ root, memory, at }: Used): Sql => sql`
  INSERT INTO memory_uses (root, memory, uses, used_at) VALUES (${root}, ${memory}, 1, ${at})
  ON CONFLICT (root, memory) DO UPDATE SET uses = memory_uses.uses + 1, used_at = excluded.used_at`

export const SayRow = z.object({
  verdict: z.enum(["helpful", "unhelpful"]).nullable(),
  outcome: z.enum(["succeeded", "failed"]).nullable(),
})
export type SayRow = z.infer<typeof SayRow>

type Speaker = { readonly root: string; readonly memory: string; readonly speaker: string }

export const selectSay = ({ root, memory, speaker }: Speaker): Sql => sql`
  SELECT verdict, outcome FROM memory_says
  WHERE root = ${root} AND memory = ${memory} AND speaker = ${speaker}`

/** What was not said this time stays as it was said before. */
export const upsertSay = ({ root, memory, speaker }: Speaker, say: SayRow): Sql => sql`
  INSERT INTO memory_says (root, memory, speaker, verdict, outcome)
  VALUES (${root}, ${memory}, ${speaker}, ${say.verdict}, ${say.outcome})
  ON CONFLICT (root, memory, speaker) DO UPDATE SET
    verdict = coalesce(excluded.verdict, memory_says.verdict),
    outcome = coalesce(excluded.outcome, memory_says.outcome)`

/** What was seen and said of a memory that is gone. */
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

/** Nobody holds a lock for two leases: one that ends later was written by a wrong clock. */
export const takeLock = ({ root, owner, now, leaseMs }: Lease): Sql => sql`
  INSERT INTO memory_locks (root, owner, held_until) VALUES (${root}, ${owner}, ${now + leaseMs})
  ON CONFLICT (root) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
  WHERE memory_locks.held_until <= ${now} OR memory_locks.held_until > ${now + 2 * leaseMs}`

export const releaseLock = (root: string, owner: string): Sql => sql`
  DELETE FROM memory_locks WHERE root = ${root} AND owner = ${owner}`

/** The entry of a row; undefined for one that another version wrote, or nobody. */
export function entryOfRow(body: string): MemoryEntry | undefined {
  try {
    return MemoryEntry.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
