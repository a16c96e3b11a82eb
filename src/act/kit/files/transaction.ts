import path from "node:path"
import {
  ensureDirectory,
  type Log,
  removeEmptyDirectory,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import type { Content } from "./inspect.ts"

/** `undefined` means that the file does not exist. */
export type Write = {
  readonly realPath: string
  readonly before: Content | undefined
  readonly after: Content | undefined
  /** Outermost first. */
  readonly foldersToMake: readonly string[]
  readonly foldersToClear: readonly string[]
  readonly folderMode: number
}

/** Writes all files or none: if a write or `finish` fails, the earlier writes are rolled back. */
export async function writeAll(
  writes: readonly Write[],
  options: { readonly log: Log; readonly finish: () => Promise<void> },
): Promise<void> {
  const done: Write[] = []
  try {
    for (const write of writes) {
      // Recorded before the write, because a failing write may already have created its folders.
      done.push(write)
      await put(write)
    }
    await options.finish()
  } catch (error) {
    for (const write of done.toReversed()) await putBack(write, options.log)
    throw error
  }
  // Only after all writes: a folder that had to be recreated would lose its mode.
  // Deepest first over all files: a folder is empty only after those of its other files are removed.
  const folders = new Set(done.flatMap((it) => it.foldersToClear))
  await clear([...folders].toSorted((a, b) => a.length - b.length))
}

async function put(write: Write): Promise<void> {
  const { realPath, after } = write
  if (after === undefined) {
    await removeFile(realPath)
    return
  }
  if (write.foldersToMake.length > 0)
    await ensureDirectory(path.dirname(realPath), { mode: write.folderMode })
  await writeFileAtomic(realPath, after.bytes, { mode: after.mode })
}

async function putBack(write: Write, log: Log): Promise<void> {
  const { realPath, before } = write
  try {
    if (before !== undefined) {
      await writeFileAtomic(realPath, before.bytes, { mode: before.mode })
      return
    }
    await removeFile(realPath)
    await clear(write.foldersToMake)
  } catch (error) {
    // The first failure is reported; the manifest names the backup of this file.
    log.error("a file could not be restored", { path: realPath, error: String(error) })
  }
}

async function clear(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await removeEmptyDirectory(folder)
}
