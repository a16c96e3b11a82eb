import { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import type { Clock, Log, Random } from "#ground/base"
import { type Driver, type OwnedDriver, parseRows, type Statements } from "../driver.ts"
import { StoreCorrupt } from "../errors.ts"
import { createJournal } from "../journal.ts"
import { migrate, schemaVersion } from "../migrate.ts"
import { COLUMN_TYPES, type Migration } from "../migrations/migration.ts"
import { createMigrationsTable } from "../queries.ts"
import { render, sql } from "../sql.ts"
import { findNewestBackup, makeBackup } from "./backup.ts"
import { requireRecentSqlite } from "./connection.ts"
import {
  checkForLog,
  fileTimestamp,
  inodeOf,
  keptCorrupt,
  liveProcesses,
  markOpen,
  prepareFile,
  readSeal,
  setAside,
  verifySeal,
  writeSeal,
} from "./files.ts"
import { openSqliteDriver, type SqliteDriver } from "./sqlite.ts"
import { findLostCommits } from "./write-ahead-log.ts"

type SqliteOptions = {
  readonly file: string
  readonly backupDirectory: string
  readonly keepBackups: number
  readonly busyTimeoutMs: number
  readonly migrations: readonly Migration[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  onCreated(statements: Statements): Promise<void>
}

/**
 * Opens the file, checks it unless it was closed cleanly, and migrates. A damaged file is renamed,
 * so the next open starts an empty store.
 */
export async function openSqliteFile(options: SqliteOptions): Promise<OwnedDriver> {
  requireRecentSqlite(process.versions["sqlite"] ?? "0")
  const { file, log } = options
  const state = await readStoreState(file)
  const lost = state.mustCheck ? await findLostCommits(file) : undefined
  if (state.isNew) await warnOfKept(file, log)
  const unmark = await markOpen(file, options.random)
  let driver: SqliteDriver | undefined
  try {
    if (lost !== undefined) throw StoreCorrupt({ what: lost })
    driver = await openSqliteDriver(options)
    if (state.mustCheck) await refuseDamage(driver, options.migrations)
    await migrate(driver, { ...options, beforeChange: () => backUpFirst(options) })
    const { epoch } = await createJournal(driver.all).head()
    if (state.mustCheck) refuseForeignLog(state, epoch)
    await driver.claimFile(epoch)
    // Written now, so that a foreign log is detected before the first clean close.
    if (state.isNew) await writeSeal(file, epoch).catch(() => {})
    return closable(driver, { file, unmark, epoch, seal: state.seal })
  } catch (error) {
    await driver?.close({ isLast: false })
    await unmark()
    throw await keepAside(error, { state, options })
  }
}

type StoreState = Awaited<ReturnType<typeof readStoreState>>

async function readStoreState(file: string) {
  const { isNew } = await prepareFile(file)
  const isShared = (await liveProcesses(file)).length > 0
  const seal = await readSeal(file)
  return {
    isNew,
    isShared,
    mustCheck: !isShared && !isNew && !(await verifySeal(file, seal)),
    hadLog: await checkForLog(file),
    inode: await inodeOf(file),
    seal,
  }
}

async function refuseDamage(driver: Driver, migrations: readonly Migration[]): Promise<void> {
  const [finding] = await driver.findDamage("quick")
  if (finding !== undefined) throw StoreCorrupt({ what: finding })
  const [changed] = await findSchemaDamage(driver, migrations)
  if (changed !== undefined) throw StoreCorrupt({ what: changed })
}

/**
 * SQLite replays any well-formed log beside the file, also one of another store. The epoch of the
 * last clean close distinguishes them.
 */
function refuseForeignLog(state: StoreState, epoch: string): void {
  const isForeign = state.seal !== undefined && state.seal.epoch !== epoch
  if (!isForeign || !state.hadLog) return
  throw StoreCorrupt({ what: "its write-ahead log belongs to another store" })
}

async function backUpFirst(options: SqliteOptions): Promise<void> {
  const { backupDirectory: directory, keepBackups: keep, log } = options
  const made = await makeBackup({ ...options, directory, keep })
  log.info("store backed up before a migration", made)
}

function closable(
  driver: SqliteDriver,
  deps: { file: string; unmark: () => Promise<void>; epoch: string; seal: StoreState["seal"] },
): OwnedDriver {
  const { file, epoch, seal } = deps
  return {
    ...driver,
    async close() {
      await deps.unmark()
      const isLast = (await liveProcesses(file)).length === 0
      await driver.close({ isLast })
      const isSound = isLast && driver.stopped() === undefined && !(await checkForLog(file))
      // Without a seal (full disk) the next open checks the file.
      if (isSound) await writeSeal(file, epoch, seal).catch(() => {})
    },
  }
}

/**
 * Only the one process that has the damaged file open renames it, and only if it is still the same
 * file: another may have replaced it.
 */
async function keepAside(
  error: unknown,
  { state, options }: { state: StoreState; options: SqliteOptions },
): Promise<unknown> {
  if (!StoreCorrupt.is(error)) return error
  const { file, clock, log } = options
  const { what } = error.data
  const backup = await findNewestBackup(options.backupDirectory)
  const isOurs = !state.isShared && (await inodeOf(file)) === state.inode
  if (!isOurs) return StoreCorrupt({ what, backup }, error)
  const renamedTo = await setAside(file, `corrupt-${fileTimestamp(clock.now())}`)
  log.error("damaged store renamed", { kept: renamedTo, what })
  return StoreCorrupt({ what, kept: renamedTo, backup }, error)
}

async function warnOfKept(file: string, log: Log): Promise<void> {
  const corruptFile = (await keptCorrupt(file)).at(-1)
  if (corruptFile !== undefined)
    log.warn("starting an empty store; a damaged one was renamed", { kept: corruptFile })
}

const SchemaRow = z.object({ name: z.string(), sql: z.string().nullable() })

const SELECT_SCHEMA = sql`SELECT name, sql FROM sqlite_schema ORDER BY name`

/**
 * A flipped byte in the schema text passes SQLite's check and would appear as a missing table, so
 * the schema is compared with a fresh database of the same version.
 */
async function findSchemaDamage(
  driver: Driver,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const rows = parseRows(SchemaRow, await driver.all(SELECT_SCHEMA))
  if (rows.length === 0) return []
  if (!rows.some((it) => it.name === "schema_migrations")) {
    return ["the table schema_migrations is missing"]
  }
  const version = await schemaVersion(driver.all)
  const sqlByName = new Map(rows.map((it) => [it.name, it.sql]))
  return expectedSchema(migrations.slice(0, version))
    .filter((it) => sqlByName.get(it.name) !== it.sql)
    .map((it) => `the definition of ${it.name} has changed`)
}

function expectedSchema(migrations: readonly Migration[]): readonly z.infer<typeof SchemaRow>[] {
  const fresh = new DatabaseSync(":memory:")
  try {
    const types = COLUMN_TYPES.sqlite
    fresh.exec(render(createMigrationsTable(types), "sqlite"))
    for (const migration of migrations) {
      for (const statement of migration.statements(types, "sqlite")) {
        fresh.prepare(render(statement, "sqlite")).run(...statement.values)
      }
    }
    return parseRows(SchemaRow, fresh.prepare(render(SELECT_SCHEMA, "sqlite")).all())
  } finally {
    fresh.close()
  }
}
