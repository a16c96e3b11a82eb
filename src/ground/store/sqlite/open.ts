import type { Clock, Log, Random } from "#ground/base"
import type { Driver, OwnedDriver, Statements } from "../driver.ts"
import { StoreCorrupt } from "../errors.ts"
import { createJournal } from "../journal.ts"
import { migrate } from "../migrate.ts"
import type { Migration } from "../migrations/migration.ts"
import { findNewestBackup, makeBackup } from "./backup.ts"
import { requireRecentSqlite } from "./connection.ts"
import { checkForLog, fileTimestamp, inodeOf, keptCorrupt, prepareFile, setAside } from "./files.ts"
import { findLostCommits } from "./log.ts"
import { liveProcesses, markOpen } from "./marks.ts"
import { findSchemaDamage } from "./schema.ts"
import { readSeal, verifySeal, writeSeal } from "./seal.ts"
import { openSqliteDriver, type SqliteDriver } from "./sqlite.ts"

export type SqliteOptions = {
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
 * Opens the file, looks at it closely when it was not left in good order, and brings its schema up
 * to date. A damaged file is kept under another name, so that the next open begins anew.
 */
export async function openSqliteFile(options: SqliteOptions): Promise<OwnedDriver> {
  requireRecentSqlite(process.versions["sqlite"] ?? "0")
  const { file, log } = options
  const state = await look(file)
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
    // At once, so that a log of another store is told apart even before the first clean close.
    if (state.isNew) await writeSeal(file, epoch).catch(() => {})
    return closable(driver, { file, unmark, epoch })
  } catch (error) {
    await driver?.close({ isLast: false })
    await unmark()
    throw await keepAside(error, { state, options })
  }
}

type Look = Awaited<ReturnType<typeof look>>

/** How the file was left: by a clean close, by a crash, or not at all. */
async function look(file: string) {
  const { isNew } = await prepareFile(file)
  const isShared = (await liveProcesses(file)).length > 0
  const seal = await readSeal(file)
  return {
    isNew,
    isShared,
    mustCheck: !isShared && !isNew && !(await verifySeal(file, seal)),
    hadLog: await checkForLog(file),
    inode: await inodeOf(file),
    sealedEpoch: seal?.epoch,
  }
}

async function refuseDamage(driver: Driver, migrations: readonly Migration[]): Promise<void> {
  const [finding] = await driver.findDamage("quick")
  if (finding !== undefined) throw StoreCorrupt({ what: finding })
  const [changed] = await findSchemaDamage(driver, migrations)
  if (changed !== undefined) throw StoreCorrupt({ what: changed })
}

/**
 * SQLite replays any well-formed log that lies beside the file, also one of another store. The
 * epoch of the last clean close tells them apart.
 */
function refuseForeignLog(state: Look, epoch: string): void {
  const isForeign = state.sealedEpoch !== undefined && state.sealedEpoch !== epoch
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
  deps: { file: string; unmark: () => Promise<void>; epoch: string },
): OwnedDriver {
  const { file, epoch } = deps
  return {
    ...driver,
    async close() {
      await deps.unmark()
      const isLast = (await liveProcesses(file)).length === 0
      await driver.close({ isLast })
      const isSound = isLast && driver.stopped() === undefined && !(await checkForLog(file))
      // Without a seal, as on a full disk, the next open checks the file; nothing else is lost.
      if (isSound) await writeSeal(file, epoch).catch(() => {})
    },
  }
}

/**
 * A damaged file is moved away only by the one process that has it open, and only if it is still
 * the file that was looked at: another process may have moved it and begun anew.
 */
async function keepAside(
  error: unknown,
  { state, options }: { state: Look; options: SqliteOptions },
): Promise<unknown> {
  if (!StoreCorrupt.is(error)) return error
  const { file, clock, log } = options
  const { what } = error.data
  const backup = await findNewestBackup(options.backupDirectory)
  const isOurs = !state.isShared && (await inodeOf(file)) === state.inode
  if (!isOurs) return StoreCorrupt({ what, backup }, error)
  const kept = await setAside(file, `corrupt-${fileTimestamp(clock.now())}`)
  log.error("damaged store kept aside", { kept, what })
  return StoreCorrupt({ what, kept, backup }, error)
}

async function warnOfKept(file: string, log: Log): Promise<void> {
  const kept = (await keptCorrupt(file)).at(-1)
  if (kept !== undefined) log.warn("starting an empty store beside a damaged one", { kept })
}
