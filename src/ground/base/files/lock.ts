import { type Clock, systemClock } from "../clock.ts"
import { FileBusy, FileExists } from "../errors.ts"
import { type Random, systemRandom } from "../id.ts"
import { parseJson } from "../json.ts"
import { isSameProcessAlive, processIdentity } from "../process/process.ts"
import { writeFileAtomic } from "./atomic-write.ts"
import { readTextBounded } from "./bounded-read.ts"
import { linkFile, removeFile } from "./file-operations.ts"

const LARGEST_LOCK_BYTES = 1_024

type FileLock = {
  readonly clock: Pick<Clock, "sleep">
  readonly random: Random
  readonly tries: number
  readonly tryMs: number
  busy(holder: { readonly pid: number }): Error
}

export async function withFileLock<Result>(
  file: string,
  lock: FileLock,
  work: () => Promise<Result>,
): Promise<Result> {
  await take(file, lock)
  try {
    return await work()
  } finally {
    await removeFile(file)
  }
}

/** A writer reads and replaces one small file; after 30 s it is stuck. */
const TRIES = 1_500
const TRY_MS = 20

/**
 * Runs `work` while no other process changes the file: reading it, changing the value and writing
 * it back is one step. The folder must exist. The lock is `<file>.lock`; waiting is in real time,
 * because the holder is another process.
 */
export async function whileLocked<Result>(
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const busy = ({ pid }: { readonly pid: number }) => FileBusy({ path: file, pid })
  const waiting = { clock: systemClock, random: systemRandom, tries: TRIES, tryMs: TRY_MS, busy }
  return withFileLock(`${file}.lock`, waiting, work)
}

/** The process that holds the lock of a file now; undefined if none does. */
export async function lockHolder(file: string): Promise<number | undefined> {
  const state = await look(`${file}.lock`)
  return state.kind === "held" ? state.pid : undefined
}

async function take(file: string, lock: FileLock): Promise<void> {
  const own = `${file}.${Buffer.from(lock.random.bytes(8)).toString("hex")}`
  await writeFileAtomic(own, JSON.stringify(processIdentity()))
  try {
    for (let tries = 1; ; tries++) {
      if (await link(own, file)) return
      const lockState = await look(file)
      if (lockState.kind === "dead") await clearDead(file, lock)
      if (lockState.kind !== "held") continue
      if (tries >= lock.tries) throw lock.busy(lockState)
      await lock.clock.sleep(lock.tryMs)
    }
  } finally {
    await removeFile(own)
  }
}

/** A hard link makes the lock file appear complete or not at all. */
async function link(own: string, file: string): Promise<boolean> {
  try {
    await linkFile(own, file)
    return true
  } catch (error) {
    if (FileExists.is(error)) return false
    throw error
  }
}

/**
 * Takes a second lock: two processes that both saw a dead holder could otherwise delete the lock of
 * a third.
 */
async function clearDead(file: string, lock: FileLock): Promise<void> {
  await withFileLock(`${file}.clear`, lock, async () => {
    if ((await look(file)).kind === "dead") await removeFile(file)
  })
}

type LockState =
  | { readonly kind: "held"; readonly pid: number }
  | { readonly kind: "dead" }
  | { readonly kind: "free" }

async function look(file: string): Promise<LockState> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_LOCK_BYTES })
  if (read.kind === "missing") return { kind: "free" }
  const holder = read.kind === "read" ? holderIn(read.text) : undefined
  if (holder === undefined || !isSameProcessAlive(holder)) return { kind: "dead" }
  return { kind: "held", pid: holder.pid }
}

/** Parsed by hand: hooks load this room without any package. */
function holderIn(text: string) {
  const parsed = parseJson(text)
  if (typeof parsed !== "object" || parsed === null || !("pid" in parsed)) return undefined
  const { pid, startedAt }: { pid: unknown; startedAt?: unknown } = parsed
  const isStart = startedAt === undefined || typeof startedAt === "string"
  return typeof pid === "number" && isStart ? { pid, startedAt } : undefined
}
