import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

export const captureRuns: Migration = {
  number: 16,
  name: "capture-runs",
  statements: ({ text }) => [sql`ALTER TABLE captures ADD COLUMN last_run ${text}`],
}
