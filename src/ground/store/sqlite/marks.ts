import { dirname, join, parse } from "node:path"
import {
  createFile,
  ensureDirectory,
  isSameProcessAlive,
  type ProcessIdentity,
  processIdentity,
  type Random,
  removeFile,
} from "#ground/base"
import { namesIn } from "./files.ts"

/**
 * Leaves a mark in `store.open/` until the returned function is called. A mark is advice, not a
 * lock: on a full disk the store opens without one, and the next open looks at the file closely.
 */
export async function markOpen(file: string, random: Random): Promise<() => Promise<void>> {
  const mark = join(markFolder(file), writeMark(processIdentity(), random))
  try {
    await ensureDirectory(markFolder(file), { mode: 0o700 })
    await createFile(mark)
  } catch {
    return async () => {}
  }
  return async () => {
    await removeFile(mark).catch(() => {})
  }
}

/** Processes that have the store open now, ours included. Marks of the dead are swept. */
export async function liveProcesses(file: string): Promise<readonly ProcessIdentity[]> {
  const alive: ProcessIdentity[] = []
  for (const mark of await namesIn(markFolder(file))) {
    const identity = readMark(mark)
    if (identity !== undefined && isSameProcessAlive(identity)) alive.push(identity)
    else await removeFile(join(markFolder(file), mark)).catch(() => {})
  }
  return alive
}

function markFolder(file: string): string {
  return join(dirname(file), `${parse(file).name}.open`)
}

/** A process and a bit of chance, because one process may have the store open twice. */
function writeMark(identity: ProcessIdentity, random: Random): string {
  const chance = Buffer.from(random.bytes(4)).toString("hex")
  return `${identity.pid}-${identity.startedAt ?? ""}-${chance}`
}

function readMark(mark: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = /^(\d+)-(.*)-[0-9a-f]+$/.exec(mark) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), startedAt: startedAt === "" ? undefined : startedAt }
}
