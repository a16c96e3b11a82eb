import { DatabaseSync } from "node:sqlite"
import {
  type Clock,
  type Log,
  linkFile,
  type Random,
  removeFile,
  renameFile,
  statFile,
} from "#ground/base"
import { BackupUnusable, StoreInUse } from "../errors.ts"
import { createJournal, createJournalWriter, newEpoch } from "../journal.ts"
import { DEFAULT_BUSY_TIMEOUT_MS } from "../limits.ts"
import { updateEpoch } from "../queries.ts"
import { checkCopy, copyDatabase } from "./backup.ts"
import { fileTimestamp, liveProcesses, prepareFile, writeSeal } from "./files.ts"
import { isBusy, openSqliteDriver } from "./sqlite.ts"

export type RestoredStore = {
  file: string
  replaced: string | undefined
  events: number
  epoch: string
}

/** The new store is built beside the old one and renamed, so a crash leaves one or the other. */
export async function restoreBackup(options: {
  file: string
  into: string
  clock: Clock
  random: Random
  log: Log
}): Promise<RestoredStore> {
  const { file, into, clock } = options
  await prepareFile(into)
  await refuseInUse(into)
  await refuseUnusable(file)

  const made = `${into}.restoring`
  await removeFile(made)
  await copyDatabase(file, made)
  const { epoch, events } = await beginNewEpoch(made, options)
  const replaced = await keepReplaced(into, `replaced-${fileTimestamp(clock.now())}`)
  await renameFile(made, into, { existing: "replace" })
  await writeSeal(into, epoch)
  options.log.info("store restored", { file, replaced, events })
  return { file, replaced, events, epoch }
}

/** Marks name processes; the lock also detects processes of other containers. */
async function refuseInUse(file: string): Promise<void> {
  const live = await liveProcesses(file)
  if (live.length > 0) throw StoreInUse({ processes: live.map((it) => it.pid).join(", ") })
  if (isHeld(file)) throw StoreInUse({ processes: "a process outside this machine" })
}

function isHeld(file: string): boolean {
  try {
    using database = new DatabaseSync(file)
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK")
    return false
  } catch (error) {
    return isBusy(error)
  }
}

async function refuseUnusable(file: string): Promise<void> {
  const stat = await statFile(file)
  if (stat.kind !== "found" || stat.what !== "regular file") {
    throw BackupUnusable({ file, problem: "the file does not exist" })
  }
  const problem = checkCopy(file) ?? (hasJournal(file) ? undefined : "it is not a qm store")
  if (problem !== undefined) throw BackupUnusable({ file, problem })
}

function hasJournal(file: string): boolean {
  using database = new DatabaseSync(file, { readOnly: true })
  const named = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'journal_head'")
  return named.get() !== undefined
}

/** Invalidates older cursors: the restored journal may continue differently. */
async function beginNewEpoch(
  made: string,
  options: { file: string; clock: Clock; random: Random; log: Log },
): Promise<{ epoch: string; events: number }> {
  const busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS
  const driver = await openSqliteDriver({ ...options, file: made, busyTimeoutMs })
  try {
    const { seq: events } = await createJournal(driver.all).head()
    const epoch = newEpoch(options.random)
    const journalWriter = createJournalWriter(options).collect("store")
    journalWriter.emit("store.restored", { file: options.file, events })
    await driver.transaction(async (statements) => {
      await statements.run(updateEpoch(epoch))
      await journalWriter.write(statements)
    })
    return { epoch, events }
  } finally {
    await driver.close({ isLast: true })
  }
}

/**
 * The old database stays at its path until the new one replaces it, so there is always a store. Its
 * log is renamed first: it must not be replayed into the new one.
 */
async function keepReplaced(file: string, label: string): Promise<string | undefined> {
  const fileStat = await statFile(file)
  if (fileStat.kind !== "found" || fileStat.stat.sizeBytes === 0) return undefined
  const replaced = `${file}.${label}`
  await linkFile(file, replaced)
  await renameFile(`${file}-wal`, `${replaced}-wal`)
  await renameFile(`${file}-shm`, `${replaced}-shm`)
  return replaced
}
