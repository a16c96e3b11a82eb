import { constants, type Stats } from "node:fs"
import { type FileHandle, lstat, open } from "node:fs/promises"
import { type FileType, fileTypeOf } from "./file-type.ts"
import { reasonOf } from "./system-error.ts"

export type NotOpened =
  | { readonly kind: "missing" }
  | { readonly kind: "not-regular"; readonly what: FileType }
  | { readonly kind: "unreadable"; readonly reason: string }

export type OpenOutcome =
  | { readonly kind: "open"; readonly handle: FileHandle; readonly stats: Stats }
  | NotOpened

/**
 * Opens a regular file and nothing else. A FIFO opened plainly blocks a thread of Node's pool until
 * someone writes, and four of them freeze the process for good (PROMISES, finding 6); opening a
 * device may already do something. So we look first, open without waiting and without following,
 * and look again at what was really opened.
 */
export async function openRegular(path: string): Promise<OpenOutcome> {
  try {
    const looked = await lstat(path)
    if (!looked.isFile()) return { kind: "not-regular", what: fileTypeOf(looked) }
    return await openAndLook(path)
  } catch (error) {
    return notOpened(reasonOf(error))
  }
}

// Windows lacks the last three: there they are undefined, and `|` takes that for 0.
const READ_WITHOUT_WAITING =
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** The second half alone: safe also when the path was swapped since the first look. */
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
