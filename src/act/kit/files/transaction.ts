import path from "node:path"
import {
  ensureDirectory,
  type Log,
  removeEmptyDirectory,
  removeFile,
  writeFileAtomic,
} from "#ground/base"
import type { Content } from "./inspect.ts"

/** One file as it is and as it shall be; undefined is no file. */
export type Write = {
  readonly realPath: string
  readonly before: Content | undefined
  readonly after: Content | undefined
  /** Made on the way, the outermost first. */
  readonly foldersToMake: readonly string[]
  /** Ours from before, that go when nothing is left in them; the outermost first. */
  readonly foldersToClear: readonly string[]
  readonly folderMode: number
}

/**
 * All of the files or none: when one cannot be written, or what comes after the files fails, those
 * before it are put back as they were.
 */
export async function writeAll(
  writes: readonly Write[],
  options: { readonly log: Log; readonly finish: () => Promise<void> },
): Promise<void> {
  const done: Write[] = []
  try {
    for (const write of writes) {
      // Noted first: a write that fails half way has made its folders.
      done.push(write)
      await put(write)
    }
    await options.finish()
  } catch (error) {
    for (const write of done.toReversed()) await putBack(write, options.log)
    throw error
  }
  // Not before all stands: a folder that was made anew would not have the mode it had.
  for (const { foldersToClear } of done) await clear(foldersToClear)
}

async function put(write: Write): Promise<void> {
  const { realPath, after } = write
  if (after === undefined) {
    await removeFile(realPath)
    return
  }
  // Only where it is missing: a folder that is there keeps the mode that its owner gave it.
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
    // The first failure is the one to tell; the backup of this file is named in the manifest.
    log.error("a file could not be put back", { path: realPath, error: String(error) })
  }
}

async function clear(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await removeEmptyDirectory(folder)
}
