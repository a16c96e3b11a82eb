import { join } from "node:path"
import {
  type Clock,
  ensureDirectory,
  type Random,
  removeFile,
  renameFile,
  statFile,
} from "#ground/base"
import { StoreCorrupt } from "../errors.ts"
import { checkCopy, copyDatabase } from "./copy.ts"
import { fileTimestamp, namesIn } from "./files.ts"

export type MadeBackup = { file: string; sizeBytes: number }

/**
 * Copies the store while others write: the copy is of one moment, checked and durable, and only
 * then gets its name. The oldest beyond `keep` go.
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
    const found = await statFile(name)
    return { file: name, sizeBytes: found.kind === "found" ? found.stat.sizeBytes : 0 }
  } finally {
    await removeFile(copy)
  }
}

/** The path of the youngest backup in a folder. */
export async function findNewestBackup(directory: string): Promise<string | undefined> {
  return (await listBackups(directory)).at(-1)
}

export type FoundBackup = { file: string; sizeBytes: number; at: number }

export async function describeNewestBackup(directory: string): Promise<FoundBackup | undefined> {
  const file = await findNewestBackup(directory)
  const found = file === undefined ? undefined : await statFile(file)
  if (file === undefined || found?.kind !== "found") return undefined
  const { sizeBytes, modifiedAtMs } = found.stat
  return { file, sizeBytes, at: Math.round(modifiedAtMs) }
}

const BACKUP_NAME = /^store-\d{8}T\d{9}Z(?:-\d+)?\.db$/

async function listBackups(directory: string): Promise<readonly string[]> {
  const names = await namesIn(directory)
  return names.filter((it) => BACKUP_NAME.test(it)).map((it) => join(directory, it))
}

/** Two backups in one millisecond get a number each. */
async function freeName(directory: string, timestamp: string): Promise<string> {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? "" : `-${number}`
    const name = join(directory, `store-${timestamp}${suffix}.db`)
    if ((await statFile(name)).kind === "missing") return name
  }
}

/** The one just made stays whatever its name says: the wall clock may have been set back. */
async function prune(folder: { directory: string; keep: number; newest: string }): Promise<void> {
  const older = (await listBackups(folder.directory)).filter((it) => it !== folder.newest)
  for (const file of older.slice(0, Math.max(0, older.length - (folder.keep - 1)))) {
    await removeFile(file)
  }
}
