import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs"
import { access, link, lstat, open, realpath, rename, statfs, unlink } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { FileExists, FileNotReadable, FileNotRegular } from "../errors.ts"
import { refuseIrregular } from "./atomic-write.ts"
import { refuseLinkedFolders, syncDirectory } from "./directories.ts"
import { type FileStat, type FileType, fileStatOf, fileTypeOf } from "./file-type.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

export type StatOutcome =
  | { readonly kind: "found"; readonly what: FileType; readonly stat: FileStat }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string }

export async function statFile(path: string): Promise<StatOutcome> {
  try {
    const stats = await lstat(path)
    return { kind: "found", what: fileTypeOf(stats), stat: fileStatOf(stats) }
  } catch (error) {
    const reason = reasonOf(error)
    const isMissing = reason === "ENOENT" || reason === "ENOTDIR"
    return isMissing ? { kind: "missing" } : { kind: "unreadable", reason }
  }
}

/**
 * Synchronous, because 10,000 files take ten times as long through the thread pool; callers yield
 * in between. Undefined if the path is missing or unreadable.
 */
export function statNow(path: string): FileStat | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats === undefined ? undefined : fileStatOf(stats)
  } catch {
    return undefined
  }
}

/** The first bytes of a file, synchronously; fewer if it is shorter, undefined if unreadable. */
export function readHeadNow(path: string, bytes: number): Buffer | undefined {
  try {
    const handle = openSync(path, READ_ITSELF)
    try {
      const head = Buffer.alloc(bytes)
      return head.subarray(0, readSync(handle, head, 0, bytes, 0))
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}

/** A temporary file means nothing after a power loss, so its folder is not synced. */
type Durability = { readonly isTemporary?: boolean }

export async function removeFile(
  path: string,
  { isTemporary = false }: Durability = {},
): Promise<{ readonly kind: "removed" | "missing" }> {
  const stat = await statFile(path)
  if (stat.kind === "missing") return { kind: "missing" }
  if (stat.kind === "found" && stat.what === "directory")
    throw FileNotRegular({ path, what: stat.what })
  try {
    await refuseLinkedFolders(path)
    await unlink(path)
    if (!isTemporary) await syncDirectory(dirname(path))
    return { kind: "removed" }
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return { kind: "missing" }
    throw asWriteFailure(error, { path })
  }
}

/** Of several processes that rename a file away, one gets true. */
export async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    return (await renameFile(from, to)).kind === "renamed"
  } catch {
    return false
  }
}

/**
 * Durable rename on the same disk. The check for an existing target is not a lock: processes that
 * may choose the same name need a random part in it.
 */
export async function renameFile(
  from: string,
  to: string,
  options: { readonly existing: "refuse" | "replace" } = { existing: "refuse" },
): Promise<{ readonly kind: "renamed" | "missing" }> {
  try {
    await refuseLinkedFolders(to)
    await refuseLinkedFolders(from)
    if (options.existing === "replace") await refuseIrregular(to)
    else if ((await statFile(to)).kind !== "missing") throw FileExists({ path: to })
    if ((await statFile(from)).kind === "missing") return { kind: "missing" }
    await rename(from, to)
    await syncDirectory(dirname(to))
    if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from))
    return { kind: "renamed" }
  } catch (error) {
    throw asWriteFailure(error, { path: to })
  }
}

export async function linkFile(
  from: string,
  to: string,
): Promise<{ readonly kind: "linked" | "missing" }> {
  try {
    await refuseLinkedFolders(to)
    if ((await statFile(from)).kind === "missing") return { kind: "missing" }
    await link(from, to)
    await syncDirectory(dirname(to))
    return { kind: "linked" }
  } catch (error) {
    if (reasonOf(error) === "EEXIST") throw FileExists({ path: to }, error)
    throw asWriteFailure(error, { path: to })
  }
}

/** Creates an empty file with exactly this mode, unless the path exists. */
export async function createFile(
  path: string,
  options: Durability & { readonly mode?: number } = {},
): Promise<{ readonly kind: "created" | "exists" }> {
  try {
    await refuseLinkedFolders(path)
    await using handle = await open(path, "wx", 0o600)
    await handle.chmod(options.mode ?? 0o600)
    if (options.isTemporary !== true) await syncDirectory(dirname(path))
    return { kind: "created" }
  } catch (error) {
    if (reasonOf(error) === "EEXIST") return { kind: "exists" }
    throw asWriteFailure(error, { path })
  }
}

export async function setFileMode(
  path: string,
  mode: number,
): Promise<{ readonly kind: "set" | "missing" }> {
  try {
    await refuseIrregular(path)
    await using handle = await open(path, READ_ITSELF)
    await handle.chmod(mode)
    return { kind: "set" }
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return { kind: "missing" }
    throw asWriteFailure(error, { path })
  }
}

export async function setModifiedTime(path: string, atMs: number): Promise<void> {
  try {
    await refuseIrregular(path)
    await using handle = await open(path, READ_ITSELF)
    await handle.utimes(atMs / 1000, atMs / 1000)
  } catch (error) {
    throw asWriteFailure(error, { path })
  }
}

const READ_ITSELF = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw FileNotReadable({ path, reason: reasonOf(error) }, error)
  }
}

/**
 * Free bytes for this user on the disk of a path; undefined where the system does not report them.
 */
export async function freeBytes(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/**
 * The existing file or folder that refuses a write at a path, which need not exist yet; undefined
 * when a write is allowed.
 */
export async function findWriteBarrier(
  path: string,
): Promise<{ readonly path: string; readonly reason: string } | undefined> {
  try {
    await access(path, constants.W_OK)
    return undefined
  } catch (error) {
    const reason = reasonOf(error)
    const parent = dirname(path)
    return reason === "ENOENT" && parent !== path ? findWriteBarrier(parent) : { path, reason }
  }
}

/** The kernel's own limit for links in a path. */
const MOST_LINKS = 40

/**
 * Where a write to a path would go: links resolved, also when the last components do not exist or a
 * link dangles. Synchronous; undefined when it cannot be determined.
 */
export function leadsTo(path: string): string | undefined {
  let at = resolve(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    const next = follow(at)
    if (next === undefined || next.kind === "there") return next?.path
    at = next.path
  }
  return undefined
}

type LinkTarget = { readonly kind: "there" | "further"; readonly path: string }

function follow(path: string): LinkTarget | undefined {
  let names: readonly string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = read(() => realpathSync(at))
    if (real.kind === "read") return { kind: "there", path: join(real.text, ...names) }
    if (real.reason !== "ENOENT" && real.reason !== "ENOTDIR") return undefined
    const link = read(() => readlinkSync(at))
    if (link.kind === "read") {
      const folder = read(() => realpathSync(dirname(at)))
      if (folder.kind !== "read") return undefined
      return { kind: "further", path: resolve(folder.text, link.text, ...names) }
    }
    if (dirname(at) === at) return undefined
    names = [basename(at), ...names]
  }
}

type LinkRead =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "failed"; readonly reason: string }

function read(look: () => string): LinkRead {
  try {
    return { kind: "read", text: look() }
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) }
  }
}
