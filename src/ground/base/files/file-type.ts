import type { Stats } from "node:fs"

export type FileType =
  | "regular file"
  | "directory"
  | "symbolic link"
  | "FIFO"
  | "socket"
  | "character device"
  | "block device"
  | "file of unknown type"

export type FileStat = {
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  /** ctime, because a program cannot set it. */
  readonly changedAtMs: number
  readonly mode: number
  readonly device: number
  readonly inode: number
  /** Whether it belongs to the user of this process; true on systems without user ids. */
  readonly isOwn: boolean
}

type StatPredicates = Pick<
  Stats,
  | "isFile"
  | "isDirectory"
  | "isSymbolicLink"
  | "isFIFO"
  | "isSocket"
  | "isCharacterDevice"
  | "isBlockDevice"
>

export function fileTypeOf(entry: StatPredicates): FileType {
  if (entry.isFile()) return "regular file"
  if (entry.isDirectory()) return "directory"
  if (entry.isSymbolicLink()) return "symbolic link"
  if (entry.isFIFO()) return "FIFO"
  if (entry.isSocket()) return "socket"
  if (entry.isCharacterDevice()) return "character device"
  if (entry.isBlockDevice()) return "block device"
  return "file of unknown type"
}

/** Asked once: a scan needs it for each file. */
const OWN_USER_ID = process.getuid?.()

export function fileStatOf(stats: Stats): FileStat {
  return {
    sizeBytes: stats.size,
    modifiedAtMs: Math.floor(stats.mtimeMs),
    changedAtMs: stats.ctimeMs,
    mode: stats.mode & 0o7777,
    device: stats.dev,
    inode: stats.ino,
    isOwn: OWN_USER_ID === undefined || stats.uid === OWN_USER_ID,
  }
}
