import { join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import {
  type Clock,
  ensureDirectory,
  type Random,
  removeFile,
  renameFile,
  statFile,
} from "#ground/base"
import { StoreCorrupt } from "../errors.ts"
import { BLOCKING_WAIT_MS } from "../limits.ts"
import { judgeSqlite } from "./failures.ts"
import { fileTimestamp, makePrivate, namesIn } from "./files.ts"

/** 4 MB per step, so the event loop is not blocked. */
const BACKUP_PAGES_PER_STEP = 1_000

export type MadeBackup = { file: string; sizeBytes: number }

/**
 * Copies the store while others write: a snapshot is checked and synced before it gets its name.
 * Deletes the oldest backups beyond `keep`.
 */
export async function makeBackup(options: {
  file: string
  directory: string
  keep: number
  clock: Clock
  random: Random
}): Promise<MadeBackup> {
  const { file, directory } = options
  await ensureDirectory(directory, { mode: 0o700 })
  const chance = Buffer.from(options.random.bytes(6)).toString("hex")
  const copy = join(directory, `.copying-${chance}.tmp`)
  try {
    await copyDatabase(file, copy)
    const damage = checkCopy(copy)
    if (damage !== undefined) throw StoreCorrupt({ what: damage })
    const name = await freeName(directory, fileTimestamp(options.clock.now()))
    await renameFile(copy, name)
    await prune({ directory, keep: options.keep, newest: name })
    const fileStat = await statFile(name)
    return { file: name, sizeBytes: fileStat.kind === "found" ? fileStat.stat.sizeBytes : 0 }
  } finally {
    await removeFile(copy)
  }
}

export async function findNewestBackup(directory: string): Promise<string | undefined> {
  return (await listBackups(directory)).at(-1)
}

export type FoundBackup = { file: string; sizeBytes: number; at: number }

export async function describeNewestBackup(directory: string): Promise<FoundBackup | undefined> {
  const file = await findNewestBackup(directory)
  const fileStat = file === undefined ? undefined : await statFile(file)
  if (file === undefined || fileStat?.kind !== "found") return undefined
  const { sizeBytes, modifiedAtMs } = fileStat.stat
  return { file, sizeBytes, at: Math.round(modifiedAtMs) }
}

const BACKUP_NAME = /^store-\d{8}T\d{9}Z(?:-\d+)?\.db$/

async function listBackups(directory: string): Promise<readonly string[]> {
  const names = await namesIn(directory)
  return names.filter((it) => BACKUP_NAME.test(it)).map((it) => join(directory, it))
}

async function freeName(directory: string, timestamp: string): Promise<string> {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `-${number}`
    const name = join(directory, `store-${timestamp}${suffix}.db`)
    if ((await statFile(name)).kind === "missing") return name
  }
}

/** Never deletes the newest, whatever its name: the wall clock may have been set back. */
async function prune(folder: { directory: string; keep: number; newest: string }): Promise<void> {
  const older = (await listBackups(folder.directory)).filter((it) => it !== folder.newest)
  for (const file of older.slice(0, Math.max(0, older.length - (folder.keep - 1)))) {
    await removeFile(file)
  }
}

/**
 * The open savepoint keeps one snapshot: without it the copy would restart at every write of
 * another process.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await makePrivate(to)
  try {
    using source = new DatabaseSync(from, { timeout: BLOCKING_WAIT_MS })
    source.exec("SAVEPOINT snapshot; SELECT count(*) FROM sqlite_schema")
    await backup(source, to, { rate: BACKUP_PAGES_PER_STEP })
    source.exec("RELEASE snapshot")
    using copy = new DatabaseSync(to)
    // One file: in WAL mode it would get companion files when opened.
    copy.exec("PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE")
  } catch (error) {
    const failure = judgeSqlite(error, { file: to, isWrite: false })
    throw failure.kind === "busy" ? error : failure.error
  }
}

export function checkCopy(file: string): string | undefined {
  try {
    using copy = new DatabaseSync(file)
    const findings = copy.prepare("PRAGMA quick_check(1)").all().flatMap(Object.values)
    return findings.map(String).find((it) => it !== "ok")
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read"
  }
}
