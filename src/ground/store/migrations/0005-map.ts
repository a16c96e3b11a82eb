import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const map: Migration = {
  number: 5,
  name: "map",
  statements: ({ integer, text, blob, strict }) => [
    sql`CREATE TABLE map_state (
      id ${integer} PRIMARY KEY CHECK (id = 1),
      next_content ${integer} NOT NULL,
      next_block ${integer} NOT NULL,
      next_segment ${integer} NOT NULL,
      next_revision ${integer} NOT NULL,
      sweeps ${integer} NOT NULL
    )${strict}`,
    sql`INSERT INTO map_state (id, next_content, next_block, next_segment, next_revision, sweeps)
      VALUES (1, 1, 1, 1, 1, 0)`,
    sql`CREATE TABLE map_contents (
      number ${integer} PRIMARY KEY,
      blob_id ${text} NOT NULL,
      language ${text} NOT NULL,
      reader ${text} NOT NULL,
      summary ${text} NOT NULL,
      facts ${blob} NOT NULL,
      counts ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX map_contents_by_blob ON map_contents (blob_id)`,
    sql`CREATE TABLE map_segments (
      id ${integer} PRIMARY KEY,
      contents ${integer} NOT NULL,
      directory ${text} NOT NULL
    )${strict}`,
    sql`CREATE TABLE map_blocks (
      id ${integer} PRIMARY KEY,
      body ${blob} NOT NULL
    )${strict}`,
    sql`CREATE TABLE map_trees (
      name ${text} PRIMARY KEY,
      revision ${integer} NOT NULL,
      scanned_at ${integer} NOT NULL,
      git_sha ${text}
    )${strict}`,
    sql`CREATE TABLE map_tree_files (
      name ${text} PRIMARY KEY,
      body ${text} NOT NULL
    )${strict}`,
    sql`CREATE TABLE map_tree_pasts (
      name ${text} PRIMARY KEY,
      body ${text} NOT NULL
    )${strict}`,
  ],
}
