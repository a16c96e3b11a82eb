import path from "node:path"
import {
  type Clock,
  ensureDirectory,
  type Random,
  removeEmptyDirectory,
  statFile,
  withFileLock,
} from "#ground/base"
import { InstallerBusy } from "../errors.ts"
import { LOCK_TRIES, LOCK_TRY_MS } from "../limits.ts"

type LockDeps = { readonly clock: Pick<Clock, "sleep">; readonly random: Random }

/** One installer at a time. Folders that were made only for the lock go with it. */
export async function withLock<Result>(
  folder: string,
  { clock, random }: LockDeps,
  work: (madeFolders: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const made = await missingAt([path.dirname(folder), folder])
  await ensureDirectory(folder)
  const lock = { clock, random, tries: LOCK_TRIES, tryMs: LOCK_TRY_MS, busy: InstallerBusy }
  try {
    return await withFileLock(path.join(folder, "install.lock"), lock, () => work(made))
  } finally {
    for (const it of made.toReversed()) await removeEmptyDirectory(it)
  }
}

async function missingAt(folders: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const it of folders) if ((await statFile(it)).kind === "missing") missing.push(it)
  return missing
}
