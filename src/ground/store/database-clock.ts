import type { Clock } from "#ground/base"
import { type Dialect, type Sql, sql } from "./sql.ts"

/**
 * Milliseconds since 1970 on the database's clock. On Postgres it is the server's clock, so
 * that nodes with different clocks agree on which lease has expired. An SQLite store has one
 * machine, whose clock is passed in.
 */
export function databaseNow({ dialect }: { readonly dialect: Dialect }, clock: Clock): Sql {
  return dialect === "postgres"
    ? sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`
    : sql`${clock.now()}`
}
