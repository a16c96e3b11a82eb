import { z } from "zod"
import {
  type Clock,
  FileExists,
  isSameProcessAlive,
  linkFile,
  processIdentity,
  type Random,
  readTextBounded,
  removeFile,
  renameFile,
  writeFileAtomic,
} from "#ground/base"
import { CredentialsBusy } from "./errors.ts"
import { LARGEST_LOCK_BYTES, LOCK_TRIES, LOCK_TRY_MS } from "./limits.ts"

const Holder = z.object({ pid: z.int(), startedAt: z.string().optional() })

type LockDeps = { readonly clock: Pick<Clock, "sleep">; readonly random: Random }

/** One writer at a time, of all processes: each begins with what the one before has left. */
export async function withLock<Result>(
  file: string,
  deps: LockDeps,
  work: () => Promise<Result>,
): Promise<Result> {
  await take(file, deps)
  try {
    return await work()
  } finally {
    await removeFile(file)
  }
}

async function take(file: string, { clock, random }: LockDeps): Promise<void> {
  const own = `${file}.${Buffer.from(random.bytes(8)).toString("hex")}`
  await writeFileAtomic(own, JSON.stringify(processIdentity()))
  try {
    for (let tries = 1; ; tries++) {
      if (await link(own, file)) return
      const pid = await aliveHolder(file)
      if (pid === undefined) await clearDead(file, own)
      else if (tries >= LOCK_TRIES) throw CredentialsBusy({ pid })
      else await clock.sleep(LOCK_TRY_MS)
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
  const read = await readTextBounded(file, { maxBytes: LARGEST_LOCK_BYTES })
  const holder = read.kind === "read" ? Holder.safeParse(parseJson(read.text)).data : undefined
  if (holder === undefined) return undefined
  const { pid, startedAt } = holder
  return isSameProcessAlive({ pid, startedAt }) ? pid : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
