import { opendir, unlink } from "node:fs/promises"
import { join } from "node:path"
import { LARGEST_SWEEP_ENTRIES } from "../limits.ts"
import { isSameProcessAlive, type ProcessIdentity, processIdentity } from "../process.ts"
import { systemRandom } from "../random.ts"
import { syncDirectory } from "./directories.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

/**
 * The name of a file on its way to another name. It holds who writes it, so that a later process
 * can tell a writer that died from one at work; and not the target's name, which may already be as
 * long as a name can be.
 */
export function temporaryName(): string {
  const { pid, startedAt } = processIdentity()
  const chance = Buffer.from(systemRandom.bytes(8)).toString("hex")
  return `.atomic-${pid}-${startedAt ?? UNKNOWN_START}-${chance}.tmp`
}

/**
 * Removes what writers left behind that died before they could rename, and says how many. Writers
 * at work are left alone. Run it once at the start, in each directory that is written to.
 */
export async function sweepLeftovers(directory: string): Promise<number> {
  try {
    const abandoned = await findAbandoned(directory)
    for (const name of abandoned) await unlinkIfThere(join(directory, name))
    if (abandoned.length > 0) await syncDirectory(directory)
    return abandoned.length
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return 0
    throw asWriteFailure(error, { path: directory })
  }
}

const UNKNOWN_START = "unknown"
const TEMPORARY_NAME = /^\.atomic-(\d{1,10})-([\dA-Za-z.]+)-[\da-f]{16}\.tmp$/

async function findAbandoned(directory: string): Promise<readonly string[]> {
  const abandoned: string[] = []
  let seen = 0
  for await (const entry of await opendir(directory)) {
    const writer = entry.isFile() ? writerOf(entry.name) : undefined
    if (writer !== undefined && !isSameProcessAlive(writer)) abandoned.push(entry.name)
    if (++seen === LARGEST_SWEEP_ENTRIES) break
  }
  return abandoned
}

function writerOf(name: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = TEMPORARY_NAME.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), startedAt: startedAt === UNKNOWN_START ? undefined : startedAt }
}

/** Two processes may sweep at once; the second finds nothing. */
async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (reasonOf(error) !== "ENOENT") throw error
  }
}
