import { basename, dirname, join } from "node:path"
import {
  createFile,
  ensureDirectory,
  FileNotWritable,
  listDirectory,
  renameFile,
  setFileMode,
  statFile,
} from "#ground/base"
import { StoreNotWritable } from "../errors.ts"
import { MAX_LISTED_FILES } from "../limits.ts"

/** The folder private, the file there and private; SQLite gives its other files the same mode. */
export async function prepareFile(file: string): Promise<{ isNew: boolean }> {
  try {
    await ensureDirectory(dirname(file), { mode: 0o700 })
    return await makePrivate(file)
  } catch (error) {
    if (FileNotWritable.is(error)) throw StoreNotWritable({ path: file }, error)
    throw error
  }
}

/** There, and for the owner's eyes only. */
export async function makePrivate(file: string): Promise<{ isNew: boolean }> {
  const { kind } = await createFile(file, { mode: 0o600 })
  if (kind === "created") return { isNew: true }
  const found = await statFile(file)
  if (found.kind !== "found") return { isNew: false }
  if (found.stat.mode !== 0o600) await setFileMode(file, 0o600)
  return { isNew: found.stat.sizeBytes === 0 }
}

/** Whether a write-ahead log waits beside the file: it was in use, or its process died. */
export async function checkForLog(file: string): Promise<boolean> {
  const log = await statFile(`${file}-wal`)
  return log.kind === "found" && log.stat.sizeBytes > 0
}

/** Tells a file from another that took its name. */
export async function inodeOf(file: string): Promise<number | undefined> {
  const found = await statFile(file)
  return found.kind === "found" ? found.stat.inode : undefined
}

/**
 * Gives the database, its log and its shared memory another name; nothing is ever deleted. The log
 * goes before the database: alone it is nothing, but beside a new database it would be replayed.
 */
export async function setAside(file: string, label: string): Promise<string> {
  for (const part of ["-shm", "-wal", ""]) {
    await renameFile(`${file}${part}`, `${file}.${label}${part}`)
  }
  return `${file}.${label}`
}

/** Damaged databases that were kept, newest last. */
export async function keptCorrupt(file: string): Promise<readonly string[]> {
  const names = await namesIn(dirname(file))
  const kept = names.filter((it) => it.startsWith(`${basename(file)}.corrupt-`))
  return kept.filter((it) => !/-(?:wal|shm)$/.test(it)).map((it) => join(dirname(file), it))
}

/** Names in a folder, sorted; a folder that is missing has none. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  const outcome = await listDirectory(directory, { maxEntries: MAX_LISTED_FILES })
  return outcome.kind === "listed" ? outcome.entries.map((it) => it.name) : []
}

/** 20261115T094500123Z: sorts by time and may stand in a file's name. */
export function fileTimestamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:.]/g, "")
}
