import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { dirname } from "node:path"
import { FileNotRegular, JsonlRecordTooLong, JsonlTooManyWaiting, StorageFull } from "../errors.ts"
import { refuseIrregular } from "./atomic-write.ts"
import { syncDirectory } from "./directories.ts"
import { fileTypeOf } from "./file-type.ts"
import { JSONL_LONGEST_LINE_BYTES } from "./limits.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

/** Other processes may append this much during one write of ours. */
const JSONL_LARGEST_READ_BACK_BYTES = 64 * 1024 ** 2

/** An fsync takes milliseconds, so this many waiting records take most of a minute. */
export const JSONL_MOST_WAITING_RECORDS = 10_000

/**
 * Always an object: no prefix of one is valid JSON, so a truncated record is never mistaken for a
 * whole one.
 */
export type JsonlRecord = Readonly<Record<string, unknown>>

export type JsonlOptions = {
  readonly mode?: number
  readonly maxLineBytes?: number
  /** False for a log that may lose its last lines in a power cut; an fsync costs milliseconds. */
  readonly isDurable?: boolean
}

/** Several processes may append at once; records of one process stay in the order of the calls. */
export function createJsonl(path: string, options: JsonlOptions = {}) {
  const { mode = 0o600, isDurable = true } = options
  const maxLineBytes = options.maxLineBytes ?? JSONL_LONGEST_LINE_BYTES
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  return {
    /** Resolves when the record is on the disk. If it rejects, the record may or may not be there. */
    async append(record: JsonlRecord): Promise<void> {
      const line = Buffer.from(`${JSON.stringify(record)}\n`)
      const sizeBytes = line.length - 1
      if (sizeBytes > maxLineBytes) throw JsonlRecordTooLong({ path, sizeBytes, maxLineBytes })
      if (waiting >= JSONL_MOST_WAITING_RECORDS) throw JsonlTooManyWaiting({ path, waiting })
      waiting++
      const mine = last.then(() => appendLine(path, line, { mode, isDurable }))
      last = mine.catch(() => {}).finally(() => waiting--)
      await mine
    },
  }
}

type AppendOptions = { readonly mode: number; readonly isDurable: boolean }

async function appendLine(
  path: string,
  line: Buffer,
  { mode, isDurable }: AppendOptions,
): Promise<void> {
  try {
    const { handle, isNew } = await openForAppend(path, mode)
    await using _closed = handle
    await putOnLineOfItsOwn(handle, line, path)
    if (!isDurable) return
    await handle.sync()
    if (isNew) await syncDirectory(dirname(path))
  } catch (error) {
    throw asWriteFailure(error, { path, neededBytes: line.length })
  }
}

async function openForAppend(
  path: string,
  mode: number,
): Promise<{ handle: FileHandle; isNew: boolean }> {
  await refuseIrregular(path)
  const existing = await unlessReason("ENOENT", open(path, APPEND))
  if (existing !== undefined) return { handle: await checked(existing, path), isNew: false }
  const created = await unlessReason("EEXIST", open(path, CREATE, mode))
  if (created === undefined) return openForAppend(path, mode)
  await created.chmod(mode)
  return { handle: created, isNew: true }
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK
const CREATE = APPEND | constants.O_CREAT | constants.O_EXCL

async function unlessReason<Value>(reason: string, attempt: Promise<Value>) {
  try {
    return await attempt
  } catch (error) {
    if (reasonOf(error) === reason) return undefined
    throw error
  }
}

async function checked(handle: FileHandle, path: string): Promise<FileHandle> {
  const stats = await handle.stat()
  if (stats.isFile()) return handle
  await handle.close()
  throw FileNotRegular({ path, what: fileTypeOf(stats) })
}

/**
 * If a dead writer left half a line, ours begins with a newline. A writer may also die between our
 * check and our write: then the file has grown by more than our line, and we write it again if it
 * was appended to the partial one.
 */
async function putOnLineOfItsOwn(handle: FileHandle, line: Buffer, path: string): Promise<void> {
  const before = (await handle.stat()).size
  const bytes = (await endsInNewline(handle, before)) ? line : onNewLine(line)
  await writeOnce(handle, bytes, path)
  const after = (await handle.stat()).size
  if (after === before + bytes.length) return
  const written = await readBack(handle, Math.max(0, before - 1), after)
  const isFirst = before === 0 && written.subarray(0, line.length).equals(line)
  if (!isFirst && !written.includes(onNewLine(line))) {
    await writeOnce(handle, onNewLine(line), path)
  }
}

function onNewLine(line: Buffer): Buffer {
  return Buffer.concat([NEWLINE, line])
}

const NEWLINE = Buffer.from("\n")

async function endsInNewline(handle: FileHandle, sizeBytes: number): Promise<boolean> {
  if (sizeBytes === 0) return true
  return (await readBack(handle, sizeBytes - 1, sizeBytes)).equals(NEWLINE)
}

async function readBack(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const lengthBytes = Math.min(Math.max(0, to - from), JSONL_LARGEST_READ_BACK_BYTES)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(lengthBytes), 0, lengthBytes, from)
  return buffer.subarray(0, bytesRead)
}

/** A single write call keeps concurrent appenders apart. */
async function writeOnce(handle: FileHandle, bytes: Buffer, path: string): Promise<void> {
  const { bytesWritten } = await handle.write(bytes)
  if (bytesWritten < bytes.length) throw StorageFull({ path, neededBytes: bytes.length })
}
