import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const packs: Migration = {
  number: 6,
  name: "packs",
  statements: ({ integer, text, blob, strict }) => [
    sql`CREATE TABLE packs (
      id ${text} PRIMARY KEY,
      root ${text} NOT NULL,
      task ${text} NOT NULL,
      role ${text},
      budget ${integer} NOT NULL,
      tokens ${integer} NOT NULL,
      files ${integer} NOT NULL,
      session ${text},
      format ${text},
      built_at ${integer} NOT NULL,
      body ${blob} NOT NULL
    )${strict}`,
    sql`CREATE INDEX packs_by_time ON packs (root, built_at)`,
    sql`CREATE INDEX packs_by_session ON packs (root, session, built_at)`,
  ],
}
