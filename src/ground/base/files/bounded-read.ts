import { isUtf8 } from "node:buffer"
import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises"
import { invariant } from "../error.ts"
import { isInside } from "../path.ts"
import { type FileStat, type FileType, fileStatOf, fileTypeOf } from "./file-type.ts"
import { READ_STEP_BYTES } from "./limits.ts"
import { reasonOf } from "./system-error.ts"

/** No caller needs more at once, and one `read` call of Node stops at 2 GiB. */
const LARGEST_READ_BYTES = 1024 ** 3

type NotRead =
  | NotOpened
  | { readonly kind: "too-large"; readonly sizeBytes: number }
  | { readonly kind: "outside-root" }

export type ReadOutcome =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly stat: FileStat }
  | NotRead

export type ReadTextOutcome =
  | {
      readonly kind: "read"
      readonly text: string
      readonly hasByteOrderMark: boolean
      readonly bytes: Buffer
      readonly stat: FileStat
    }
  | { readonly kind: "not-text" }
  | NotRead

export type ReadLimits = {
  readonly maxBytes: number
  readonly root?: string
}

/**
 * Reads a regular file of at most `maxBytes`. It does not block on FIFOs, sockets or devices, does
 * not follow a link at the end of the path, and returns problems as outcomes. The size in `stat` is
 * the length of `bytes`.
 */
export async function readBounded(path: string, limits: ReadLimits): Promise<ReadOutcome> {
  invariant(
    limits.maxBytes >= 0 && limits.maxBytes <= LARGEST_READ_BYTES,
    `maxBytes of a bounded read is between 0 and ${LARGEST_READ_BYTES}, not ${limits.maxBytes}`,
  )
  const opened = await openRegular(path)
  if (opened.kind !== "open") return opened
  await using handle = opened.handle
  const stat = fileStatOf(opened.stats)
  try {
    const isAllowed =
      limits.root === undefined || (await checkOpenedInside(limits.root, { handle, path }))
    if (!isAllowed) return { kind: "outside-root" }
    if (stat.sizeBytes > limits.maxBytes) return { kind: "too-large", sizeBytes: stat.sizeBytes }
    const bytes = await readUpTo(handle, { maxBytes: limits.maxBytes, expected: stat.sizeBytes })
    if (bytes.length > limits.maxBytes) return { kind: "too-large", sizeBytes: bytes.length }
    return { kind: "read", bytes, stat: { ...stat, sizeBytes: bytes.length } }
  } catch (error) {
    return { kind: "unreadable", reason: reasonOf(error) }
  }
}

/** The first bytes of a regular file of any size; undefined if it cannot be read. */
export async function readStart(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const opened = await openRegular(path)
  if (opened.kind !== "open") return undefined
  await using handle = opened.handle
  const bytes = await readUpTo(handle, { maxBytes: maxBytes - 1, expected: maxBytes - 1 })
  return bytes.subarray(0, maxBytes)
}

/** Like `readBounded`, for UTF-8; invalid bytes are an outcome, never replaced. */
export async function readTextBounded(path: string, limits: ReadLimits): Promise<ReadTextOutcome> {
  const outcome = await readBounded(path, limits)
  if (outcome.kind !== "read") return outcome
  if (!isUtf8(outcome.bytes)) return { kind: "not-text" }
  const hasByteOrderMark = outcome.bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)
  const text = outcome.bytes.toString("utf8", hasByteOrderMark ? 3 : 0)
  return { ...outcome, text, hasByteOrderMark }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** The size is only a hint: files in /proc report 0, and a log may grow during the read. */
async function readUpTo(
  handle: FileHandle,
  limit: { readonly maxBytes: number; readonly expected: number },
): Promise<Buffer> {
  const most = limit.maxBytes + 1
  // One byte more, so the read that finds the end needs no larger buffer.
  let buffer = Buffer.allocUnsafeSlow(Math.min(most, limit.expected + 1))
  let length = 0
  while (length < most) {
    if (length === buffer.length) buffer = enlarged(buffer, most)
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function enlarged(buffer: Buffer, most: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, buffer.length * 2 + READ_STEP_BYTES))
  buffer.copy(larger)
  return larger
}

type NotOpened =
  | { readonly kind: "missing" }
  | { readonly kind: "not-regular"; readonly what: FileType }
  | { readonly kind: "unreadable"; readonly reason: string }

type OpenOutcome =
  | { readonly kind: "open"; readonly handle: FileHandle; readonly stats: Stats }
  | NotOpened

/**
 * Opens a regular file and nothing else. Opening a FIFO blocks a thread of Node's pool until
 * someone writes, and four of them freeze the process (PROMISES, finding 6); opening a device may
 * have an effect. So: lstat, open with O_NONBLOCK and O_NOFOLLOW, fstat.
 */
export async function openRegular(path: string): Promise<OpenOutcome> {
  try {
    const stats = await lstat(path)
    if (!stats.isFile()) return { kind: "not-regular", what: fileTypeOf(stats) }
    return await openAndLook(path)
  } catch (error) {
    return notOpened(reasonOf(error))
  }
}

// On Windows the last three are undefined, and `|` treats that as 0.
const READ_WITHOUT_WAITING =
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

export async function openAndLook(path: string): Promise<OpenOutcome> {
  const handle = await open(path, READ_WITHOUT_WAITING)
  try {
    const stats = await handle.stat()
    if (stats.isFile()) return { kind: "open", handle, stats }
    await handle.close()
    return { kind: "not-regular", what: fileTypeOf(stats) }
  } catch (error) {
    await handle.close().catch(() => {})
    throw error
  }
}

function notOpened(reason: string): NotOpened {
  if (reason === "ENOENT" || reason === "ENOTDIR") return { kind: "missing" }
  return { kind: "unreadable", reason }
}

/**
 * Checks the opened file and not its path, so a directory swapped for a link between check and open
 * cannot lead outside.
 */
export async function checkOpenedInside(
  root: string,
  opened: { readonly handle: FileHandle; readonly path: string },
): Promise<boolean> {
  const [realRoot, realFile] = await Promise.all([realpath(root), realPathOf(opened)])
  return realFile !== undefined && isInside(realRoot, realFile)
}

async function realPathOf(opened: {
  readonly handle: FileHandle
  readonly path: string
}): Promise<string | undefined> {
  try {
    return await readlink(`/proc/self/fd/${opened.handle.fd}`)
  } catch {
    return realPathByInode(opened)
  }
}

/**
 * Without /proc: the real path, if its inode is that of the opened file. A file moved away and back
 * between the two calls would not be noticed.
 */
export async function realPathByInode(opened: {
  readonly handle: FileHandle
  readonly path: string
}): Promise<string | undefined> {
  const real = await realpath(opened.path)
  const [ours, there] = await Promise.all([opened.handle.stat(), stat(real)])
  return ours.dev === there.dev && ours.ino === there.ino ? real : undefined
}
