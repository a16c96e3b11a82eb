import { constants } from "node:fs"
import { type FileHandle, lstat, open, opendir, rename, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { FileNotRegular, StorageFull } from "../errors.ts"
import { systemRandom } from "../id.ts"
import { isSameProcessAlive, type ProcessIdentity, processIdentity } from "../process/process.ts"
import { openDirectory, refuseLinkedFolders, syncDirectory } from "./directories.ts"
import { fileTypeOf } from "./file-type.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

/** A sweep does not store names, so it may read more entries than a listing. */
const LARGEST_SWEEP_ENTRIES = 1_000_000

type WriteOptions = {
  readonly mode?: number
  /** False: after a power cut the file may be the old one or empty. Saves two waits for the disk. */
  readonly isDurable?: boolean
}

/**
 * Replaces a file so that every reader finds the old bytes or the new ones, also after a crash or a
 * power cut. We do not use a package: the existing ones silently truncate files on a filling disk
 * (PROMISES, finding 1).
 *
 * If it throws, the old bytes are in place and no temporary file is left. Only a failure of the
 * last step, syncing the directory, can leave the new bytes in place.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  const temporary = join(dirname(path), temporaryName())
  const { mode = 0o600, isDurable = true } = options
  try {
    await refuseIrregular(path)
    // Open before writing: if the directory cannot be synced, nothing is written.
    await using directory = await openDirectory(dirname(path))
    const sizeBytes = await fill(temporary, bytes, { mode, isDurable })
    if (sizeBytes !== bytes.length) throw StorageFull({ path, neededBytes: bytes.length })
    await rename(temporary, path)
    if (isDurable) await syncDirectory(directory)
  } catch (error) {
    // Report the first failure; `sweepLeftovers` removes the file at the next start.
    await unlink(temporary).catch(() => {})
    throw asWriteFailure(error, { path, neededBytes: bytes.length })
  }
}

export async function refuseIrregular(path: string): Promise<void> {
  await refuseLinkedFolders(path)
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) throw FileNotRegular({ path, what: fileTypeOf(stats) })
  } catch (error) {
    if (reasonOf(error) !== "ENOENT") throw error
  }
}

const NEW_AND_OURS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

async function fill(
  temporary: string,
  bytes: Uint8Array,
  { mode, isDurable }: Required<WriteOptions>,
): Promise<number> {
  await using handle = await open(temporary, NEW_AND_OURS, 0o600)
  // The umask reduces the mode of `open`; `chmod` sets it exactly.
  await handle.chmod(mode)
  await writeWhole(handle, bytes)
  if (isDurable) await handle.sync()
  return (await handle.stat()).size
}

/** A write may be partial; on a full disk the next call reports the reason. */
async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done)
    if (bytesWritten === 0) return
    done += bytesWritten
  }
}

/**
 * A temporary name with the writer's process identity, so a later process can tell a dead writer
 * from a live one. It leaves out the target's name, which may already have the maximum length.
 */
export function temporaryName(): string {
  const { pid, startedAt } = processIdentity()
  const chance = Buffer.from(systemRandom.bytes(8)).toString("hex")
  return `.atomic-${pid}-${startedAt ?? UNKNOWN_START}-${chance}.tmp`
}

/**
 * Removes temporary files of dead writers and returns their number. Run it at start-up in each
 * directory that is written to.
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
  let entryCount = 0
  for await (const entry of await opendir(directory)) {
    const writer = entry.isFile() ? writerOf(entry.name) : undefined
    if (writer !== undefined && !isSameProcessAlive(writer)) abandoned.push(entry.name)
    if (++entryCount === LARGEST_SWEEP_ENTRIES) break
  }
  return abandoned
}

function writerOf(name: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = TEMPORARY_NAME.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), startedAt: startedAt === UNKNOWN_START ? undefined : startedAt }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (reasonOf(error) !== "ENOENT") throw error
  }
}
