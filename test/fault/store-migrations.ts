import { MIGRATIONS, type Migration, type Sql, sql } from "#ground/store"

/** What later versions might do: a table, a column that is filled from others, an index. */
const LATER: readonly Migration[] = [
  {
    number: MIGRATIONS.length + 1,
    name: "later-tables",
    statements: ({ integer, text, strict }) => [
      sql`CREATE TABLE later (id ${text} PRIMARY KEY, length ${integer} NOT NULL)${strict}`,
      sql`INSERT INTO later (id, length) SELECT id, length(body) FROM journal`,
      sql`CREATE INDEX later_length ON later (length)`,
    ],
  },
  {
    number: MIGRATIONS.length + 2,
    name: "later-column",
    statements: ({ text }) => [
      sql`ALTER TABLE later ADD COLUMN name ${text}`,
      sql`UPDATE later SET name = (SELECT name FROM journal WHERE journal.id = later.id)`,
    ],
  },
]

/** Every version the product has had, and two that it might have. */
export const VERSIONS: readonly Migration[] = [...MIGRATIONS, ...LATER]

/** The same migrations, dying before statement `dieAt`, counted over all of them from 0. */
export function dyingMigrations(dieAt: number, fromVersion: number): readonly Migration[] {
  let counted = 0
  function* deadly(statements: Iterable<Sql>): Iterable<Sql> {
    for (const statement of statements) {
      if (counted++ === dieAt) process.kill(process.pid, "SIGKILL")
      yield statement
    }
    // After the last statement, before the migration is recorded and committed.
    if (counted++ === dieAt) process.kill(process.pid, "SIGKILL")
  }
  return VERSIONS.map((it) => ({
    ...it,
    statements: (types, dialect) =>
      it.number > fromVersion
        ? deadly(it.statements(types, dialect))
        : it.statements(types, dialect),
  }))
}

/**
 * Places to die when coming from a version: each statement of the next step, and its end. What
 * follows is the step of the next version, from the same schema; at night the whole way is gone from
 * each.
 */
export function placesToDie(fromVersion: number): number {
  const isWholeWay = process.env["QM_NIGHT"] !== undefined
  const none = sql``
  const types = { integer: none, real: none, text: none, blob: none, strict: none }
  const steps = VERSIONS.filter((it) => it.number > fromVersion)
  return (isWholeWay ? steps : steps.slice(0, 1)).reduce(
    (sum, it) => sum + [...it.statements(types, "sqlite")].length + 1,
    0,
  )
}
