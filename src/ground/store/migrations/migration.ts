import type { Statements } from "../driver.ts"
import type { Dialect, Sql } from "../sql.ts"
import { sql } from "../sql.ts"

export type ColumnTypes = {
  readonly integer: Sql
  readonly real: Sql
  readonly text: Sql
  readonly blob: Sql
  readonly strict: Sql
}

export type Migration = {
  readonly number: number
  readonly name: string
  statements(types: ColumnTypes, dialect: Dialect): Iterable<Sql>
  /** Changes stored rows after the statements, in the same transaction. */
  rewrite?(statements: Statements): Promise<void>
}

export const COLUMN_TYPES: Readonly<Record<Dialect, ColumnTypes>> = {
  sqlite: {
    integer: sql`INTEGER`,
    real: sql`REAL`,
    text: sql`TEXT`,
    blob: sql`BLOB`,
    strict: sql` STRICT`,
  },
  // Text compares by bytes, as in SQLite: a linguistic collation would order differently.
  postgres: {
    integer: sql`BIGINT`,
    real: sql`DOUBLE PRECISION`,
    text: sql`TEXT COLLATE "C"`,
    blob: sql`BYTEA`,
    strict: sql``,
  },
}
