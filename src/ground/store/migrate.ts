import { AppError, type Clock, invariant, type Log } from "#ground/base"
import { type DatabaseRow, type Driver, parseRows, type Statements } from "./driver.ts"
import { MigrationFailed, SchemaForeign, SchemaNewer } from "./errors.ts"
import { COLUMN_TYPES, type Migration } from "./migrations/migration.ts"
import {
  createMigrationsTable,
  insertMigration,
  MigrationRow,
  selectMigrations,
} from "./queries.ts"

/**
 * One transaction per migration, so a crash leaves the old or the new schema. Several processes may
 * migrate at once: each checks again inside its transaction.
 */
export async function migrate(
  driver: Driver,
  deps: {
    migrations: readonly Migration[]
    clock: Clock
    log: Log
    beforeChange: () => Promise<void>
    onCreated: (statements: Statements) => Promise<void>
  },
): Promise<void> {
  const { migrations } = deps
  invariant(isNumbered(migrations), "migrations are numbered 1, 2, 3… in the order of the list")
  const rows = await readApplied(driver)
  if (isCurrent(rows, migrations)) return
  const applied = parseRows(MigrationRow, rows)
  refuseStrangers(applied, migrations)
  const pending = migrations.slice(applied.length)
  if (pending.length === 0) return
  if (applied.length > 0) await deps.beforeChange()

  for (const migration of pending) {
    const isApplied = await applyOnce(driver, migration, deps)
    if (isApplied) deps.log.info("migration applied", { number: migration.number })
  }
}

export async function schemaVersion(all: Driver["all"]): Promise<number> {
  return parseRows(MigrationRow, await all(selectMigrations())).at(-1)?.number ?? 0
}

async function readApplied(driver: Driver): Promise<readonly DatabaseRow[]> {
  return (await driver.hasTable("schema_migrations")) ? driver.all(selectMigrations()) : []
}

/** The usual case, decided without a schema: each command opens the store. */
function isCurrent(rows: readonly DatabaseRow[], migrations: readonly Migration[]): boolean {
  const isApplied = ({ number, name }: Migration, index: number): boolean =>
    rows[index]?.["number"] === number && rows[index]["name"] === name
  return rows.length === migrations.length && migrations.every(isApplied)
}

async function applyOnce(
  driver: Driver,
  migration: Migration,
  deps: {
    migrations: readonly Migration[]
    clock: Clock
    onCreated: (s: Statements) => Promise<void>
  },
): Promise<boolean> {
  const { number, name } = migration
  const types = COLUMN_TYPES[driver.dialect]
  try {
    return await driver.transaction(async (statements) => {
      await statements.run(createMigrationsTable(types))
      const applied = parseRows(MigrationRow, await statements.all(selectMigrations()))
      refuseStrangers(applied, deps.migrations)
      if (applied.some((it) => it.number === number)) return false
      for (const statement of migration.statements(types, driver.dialect)) {
        await statements.run(statement)
      }
      await migration.rewrite?.(statements)
      if (number === 1) await deps.onCreated(statements)
      await statements.run(insertMigration({ number, name, at: deps.clock.now() }))
      return true
    })
  } catch (error) {
    if (error instanceof AppError || !(error instanceof Error)) throw error
    throw MigrationFailed({ number, name, problem: error.message }, error)
  }
}

function refuseStrangers(applied: readonly MigrationRow[], migrations: readonly Migration[]): void {
  const version = applied.at(-1)?.number ?? 0
  if (version > migrations.length) throw SchemaNewer({ found: version, known: migrations.length })
  for (const [index, row] of applied.entries()) {
    const expected = migrations[index]
    const isOurs = expected?.number === row.number && expected.name === row.name
    if (isOurs) continue
    throw SchemaForeign({
      number: row.number,
      found: row.name,
      expected: expected?.name ?? "absent",
    })
  }
}

function isNumbered(migrations: readonly Migration[]): boolean {
  return migrations.length > 0 && migrations.every((it, index) => it.number === index + 1)
}
