import { MIGRATIONS, type Migration, type Sql, sql } from "#ground/store"

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

/**
 * Every version the product has had, and two possible later ones: a table, a column computed from
 * others, an index.
 */
export const VERSIONS: readonly Migration[] = [...MIGRATIONS, ...LATER]

/**
 * The same migrations; the process kills itself before statement `dieAt`, counted from 0 over all
 * of them.
 */
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
 * The number of kill points from a version: each statement of the next step, and its end. The later
 * steps start from the same schema as the next version, so only the night run tries the whole path
 * from each version.
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
