import type { Stats } from "node:fs"

/** What stands at a path; the last component is never followed when it is a link. */
export type FileType =
  | "regular file"
  | "directory"
  | "symbolic link"
  | "FIFO"
  | "socket"
  | "character device"
  | "block device"
  | "file of unknown type"

/** What the house needs to know of a file besides its bytes. */
export type FileStat = {
  readonly sizeBytes: number
  readonly modifiedAtMs: number
  /** When bytes, name or mode last changed; unlike the time above nobody can set it. */
  readonly changedAtMs: number
  /** Permission bits only, e.g. 0o600. */
  readonly mode: number
  /** Device and inode: two equal pairs are the same file. */
  readonly device: number
  readonly inode: number
  /** Whether it belongs to the user that this process runs as; true where the system knows none. */
  readonly isOwn: boolean
}

type Typed = Pick<
  Stats,
  | "isFile"
  | "isDirectory"
  | "isSymbolicLink"
  | "isFIFO"
  | "isSocket"
  | "isCharacterDevice"
  | "isBlockDevice"
>

/** Takes what `stat` gives, and what a directory entry gives. */
export function fileTypeOf(entry: Typed): FileType {
  if (entry.isFile()) return "regular file"
  if (entry.isDirectory()) return "directory"
  if (entry.isSymbolicLink()) return "symbolic link"
  if (entry.isFIFO()) return "FIFO"
  if (entry.isSocket()) return "socket"
  if (entry.isCharacterDevice()) return "character device"
  if (entry.isBlockDevice()) return "block device"
  return "file of unknown type"
}

export function fileStatOf(stats: Stats): FileStat {
  return {
    sizeBytes: stats.size,
    modifiedAtMs: Math.floor(stats.mtimeMs),
    changedAtMs: stats.ctimeMs,
    mode: stats.mode & 0o7777,
    device: stats.dev,
    inode: stats.ino,
    isOwn: process.getuid === undefined || stats.uid === process.getuid(),
  }
}
