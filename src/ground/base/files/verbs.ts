import { constants } from "node:fs"
import { link, lstat, open, realpath, rename, statfs, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { FileExists, FileNotReadable, FileNotRegular } from "../errors.ts"
import { refuseIrregular } from "./atomic-write.ts"
import { syncDirectory } from "./directories.ts"
import { type FileStat, type FileType, fileStatOf, fileTypeOf } from "./file-type.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

export type StatOutcome =
  | { readonly kind: "found"; readonly what: FileType; readonly stat: FileStat }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string }

/** What stands at a path; a link is described, not followed. */
export async function statFile(path: string): Promise<StatOutcome> {
  try {
    const looked = await lstat(path)
    return { kind: "found", what: fileTypeOf(looked), stat: fileStatOf(looked) }
  } catch (error) {
    const reason = reasonOf(error)
    const isMissing = reason === "ENOENT" || reason === "ENOTDIR"
    return isMissing ? { kind: "missing" } : { kind: "unreadable", reason }
  }
}

/** Removes a file or a link, durably; a directory is refused. */
export async function removeFile(path: string): Promise<{ readonly kind: "removed" | "missing" }> {
  const found = await statFile(path)
  if (found.kind === "missing") return { kind: "missing" }
  if (found.kind === "found" && found.what === "directory")
    throw FileNotRegular({ path, what: found.what })
  try {
    await unlink(path)
    await syncDirectory(dirname(path))
    return { kind: "removed" }
  } catch (error) {
    // Someone else removed it since we looked.
    if (reasonOf(error) === "ENOENT") return { kind: "missing" }
    throw asWriteFailure(error, { path })
  }
}

/**
 * Gives a file another name on the same disk, durably. Nothing is replaced unless that is asked
 * for. The look before is no lock: where two processes may choose the same name, put chance in it.
 */
export async function renameFile(
  from: string,
  to: string,
  options: { readonly existing: "refuse" | "replace" } = { existing: "refuse" },
): Promise<{ readonly kind: "renamed" | "missing" }> {
  try {
    if (options.existing === "replace") await refuseIrregular(to)
    else if ((await statFile(to)).kind !== "missing") throw FileExists({ path: to })
    if ((await statFile(from)).kind === "missing") return { kind: "missing" }
    await rename(from, to)
    // The new name first: after a power cut two names are better than none.
    await syncDirectory(dirname(to))
    if (dirname(from) !== dirname(to)) await syncDirectory(dirname(from))
    return { kind: "renamed" }
  } catch (error) {
    throw asWriteFailure(error, { path: to })
  }
}

/** Gives a file a second name on the same disk; both lead to the same bytes. */
export async function linkFile(
  from: string,
  to: string,
): Promise<{ readonly kind: "linked" | "missing" }> {
  try {
    if ((await statFile(from)).kind === "missing") return { kind: "missing" }
    await link(from, to)
    await syncDirectory(dirname(to))
    return { kind: "linked" }
  } catch (error) {
    if (reasonOf(error) === "EEXIST") throw FileExists({ path: to }, error)
    throw asWriteFailure(error, { path: to })
  }
}

/** Makes an empty file of exactly this mode, unless something stands there. */
export async function createFile(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<{ readonly kind: "created" | "exists" }> {
  try {
    await using handle = await open(path, "wx", 0o600)
    await handle.chmod(options.mode ?? 0o600)
    await syncDirectory(dirname(path))
    return { kind: "created" }
  } catch (error) {
    if (reasonOf(error) === "EEXIST") return { kind: "exists" }
    throw asWriteFailure(error, { path })
  }
}

/** Changes the mode of a regular file; a link is refused, not followed. */
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

const READ_ITSELF = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** The path without links. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    throw FileNotReadable({ path, reason: reasonOf(error) }, error)
  }
}

/** Room left for us on the disk that holds a path; undefined where the system does not say. */
export async function freeBytes(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}
