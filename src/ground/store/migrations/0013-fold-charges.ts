import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

/** The ledger of a branch: what it used is the sum of these rows. */
export const foldCharges: Migration = {
  number: 13,
  name: "fold-charges",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE fold_charges (
      branch ${text} NOT NULL,
      seq ${integer} NOT NULL,
      at ${integer} NOT NULL,
      source ${text} NOT NULL,
      tool ${text},
      tokens ${integer} NOT NULL,
      withheld ${integer} NOT NULL,
      is_settled ${integer} NOT NULL,
      PRIMARY KEY (branch, seq)
    )${strict}`,
    // Branches from before have sums only; one row each makes them add up.
    sql`INSERT INTO fold_charges (branch, seq, at, source, tool, tokens, withheld, is_settled)
      SELECT id, 1, created_at, CASE WHEN is_metered_by_host = 1 THEN 'hook' ELSE 'tool' END,
        NULL, budget_used, kept_under_handles, 1
      FROM fold_branches WHERE budget_used > 0 OR kept_under_handles > 0`,
  ],
}
