import path from "node:path"
import { z } from "zod"
import {
  type Clock,
  ensureDirectory,
  FileExists,
  isSameProcessAlive,
  linkFile,
  processIdentity,
  type Random,
  readTextBounded,
  removeEmptyDirectory,
  removeFile,
  renameFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { InstallerBusy } from "../errors.ts"
import { LOCK_TRIES, LOCK_TRY_MS } from "../limits.ts"

const Holder = z.object({ pid: z.int(), startedAt: z.string().optional() })

type LockDeps = { readonly clock: Pick<Clock, "sleep">; readonly random: Random }

/** One installer at a time. Folders that were made only for the lock go with it. */
export async function withLock<Result>(
  folder: string,
  deps: LockDeps,
  work: (madeFolders: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const made = await missingAt([path.dirname(folder), folder])
  await ensureDirectory(folder)
  const file = path.join(folder, "install.lock")
  try {
    await take(file, deps)
    try {
      return await work(made)
    } finally {
      await removeFile(file)
    }
  } finally {
    for (const it of made.toReversed()) await removeEmptyDirectory(it)
  }
}

async function missingAt(folders: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const it of folders) if ((await statFile(it)).kind === "missing") missing.push(it)
  return missing
}

async function take(file: string, deps: LockDeps): Promise<void> {
  const own = `${file}.${Buffer.from(deps.random.bytes(8)).toString("hex")}`
  await writeFileAtomic(own, JSON.stringify(processIdentity()))
  try {
    for (let tries = 1; ; tries++) {
      if (await link(own, file)) return
      const pid = await aliveHolder(file)
      if (pid === undefined) await clearDead(file, own)
      else if (tries === LOCK_TRIES) throw InstallerBusy({ pid })
      else await deps.clock.sleep(LOCK_TRY_MS)
    }
  } finally {
    await removeFile(own)
  }
}

/** The file appears whole or not at all, so that nobody reads a lock without a holder. */
async function link(own: string, file: string): Promise<boolean> {
  try {
    await linkFile(own, file)
    return true
  } catch (error) {
    if (FileExists.is(error)) return false
    throw error
  }
}

/** Taken aside before it is deleted: a faster one may have put a living lock there meanwhile. */
async function clearDead(file: string, own: string): Promise<void> {
  const aside = `${own}.dead`
  if ((await renameFile(file, aside)).kind === "missing") return
  if ((await aliveHolder(aside)) !== undefined) await link(aside, file)
  await removeFile(aside)
}

/** Undefined when the one who took it has died, or the lock says nothing that can be believed. */
async function aliveHolder(file: string): Promise<number | undefined> {
  const read = await readTextBounded(file, { maxBytes: 1_024 })
  // Given back a moment ago: the next try will see.
  if (read.kind !== "read") return undefined
  const holder = Holder.safeParse(parseJson(read.text))
  if (!holder.success) return undefined
  const { pid, startedAt } = holder.data
  return isSameProcessAlive({ pid, startedAt }) ? pid : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
