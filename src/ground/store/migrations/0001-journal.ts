import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const journal: Migration = {
  number: 1,
  name: "journal",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE journal_head (
      id ${integer} PRIMARY KEY CHECK (id = 1),
      epoch ${text} NOT NULL,
      seq ${integer} NOT NULL CHECK (seq >= 0),
      salt ${text} NOT NULL
    )${strict}`,
    sql`CREATE TABLE journal (
      seq ${integer} PRIMARY KEY CHECK (seq > 0),
      id ${text} NOT NULL UNIQUE,
      at ${integer} NOT NULL,
      name ${text} NOT NULL,
      version ${integer} NOT NULL,
      body ${text} NOT NULL,
      crc ${integer} NOT NULL
    )${strict}`,
  ],
}
