import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

/** Documents split into paragraphs; can be rebuilt from the files. */
export const knowledge: Migration = {
  number: 10,
  name: "knowledge",
  statements: ({ integer, text, strict }) => [
    // A write counter: a process with an index in memory compares it.
    sql`CREATE TABLE kb_state (
      name ${text} NOT NULL PRIMARY KEY,
      revision ${integer} NOT NULL
    )${strict}`,
    sql`CREATE TABLE kb_folders (
      folder ${text} NOT NULL PRIMARY KEY,
      tier ${text} NOT NULL,
      added_at ${integer} NOT NULL,
      skipped ${text} NOT NULL
    )${strict}`,
    sql`CREATE TABLE kb_documents (
      id ${text} NOT NULL PRIMARY KEY,
      folder ${text} NOT NULL,
      path ${text} NOT NULL,
      title ${text} NOT NULL,
      tier ${text} NOT NULL,
      format ${text} NOT NULL,
      digest ${text} NOT NULL,
      size_bytes ${integer} NOT NULL,
      modified_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    )${strict}`,
    sql`CREATE INDEX kb_documents_by_folder ON kb_documents (folder, path)`,
    sql`CREATE TABLE kb_paragraphs (
      id ${text} NOT NULL PRIMARY KEY,
      document ${text} NOT NULL,
      place ${integer} NOT NULL,
      body ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX kb_paragraphs_by_document ON kb_paragraphs (document, place)`,
    // References as written; resolved when queried.
    sql`CREATE TABLE kb_references (
      document ${text} NOT NULL,
      paragraph ${text} NOT NULL,
      place ${integer} NOT NULL,
      kind ${text} NOT NULL,
      target ${text} NOT NULL,
      words ${text} NOT NULL,
      PRIMARY KEY (paragraph, place)
    )${strict}`,
    sql`CREATE TABLE kb_vectors (
      paragraph ${text} NOT NULL,
      embedder ${text} NOT NULL,
      vector ${text} NOT NULL,
      PRIMARY KEY (paragraph, embedder)
    )${strict}`,
  ],
}
