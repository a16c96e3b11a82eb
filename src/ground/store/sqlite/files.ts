import { basename, dirname, join, parse } from "node:path"
import {
  createFile,
  ensureDirectory,
  FileNotWritable,
  isSameProcessAlive,
  listDirectory,
  type ProcessIdentity,
  parseJsonRecord,
  processIdentity,
  type Random,
  readTextBounded,
  removeFile,
  renameFile,
  setFileMode,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { StoreNotWritable } from "../errors.ts"

const MAX_SEAL_BYTES = 10_000

const MAX_LISTED_FILES = 10_000

export async function prepareFile(file: string): Promise<{ isNew: boolean }> {
  try {
    await ensureDirectory(dirname(file), { mode: 0o700 })
    return await makePrivate(file)
  } catch (error) {
    if (FileNotWritable.is(error)) throw StoreNotWritable({ path: file }, error)
    throw error
  }
}

export async function makePrivate(file: string): Promise<{ isNew: boolean }> {
  const { kind } = await createFile(file, { mode: 0o600 })
  if (kind === "created") return { isNew: true }
  const fileStat = await statFile(file)
  if (fileStat.kind !== "found") return { isNew: false }
  if (fileStat.stat.mode !== 0o600) await setFileMode(file, 0o600)
  return { isNew: fileStat.stat.sizeBytes === 0 }
}

export async function checkForLog(file: string): Promise<boolean> {
  const log = await statFile(`${file}-wal`)
  return log.kind === "found" && log.stat.sizeBytes > 0
}

export async function inodeOf(file: string): Promise<number | undefined> {
  const fileStat = await statFile(file)
  return fileStat.kind === "found" ? fileStat.stat.inode : undefined
}

/**
 * Renames the database, its log and its shared memory. The log goes first: beside a new database it
 * would be replayed.
 */
export async function setAside(file: string, label: string): Promise<string> {
  for (const part of ["-shm", "-wal", ""]) {
    await renameFile(`${file}${part}`, `${file}.${label}${part}`)
  }
  return `${file}.${label}`
}

export async function keptCorrupt(file: string): Promise<readonly string[]> {
  const names = await namesIn(dirname(file))
  const corruptFiles = names.filter((it) => it.startsWith(`${basename(file)}.corrupt-`))
  return corruptFiles.filter((it) => !/-(?:wal|shm)$/.test(it)).map((it) => join(dirname(file), it))
}

export async function namesIn(directory: string): Promise<readonly string[]> {
  const outcome = await listDirectory(directory, { maxEntries: MAX_LISTED_FILES })
  return outcome.kind === "listed" ? outcome.entries.map((it) => it.name) : []
}

export function fileTimestamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:.]/g, "")
}

/**
 * Creates a mark in `store.open/` until the returned function is called. A mark is not a lock: on a
 * full disk the store opens without one, and the next open checks the file.
 */
export async function markOpen(file: string, random: Random): Promise<() => Promise<void>> {
  const mark = join(markFolder(file), writeMark(processIdentity(), random))
  try {
    await ensureDirectory(markFolder(file), { mode: 0o700 })
    await createFile(mark, { isTemporary: true })
  } catch {
    return async () => {}
  }
  return async () => {
    await removeFile(mark, { isTemporary: true }).catch(() => {})
  }
}

export async function liveProcesses(file: string): Promise<readonly ProcessIdentity[]> {
  const alive: ProcessIdentity[] = []
  for (const mark of await namesIn(markFolder(file))) {
    const identity = readMark(mark)
    if (identity !== undefined && isSameProcessAlive(identity)) alive.push(identity)
    else await removeFile(join(markFolder(file), mark), { isTemporary: true }).catch(() => {})
  }
  return alive
}

function markFolder(file: string): string {
  return join(dirname(file), `${parse(file).name}.open`)
}

/** Has a random part, because one process may open the store twice. */
function writeMark(identity: ProcessIdentity, random: Random): string {
  const chance = Buffer.from(random.bytes(4)).toString("hex")
  return `${identity.pid}-${identity.startedAt ?? ""}-${chance}`
}

function readMark(mark: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = /^(\d+)-(.*)-[0-9a-f]+$/.exec(mark) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), startedAt: startedAt === "" ? undefined : startedAt }
}

/** `store.clean.json`: size, time and inode of the file at the last clean close. */
type Seal = {
  readonly epoch: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  readonly inode: number
}

export async function readSeal(file: string): Promise<Seal | undefined> {
  const outcome = await readTextBounded(sealFile(file), { maxBytes: MAX_SEAL_BYTES })
  if (outcome.kind !== "read") return undefined
  const seal = parseJsonRecord(outcome.text)
  if (seal === undefined) return undefined
  const { epoch, sizeBytes, modifiedAtMs, inode } = seal
  if (typeof epoch !== "string" || !isWhole(sizeBytes)) return undefined
  if (!isWhole(modifiedAtMs) || !isWhole(inode)) return undefined
  return { epoch, sizeBytes, modifiedAtMs, inode }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/**
 * Writes nothing if `last`, the seal of this file at its opening, is still true. It does not wait for
 * the disk: a seal that a power cut lost or damaged makes the next open check the file.
 */
export async function writeSeal(file: string, epoch: string, last?: Seal): Promise<void> {
  if (last?.epoch === epoch && (await verifySeal(file, last))) return
  const fileStat = await statFile(file)
  if (fileStat.kind !== "found") return
  const { sizeBytes, modifiedAtMs, inode } = fileStat.stat
  const seal = { epoch, sizeBytes, modifiedAtMs, inode } satisfies Seal
  await writeFileAtomic(sealFile(file), `${JSON.stringify(seal)}\n`, { isDurable: false })
}

/** Whether `stat` matches the last clean close. */
export async function verifySeal(file: string, seal: Seal | undefined): Promise<boolean> {
  const fileStat = await statFile(file)
  if (seal === undefined || fileStat.kind !== "found" || (await checkForLog(file))) return false
  const { sizeBytes, modifiedAtMs, inode } = fileStat.stat
  const isSameTime = seal.modifiedAtMs === modifiedAtMs
  return isSameTime && seal.sizeBytes === sizeBytes && seal.inode === inode
}

function sealFile(file: string): string {
  return join(dirname(file), `${parse(file).name}.clean.json`)
}
