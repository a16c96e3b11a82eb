import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const captures: Migration = {
  number: 2,
  name: "captures",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE captures (
      id ${text} PRIMARY KEY,
      host ${text} NOT NULL,
      host_version ${text},
      working_directory ${text} NOT NULL,
      captured_at ${integer} NOT NULL,
      last_seen_at ${integer} NOT NULL,
      times ${integer} NOT NULL CHECK (times > 0),
      files ${integer} NOT NULL,
      tokens_in_window ${integer} NOT NULL,
      tokens_on_demand ${integer} NOT NULL,
      fingerprint ${text} NOT NULL,
      manifest ${text} NOT NULL,
      observation ${text}
    )${strict}`,
    sql`CREATE INDEX captures_by_place ON captures (working_directory, host, captured_at)`,
    sql`CREATE TABLE capture_texts (
      hash ${text} PRIMARY KEY,
      body ${text} NOT NULL
    )${strict}`,
    sql`CREATE TABLE capture_pages (
      capture_id ${text} NOT NULL,
      path ${text} NOT NULL,
      hash ${text} NOT NULL,
      PRIMARY KEY (capture_id, path)
    )${strict}`,
  ],
}
