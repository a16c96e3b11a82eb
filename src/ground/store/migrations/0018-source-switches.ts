import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const sourceSwitches: Migration = {
  number: 18,
  name: "source-switches",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE source_switches (
      session ${text} NOT NULL,
      slug ${text} NOT NULL,
      is_on ${integer} NOT NULL,
      at ${integer} NOT NULL,
      PRIMARY KEY (session, slug)
    )${strict}`,
    // A request for a credential has its name and reason, never its value.
    sql`CREATE TABLE credential_requests (
      id ${text} NOT NULL PRIMARY KEY,
      session ${text} NOT NULL,
      client ${text} NOT NULL,
      name ${text} NOT NULL,
      reason ${text} NOT NULL,
      status ${text} NOT NULL,
      requested_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      answered_at ${integer}
    )${strict}`,
    sql`CREATE INDEX credential_requests_open ON credential_requests (status, requested_at)`,
  ],
}
