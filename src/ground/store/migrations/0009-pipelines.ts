import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const pipelines: Migration = {
  number: 9,
  name: "pipelines",
  statements: ({ integer, text, strict }) => [
    // Short names for users: p-12 is the twelfth run of this store.
    sql`CREATE TABLE pipeline_runs (
      id ${text} NOT NULL PRIMARY KEY,
      number ${integer} NOT NULL UNIQUE,
      agent ${text} NOT NULL,
      session ${text},
      status ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      last_seq ${integer} NOT NULL,
      owner ${text},
      fence ${integer} NOT NULL,
      lease_until ${integer} NOT NULL,
      wanted ${text},
      line ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX pipeline_runs_by_session ON pipeline_runs (session, number)`,
    // Each digest includes the previous one: an edited or lost row is noticed.
    sql`CREATE TABLE pipeline_events (
      run ${text} NOT NULL REFERENCES pipeline_runs (id) ON DELETE CASCADE,
      seq ${integer} NOT NULL,
      at ${integer} NOT NULL,
      body ${text} NOT NULL,
      digest ${text} NOT NULL,
      PRIMARY KEY (run, seq)
    )${strict}`,
  ],
}
