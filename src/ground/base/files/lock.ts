import type { Clock } from "../clock.ts"
import { FileExists } from "../errors.ts"
import type { Random } from "../id.ts"
import { parseJson } from "../json.ts"
import { isSameProcessAlive, processIdentity } from "../process/process.ts"
import { writeFileAtomic } from "./atomic-write.ts"
import { readTextBounded } from "./bounded-read.ts"
import { linkFile, removeFile } from "./file-operations.ts"

/** Who holds a lock: a process in a line of JSON. */
const LARGEST_LOCK_BYTES = 1_024

type FileLock = {
  readonly clock: Pick<Clock, "sleep">
  readonly random: Random
  /** How often and how long a living holder is waited for. */
  readonly tries: number
  readonly tryMs: number
  /** What is thrown when it still holds the lock after that. */
  busy(holder: { readonly pid: number }): Error
}

/** One at a time, of all processes: each begins with what the one before has left. */
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

async function take(file: string, lock: FileLock): Promise<void> {
  const own = `${file}.${Buffer.from(lock.random.bytes(8)).toString("hex")}`
  await writeFileAtomic(own, JSON.stringify(processIdentity()))
  try {
    for (let tries = 1; ; tries++) {
      if (await link(own, file)) return
      const seen = await look(file)
      if (seen.kind === "dead") await clearDead(file, lock)
      if (seen.kind !== "held") continue
      if (tries >= lock.tries) throw lock.busy(seen)
      await lock.clock.sleep(lock.tryMs)
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

/**
 * Under a lock of its own: two who both saw a dead holder would else take away what a third has put
 * there meanwhile. One who died while clearing is cleared in the same way, a name further.
 */
async function clearDead(file: string, lock: FileLock): Promise<void> {
  await withFileLock(`${file}.clear`, lock, async () => {
    if ((await look(file)).kind === "dead") await removeFile(file)
  })
}

type Seen =
  | { readonly kind: "held"; readonly pid: number }
  | { readonly kind: "dead" }
  | { readonly kind: "free" }

/** Dead: the one who took it has died, or it says nothing that can be believed. */
async function look(file: string): Promise<Seen> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_LOCK_BYTES })
  if (read.kind === "missing") return { kind: "free" }
  const holder = read.kind === "read" ? holderIn(read.text) : undefined
  if (holder === undefined || !isSameProcessAlive(holder)) return { kind: "dead" }
  return { kind: "held", pid: holder.pid }
}

/** Judged by hand: hooks load this room, and no package with it. */
function holderIn(text: string) {
  const said = parseJson(text)
  if (typeof said !== "object" || said === null || !("pid" in said)) return undefined
  const { pid, startedAt }: { pid: unknown; startedAt?: unknown } = said
  const isStart = startedAt === undefined || typeof startedAt === "string"
  return typeof pid === "number" && isStart ? { pid, startedAt } : undefined
}
