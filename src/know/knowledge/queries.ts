import { z } from "zod"
import { parseJson, sliceText } from "#ground/base"
import { KbDocument, KbTier } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"

export const FolderRow = z.object({
  folder: z.string(),
  tier: KbTier,
  added_at: z.int(),
  skipped: z.string(),
})
export type FolderRow = z.infer<typeof FolderRow>

export const DocumentRow = z.object({
  id: z.string(),
  folder: z.string(),
  path: z.string(),
  title: z.string(),
  tier: KbTier,
  format: KbDocument.shape.format,
  digest: z.string(),
  size_bytes: z.int(),
  modified_at: z.int(),
  updated_at: z.int(),
})
export type DocumentRow = z.infer<typeof DocumentRow>

export const ParagraphRow = z.object({
  id: z.string(),
  document: z.string(),
  place: z.int(),
  body: z.string(),
})
export type ParagraphRow = z.infer<typeof ParagraphRow>

export const ReferenceRow = z.object({
  document: z.string(),
  paragraph: z.string(),
  place: z.int(),
  kind: z.enum(["link", "section", "wiki"]),
  target: z.string(),
  words: z.string(),
})
export type ReferenceRow = z.infer<typeof ReferenceRow>

export const VectorRow = z.object({ paragraph: z.string(), vector: z.string() })
export const RevisionRow = z.object({ revision: z.int() })
export const CountRow = z.object({ count: z.coerce.number() })
export const PlacedRow = z.object({ id: z.string(), folder: z.string(), path: z.string() })

export const selectRevision = (): Sql =>
  sql`SELECT revision FROM kb_state WHERE name = ${"knowledge"}`

export const raiseRevision = (): Sql => sql`
  INSERT INTO kb_state (name, revision) VALUES (${"knowledge"}, 1)
  ON CONFLICT (name) DO UPDATE SET revision = kb_state.revision + 1`

export const selectFolders = (): Sql =>
  sql`SELECT folder, tier, added_at, skipped FROM kb_folders ORDER BY folder`

export const upsertFolder = (row: FolderRow): Sql => sql`
  INSERT INTO kb_folders (folder, tier, added_at, skipped)
  VALUES (${row.folder}, ${row.tier}, ${row.added_at}, ${row.skipped})
  ON CONFLICT (folder) DO UPDATE SET tier = excluded.tier, added_at = excluded.added_at,
    skipped = excluded.skipped`

export const deleteFolder = (folder: string): Sql =>
  sql`DELETE FROM kb_folders WHERE folder = ${folder}`

const DOCUMENT = sql`id, folder, path, title, tier, format, digest, size_bytes, modified_at, updated_at`

export const selectDocuments = (): Sql => sql`SELECT ${DOCUMENT} FROM kb_documents`

export const selectDocumentsOf = (folder: string): Sql =>
  sql`SELECT ${DOCUMENT} FROM kb_documents WHERE folder = ${folder}`

export const selectPlaced = (ids: readonly string[]): Sql => sql`
  SELECT id, folder, path FROM kb_documents WHERE id IN (${join(ids.map((id) => sql`${id}`))})`

export const upsertDocument = (row: DocumentRow): Sql => sql`
  INSERT INTO kb_documents (${DOCUMENT})
  VALUES (${row.id}, ${row.folder}, ${row.path}, ${row.title}, ${row.tier}, ${row.format},
    ${row.digest}, ${row.size_bytes}, ${row.modified_at}, ${row.updated_at})
  ON CONFLICT (id) DO UPDATE SET title = excluded.title, tier = excluded.tier,
    format = excluded.format, digest = excluded.digest, size_bytes = excluded.size_bytes,
    modified_at = excluded.modified_at, updated_at = excluded.updated_at`

export const touchDocument = (row: Pick<DocumentRow, "id" | "tier" | "modified_at">): Sql => sql`
  UPDATE kb_documents SET tier = ${row.tier}, modified_at = ${row.modified_at}
  WHERE id = ${row.id}`

