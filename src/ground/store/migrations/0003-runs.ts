import { type Sql, sql } from "../sql.ts"
import type { ColumnTypes, Migration } from "./migration.ts"

export const runs: Migration = {
  number: 3,
  name: "runs",
  statements: (types) => [...runTables(types), ...talkTables(types)],
}

function runTables({ integer, real, text, strict }: ColumnTypes): readonly Sql[] {
  return [
    sql`CREATE TABLE runs (
      id ${text} PRIMARY KEY,
      type ${text} NOT NULL,
      title ${text} NOT NULL,
      is_title_own ${integer} NOT NULL,
      prompt ${text} NOT NULL,
      status ${text} NOT NULL,
      cwd ${text} NOT NULL,
      model ${text},
      mode ${text} NOT NULL,
      session_id ${text},
      host_version ${text},
      created_at ${integer} NOT NULL,
      started_at ${integer},
      ended_at ${integer},
      updated_at ${integer} NOT NULL,
      last_seq ${integer} NOT NULL CHECK (last_seq >= 0),
      turns ${integer} NOT NULL,
      error ${text},
      cost ${text} NOT NULL,
      budget_usd ${real},
      budget_tokens ${integer},
      context_used ${integer},
      context_window ${integer},
      labels ${text} NOT NULL,
      workflow ${text} NOT NULL,
      is_archived ${integer} NOT NULL,
      configuration ${text} NOT NULL,
      owner ${text},
      fence ${integer} NOT NULL,
      lease_until ${integer} NOT NULL,
      child ${text}
    )${strict}`,
    sql`CREATE INDEX runs_by_time ON runs (created_at)`,
    sql`CREATE INDEX runs_by_status ON runs (status)`,
  ]
}

function talkTables({ integer, text, strict }: ColumnTypes): readonly Sql[] {
  return [
    sql`CREATE TABLE run_messages (
      run_id ${text} NOT NULL,
      seq ${integer} NOT NULL CHECK (seq > 0),
      id ${text} NOT NULL UNIQUE,
      type ${text} NOT NULL,
      role ${text} NOT NULL,
      content ${text} NOT NULL,
      at ${integer} NOT NULL,
      metadata ${text} NOT NULL,
      raw ${text},
      PRIMARY KEY (run_id, seq)
    )${strict}`,
    sql`CREATE TABLE run_approvals (
      id ${text} PRIMARY KEY,
      run_id ${text} NOT NULL,
      host_id ${text} NOT NULL,
      tool ${text} NOT NULL,
      title ${text} NOT NULL,
      input ${text} NOT NULL,
      digest ${text} NOT NULL,
      status ${text} NOT NULL,
      requested_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      answered_at ${integer},
      answered_by ${text},
      note ${text}
    )${strict}`,
    sql`CREATE INDEX run_approvals_by_run ON run_approvals (run_id, status)`,
    sql`CREATE TABLE run_commands (
      run_id ${text} NOT NULL,
      seq ${integer} NOT NULL CHECK (seq > 0),
      id ${text} NOT NULL UNIQUE,
      kind ${text} NOT NULL,
      body ${text} NOT NULL,
      at ${integer} NOT NULL,
      done_at ${integer},
      PRIMARY KEY (run_id, seq)
    )${strict}`,
  ]
}
