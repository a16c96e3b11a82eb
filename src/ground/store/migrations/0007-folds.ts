import { type Sql, sql } from "../sql.ts"
import type { ColumnTypes, Migration } from "./migration.ts"

export const folds: Migration = {
  number: 7,
  name: "folds",
  statements: (types) => [...branchTables(types), ...textTables(types)],
}

function branchTables({ integer, text, strict }: ColumnTypes): readonly Sql[] {
  return [
    sql`CREATE TABLE fold_branches (
      id ${text} PRIMARY KEY,
      root ${text} NOT NULL,
      principal ${text} NOT NULL,
      session ${text} NOT NULL,
      parent ${text},
      depth ${integer} NOT NULL,
      status ${text} NOT NULL,
      end_reason ${text},
      budget_total ${integer} NOT NULL,
      budget_used ${integer} NOT NULL,
      kept_under_handles ${integer} NOT NULL,
      is_warned ${integer} NOT NULL,
      is_metered_by_host ${integer} NOT NULL,
      is_told ${integer} NOT NULL,
      steps ${integer} NOT NULL,
      deadline_at ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      completed_at ${integer},
      owner ${text} NOT NULL,
      return_key ${text},
      given ${text} NOT NULL,
      state ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX fold_branches_by_time ON fold_branches (root, created_at)`,
    sql`CREATE INDEX fold_branches_by_session
      ON fold_branches (root, session, principal, created_at)`,
    // Each call looks up the open branches of a session.
    sql`CREATE INDEX fold_branches_of_session
      ON fold_branches (root, session, principal, status, created_at)`,
    sql`CREATE INDEX fold_branches_by_status ON fold_branches (root, status, deadline_at)`,
    sql`CREATE INDEX fold_branches_by_parent ON fold_branches (parent)`,
    // Every metered call looks for unreported branches, and there are few.
    sql`CREATE INDEX fold_branches_untold
      ON fold_branches (root, session, principal, completed_at) WHERE is_told = 0`,
  ]
}

function textTables({ integer, text, blob, strict }: ColumnTypes): readonly Sql[] {
  return [
    sql`CREATE TABLE fold_trail (
      branch ${text} NOT NULL,
      seq ${integer} NOT NULL,
      at ${integer} NOT NULL,
      kind ${text} NOT NULL,
      tool ${text},
      tokens ${integer} NOT NULL,
      handle ${text},
      text ${blob} NOT NULL,
      PRIMARY KEY (branch, seq)
    )${strict}`,
    sql`CREATE TABLE fold_handles (
      handle ${text} PRIMARY KEY,
      root ${text} NOT NULL,
      principal ${text} NOT NULL,
      session ${text} NOT NULL,
      branch ${text},
      label ${text} NOT NULL,
      tokens ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      text ${blob} NOT NULL
    )${strict}`,
    sql`CREATE INDEX fold_handles_by_expiry ON fold_handles (root, expires_at)`,
    sql`CREATE INDEX fold_handles_by_branch ON fold_handles (branch)`,
    sql`CREATE TABLE fold_untrusted (
      root ${text} NOT NULL,
      session ${text} NOT NULL,
      at ${integer} NOT NULL,
      PRIMARY KEY (root, session)
    )${strict}`,
  ]
}