export const deleteDocument = (id: string): readonly Sql[] => [
  sql`DELETE FROM kb_vectors
    WHERE paragraph IN (SELECT id FROM kb_paragraphs WHERE document = ${id})`,
  ...deleteParagraphs(id),
  sql`DELETE FROM kb_documents WHERE id = ${id}`,
]

export const deleteParagraphs = (document: string): readonly Sql[] => [
  sql`DELETE FROM kb_references WHERE document = ${document}`,
  sql`DELETE FROM kb_paragraphs WHERE document = ${document}`,
]

export const selectParagraphs = (): Sql => sql`SELECT id, document, place, body FROM kb_paragraphs`

export const selectParagraphsOf = (document: string): Sql =>
  sql`SELECT id, document, place, body FROM kb_paragraphs WHERE document = ${document}`

export const countParagraphs = (): Sql => sql`SELECT count(*) AS count FROM kb_paragraphs`

export const countParagraphsOf = (folder: string): Sql => sql`
  SELECT count(*) AS count FROM kb_paragraphs p JOIN kb_documents d ON d.id = p.document
  WHERE d.folder = ${folder}`

export const insertParagraphs = (rows: readonly ParagraphRow[]): Sql => sql`
  INSERT INTO kb_paragraphs (id, document, place, body)
  VALUES ${join(rows.map((it) => sql`(${it.id}, ${it.document}, ${it.place}, ${it.body})`))}
  ON CONFLICT (id) DO UPDATE SET place = excluded.place, body = excluded.body`

export const selectReferences = (): Sql =>
  sql`SELECT document, paragraph, place, kind, target, words FROM kb_references`

export const insertReferences = (rows: readonly ReferenceRow[]): Sql => sql`
  INSERT INTO kb_references (document, paragraph, place, kind, target, words)
  VALUES ${join(
    rows.map(
      (it) =>
        sql`(${it.document}, ${it.paragraph}, ${it.place}, ${it.kind}, ${it.target}, ${it.words})`,
    ),
  )}
  ON CONFLICT (paragraph, place) DO UPDATE SET kind = excluded.kind, target = excluded.target,
    words = excluded.words`

export const selectVectors = (embedder: string): Sql =>
  sql`SELECT paragraph, vector FROM kb_vectors WHERE embedder = ${embedder}`

export const selectWithoutVector = (folder: string, embedder: string): Sql => sql`
  SELECT p.id, p.document, p.place, p.body
  FROM kb_paragraphs p JOIN kb_documents d ON d.id = p.document
  LEFT JOIN kb_vectors v ON v.paragraph = p.id AND v.embedder = ${embedder}
  WHERE d.folder = ${folder} AND v.paragraph IS NULL
  ORDER BY p.document, p.place`

export const insertVectors = (
  embedder: string,
  rows: readonly z.infer<typeof VectorRow>[],
): Sql => sql`
  INSERT INTO kb_vectors (paragraph, embedder, vector)
  VALUES ${join(rows.map((it) => sql`(${it.paragraph}, ${embedder}, ${it.vector})`))}
  ON CONFLICT (paragraph, embedder) DO UPDATE SET vector = excluded.vector`

export const deleteVectors = (paragraphs: readonly string[]): Sql => sql`
  DELETE FROM kb_vectors WHERE paragraph IN (${join(paragraphs.map((id) => sql`${id}`))})`

const LONGEST_EMBEDDED_UNITS = 8_000

export const ParagraphBody = z.object({
  text: z.string(),
  line: z.int().positive(),
  /** Absent in paragraphs that were stored before PDF files were read. */
  page: z.int().positive().nullable().default(null),
  headings: z.array(z.string()),
  number: z.string().nullable(),
  citation: z.string(),
  anchors: z.array(z.string()),
})
export type ParagraphBody = z.infer<typeof ParagraphBody>

export function bodyOf(json: string): ParagraphBody | undefined {
  return ParagraphBody.safeParse(parseJson(json)).data
}

/** With headings, because short paragraphs say little alone. Most embedders take about 8,000 tokens. */
export function embeddedText({ headings, text }: ParagraphBody): string {
  return sliceText([...headings, text].join("\n"), LONGEST_EMBEDDED_UNITS)
}
