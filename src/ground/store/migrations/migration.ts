import type { Dialect, Sql } from "../sql.ts"
import { sql } from "../sql.ts"

/** The few words in which the two databases declare columns differently. */
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
  /** Applied in order, in one transaction together with the row that records the migration. */
  statements(types: ColumnTypes, dialect: Dialect): Iterable<Sql>
}

export const COLUMN_TYPES: Readonly<Record<Dialect, ColumnTypes>> = {
  sqlite: {
    integer: sql`INTEGER`,
    real: sql`REAL`,
    text: sql`TEXT`,
    blob: sql`BLOB`,
    strict: sql` STRICT`,
  },
  // Text compares by bytes, as in SQLite: a linguistic collation would order and range differently.
  postgres: {
    integer: sql`BIGINT`,
    real: sql`DOUBLE PRECISION`,
    text: sql`TEXT COLLATE "C"`,
    blob: sql`BYTEA`,
    strict: sql``,
  },
}
