import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const remoteRunners: Migration = {
  number: 21,
  name: "remote-runners",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE remote_runners (
      id ${text} NOT NULL PRIMARY KEY,
      person_id ${text} NOT NULL,
      person ${text} NOT NULL,
      name ${text} NOT NULL,
      repositories ${text} NOT NULL,
      seen_at ${integer} NOT NULL
    )${strict}`,
    sql`CREATE TABLE remote_runs (
      id ${text} NOT NULL PRIMARY KEY,
      runner ${text} NOT NULL,
      repository ${text} NOT NULL,
      type ${text} NOT NULL,
      prompt ${text} NOT NULL,
      mode ${text} NOT NULL,
      requested_by ${text} NOT NULL,
      state ${text} NOT NULL,
      note ${text} NOT NULL,
      stop_wanted ${integer} NOT NULL,
      last_seq ${integer} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL
    )${strict}`,
    sql`CREATE INDEX remote_runs_open ON remote_runs (runner, state)`,
    // A message is stored once, however often a runner sends it.
    sql`CREATE TABLE remote_messages (
      run ${text} NOT NULL,
      seq ${integer} NOT NULL,
      kind ${text} NOT NULL,
      text ${text} NOT NULL,
      at ${integer} NOT NULL,
      PRIMARY KEY (run, seq)
    )${strict}`,
    sql`CREATE TABLE remote_items (
      runner ${text} NOT NULL,
      repository ${text} NOT NULL,
      kind ${text} NOT NULL,
      id ${text} NOT NULL,
      title ${text} NOT NULL,
      text ${text} NOT NULL,
      at ${integer} NOT NULL,
      PRIMARY KEY (runner, repository, kind, id)
    )${strict}`,
  ],
}
