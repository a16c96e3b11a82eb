import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const organising: Migration = {
  number: 17,
  name: "run-organisation",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE run_organising (
      kind ${text} NOT NULL,
      name ${text} NOT NULL,
      body ${text} NOT NULL,
      position ${integer} NOT NULL,
      PRIMARY KEY (kind, name)
    )${strict}`,
  ],
}
