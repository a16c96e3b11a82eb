import { z } from "zod"
import { join, type Sql, sql } from "#ground/store"

export const StateRow = z.object({
  next_content: z.int(),
  next_block: z.int(),
  next_segment: z.int(),
  next_revision: z.int(),
  sweeps: z.int(),
})
export const selectState = (): Sql =>
  sql`SELECT next_content, next_block, next_segment, next_revision, sweeps
    FROM map_state WHERE id = 1`
export const updateState = (state: z.output<typeof StateRow>): Sql =>
  sql`UPDATE map_state SET next_content = ${state.next_content}, next_block = ${state.next_block},
    next_segment = ${state.next_segment}, next_revision = ${state.next_revision},
    sweeps = ${state.sweeps} WHERE id = 1`

const SummaryText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(
    z.object({
      lines: z.int(),
      tokens: z.int(),
      symbolCount: z.int(),
      importCount: z.int(),
      problemCount: z.int(),
      bodyLength: z.int(),
    }),
  )
export type Summary = z.output<typeof SummaryText>

export const KnownRow = z.object({
  number: z.int(),
  blob_id: z.string(),
  language: z.string(),
  summary: SummaryText,
})
export const selectKnown = (reader: string, blobIds: readonly string[]): Sql =>
  sql`SELECT number, blob_id, language, summary FROM map_contents
    WHERE reader = ${reader} AND blob_id IN (${listed(blobIds)}) ORDER BY number`

export const FactsRow = z.object({
  number: z.int(),
  blob_id: z.string(),
  facts: z.instanceof(Uint8Array),
  counts: z.string(),
})
export const selectFacts = (numbers: readonly number[]): Sql =>
  sql`SELECT number, blob_id, facts, counts FROM map_contents WHERE number IN (${listed(numbers)})`

export type NewContent = {
  readonly number: number
  readonly blobId: string
  readonly language: string
  readonly reader: string
  readonly summary: Summary
  readonly facts: Uint8Array
  readonly counts: string
}
export const insertContents = (contents: readonly NewContent[]): Sql =>
  sql`INSERT INTO map_contents (number, blob_id, language, reader, summary, facts, counts) VALUES ${join(
    contents.map(
      (it) =>
        sql`(${it.number}, ${it.blobId}, ${it.language}, ${it.reader},
          ${JSON.stringify(it.summary)}, ${it.facts}, ${it.counts})`,
    ),
  )}`
export const CountRow = z.object({ count: z.int() })
export const countContents = (): Sql => sql`SELECT COUNT(*) AS count FROM map_contents`
export const NumberRow = z.object({ number: z.int() })
export const selectNumbers = (): Sql => sql`SELECT number FROM map_contents`
export const deleteContents = (numbers: readonly number[]): Sql =>
  sql`DELETE FROM map_contents WHERE number IN (${listed(numbers)})`

export const SegmentIdRow = z.object({ id: z.int() })
export const selectSegmentIds = (): Sql => sql`SELECT id FROM map_segments ORDER BY id`
export const SegmentRow = z.object({ id: z.int(), contents: z.int(), directory: z.string() })
export const selectSegments = (ids: readonly number[]): Sql =>
  sql`SELECT id, contents, directory FROM map_segments WHERE id IN (${listed(ids)})`
export const insertSegment = (segment: z.output<typeof SegmentRow>): Sql =>
  sql`INSERT INTO map_segments (id, contents, directory)
    VALUES (${segment.id}, ${segment.contents}, ${segment.directory})`
export const deleteSegments = (ids: readonly number[]): Sql =>
  sql`DELETE FROM map_segments WHERE id IN (${listed(ids)})`

export const BlockRow = z.object({ id: z.int(), body: z.instanceof(Uint8Array) })
type Block = { readonly id: number; readonly body: Uint8Array }
export const selectBlocks = (ids: readonly number[]): Sql =>
  sql`SELECT id, body FROM map_blocks WHERE id IN (${listed(ids)})`
export const selectBlockRange = (from: number, to: number): Sql =>
  sql`SELECT id, body FROM map_blocks WHERE id >= ${from} AND id < ${to} ORDER BY id`
export const insertBlocks = (blocks: readonly Block[]): Sql =>
  sql`INSERT INTO map_blocks (id, body)
    VALUES ${join(blocks.map((it) => sql`(${it.id}, ${it.body})`))}`
export const deleteBlockRange = (from: number, to: number): Sql =>
  sql`DELETE FROM map_blocks WHERE id >= ${from} AND id < ${to}`

export const TreeRow = z.object({
  revision: z.int(),
  scanned_at: z.int(),
  git_sha: z.string().nullable(),
})
export const selectTree = (name: string): Sql =>
  sql`SELECT revision, scanned_at, git_sha FROM map_trees WHERE name = ${name}`
export const upsertTree = (tree: z.output<typeof TreeRow> & { readonly name: string }): Sql =>
  sql`INSERT INTO map_trees (name, revision, scanned_at, git_sha)
    VALUES (${tree.name}, ${tree.revision}, ${tree.scanned_at}, ${tree.git_sha})
    ON CONFLICT (name) DO UPDATE SET revision = excluded.revision,
      scanned_at = excluded.scanned_at, git_sha = excluded.git_sha`
export const NameRow = z.object({ name: z.string() })
export const selectTreeNames = (): Sql =>
  sql`SELECT name FROM map_trees ORDER BY scanned_at DESC, revision DESC`

export const BodyRow = z.object({ body: z.string() })
export const selectTreeFiles = (name: string): Sql =>
  sql`SELECT body FROM map_tree_files WHERE name = ${name}`
export const selectAllTreeFiles = (): Sql => sql`SELECT body FROM map_tree_files`
export const upsertTreeFiles = (name: string, body: string): Sql =>
  sql`INSERT INTO map_tree_files (name, body) VALUES (${name}, ${body})
    ON CONFLICT (name) DO UPDATE SET body = excluded.body`
export const selectTreePast = (name: string): Sql =>
  sql`SELECT body FROM map_tree_pasts WHERE name = ${name}`
export const upsertTreePast = (name: string, body: string): Sql =>
  sql`INSERT INTO map_tree_pasts (name, body) VALUES (${name}, ${body})
    ON CONFLICT (name) DO UPDATE SET body = excluded.body`
export const deleteTree = (name: string): readonly Sql[] => [
  sql`DELETE FROM map_trees WHERE name = ${name}`,
  sql`DELETE FROM map_tree_files WHERE name = ${name}`,
  sql`DELETE FROM map_tree_pasts WHERE name = ${name}`,
]

function listed(values: readonly (string | number)[]): Sql {
  return join(values.map((it) => sql`${it}`))
}
