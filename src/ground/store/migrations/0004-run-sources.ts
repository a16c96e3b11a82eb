import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const runSources: Migration = {
  number: 4,
  name: "run-sources",
  statements: ({ integer, text }) => [
    sql`ALTER TABLE runs ADD COLUMN origin ${text} NOT NULL DEFAULT 'started'`,
    sql`ALTER TABLE runs ADD COLUMN read_from ${text}`,
    sql`ALTER TABLE runs ADD COLUMN read_until ${integer} NOT NULL DEFAULT 0`,
    sql`ALTER TABLE run_approvals ADD COLUMN path ${text}`,
    sql`ALTER TABLE run_approvals ADD COLUMN cwd ${text} NOT NULL DEFAULT ''`,
    sql`ALTER TABLE run_approvals ADD COLUMN used_at ${integer}`,
    sql`CREATE INDEX runs_by_session ON runs (session_id)`,
    sql`CREATE INDEX run_commands_open ON run_commands (run_id, done_at)`,
  ],
}
