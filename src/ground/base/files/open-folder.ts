import { isUtf8 } from "node:buffer"
import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs"
import { join } from "node:path"
import { compareText } from "../text/text.ts"
import type { ReadOutcome } from "./bounded-read.ts"
import type { DirectoryEntry } from "./directories.ts"
import type { StatOutcome } from "./file-operations.ts"
import { type FileStat, type FileType, fileStatOf, fileTypeOf } from "./file-type.ts"
import { reasonOf } from "./system-error.ts"

type NotThere =
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string }

export type OpenFolderOutcome =
  | { readonly kind: "open"; readonly folder: OpenFolder }
  | { readonly kind: "not-directory"; readonly what: FileType }
  | NotThere

export type FolderListing =
  | {
      readonly kind: "listed"
      readonly entries: readonly DirectoryEntry[]
      /** Names that are not UTF-8, with escaped bytes. */
      readonly unnameable: readonly string[]
    }
  | { readonly kind: "too-many"; readonly maxEntries: number }
  | NotThere

/**
 * An open directory: whatever happens to its path, all calls address the same directory. Calls are
 * synchronous, because a tree of 100,000 files takes ten times as long through the thread pool;
 * callers yield in between.
 */
export type OpenFolder = Disposable & {
  readonly device: number
  readonly inode: number
  /** When it was opened. */
  readonly ownStat: FileStat
  list(limits: { readonly maxEntries: number }): FolderListing
  stat(name: string): StatOutcome
  read(name: string, limits: { readonly maxBytes: number }): Exclude<ReadOutcome, OutsideRoot>
  open(name: string): OpenFolderOutcome
}

type OutsideRoot = { readonly kind: "outside-root" }

/**
 * Linux addresses the open directory through `/proc/self/fd/<n>`. Other systems have only the path,
 * so each result is checked against the directory's identity.
 */
type AccessMethod = "handle" | "path"

const DIRECTORY_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const READ_WITHOUT_WAITING =
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

export function openFolder(
  path: string,
  options: { readonly way?: AccessMethod } = {},
): OpenFolderOutcome {
  return openAt(path, { path, way: options.way ?? usualWay() })
}

function usualWay(): AccessMethod {
  return existsSync("/proc/self/fd") ? "handle" : "path"
}

function openAt(
  at: string,
  named: { readonly path: string; readonly way: AccessMethod },
): OpenFolderOutcome {
  try {
    // With handles, opening itself fails for anything but a directory.
    const stats = named.way === "handle" ? undefined : lstatSync(at)
    if (stats?.isDirectory() === false) return { kind: "not-directory", what: fileTypeOf(stats) }
    // Windows cannot open a directory.
    if (stats !== undefined && process.platform === "win32")
      return { kind: "open", folder: folderOf(undefined, stats, named) }
    const handle = openSync(at, DIRECTORY_ITSELF)
    return { kind: "open", folder: folderOf(handle, fstatSync(handle), named) }
  } catch (error) {
    const fileStat = reasonOf(error) === "ENOTDIR" ? statAt(at) : undefined
    if (fileStat?.kind !== "found" || fileStat.what === "directory") return notThere(error)
    return { kind: "not-directory", what: fileStat.what }
  }
}

function folderOf(
  handle: number | undefined,
  stats: Stats,
  named: { readonly path: string; readonly way: AccessMethod },
): OpenFolder {
  const { dev: device, ino: inode } = stats
  const { way } = named
  const place = way === "handle" ? `/proc/self/fd/${handle}` : named.path

  function checked<Answer>(answer: Answer): Answer | { kind: "unreadable"; reason: string } {
    if (way === "handle") return answer
    const now = lstatSync(named.path, { throwIfNoEntry: false })
    const isSame = now?.dev === device && now.ino === inode
    return isSame ? answer : { kind: "unreadable", reason: "ESTALE" }
  }

  return {
    device,
    inode,
    ownStat: fileStatOf(stats),
    list: ({ maxEntries }) => checked(listAt(place, { maxEntries, sizeBytes: stats.size })),
    stat: (name) => (isPlainName(name) ? checked(statAt(`${place}/${name}`)) : NO_NAME),
    read: (name, limits) =>
      isPlainName(name) ? checked(readAt(`${place}/${name}`, limits.maxBytes)) : NO_NAME,
    open(name) {
      if (!isPlainName(name)) return NO_NAME
      const opened = openAt(`${place}/${name}`, { path: join(named.path, name), way })
      const answer = checked(opened)
      if (answer !== opened && opened.kind === "open") opened.folder[Symbol.dispose]()
      return answer
    },
    [Symbol.dispose]() {
      if (handle !== undefined) closeSync(handle)
    },
  }
}

const NO_NAME = { kind: "unreadable", reason: "EINVAL" } as const

function isPlainName(name: string): boolean {
  const isDots = name === "" || name === "." || name === ".."
  const separates = process.platform === "win32" ? /[/\\\0]/ : /[/\0]/
  return !isDots && !separates.test(name)
}

type ListLimits = {
  readonly maxEntries: number
  readonly sizeBytes: number
}

/** latin1 preserves the bytes of a name that is not UTF-8. */
const encoding = "latin1"

function listAt(place: string, { maxEntries, sizeBytes }: ListLimits): FolderListing {
  try {
    // `readdirSync` takes a third of the time for small directories; large ones are read up to the
    // limit.
    if (sizeBytes <= SMALL_DIRECTORY_BYTES) {
      const entries = readdirSync(place, { encoding, withFileTypes: true })
      return listingOf(entries, { place, maxEntries })
    }
    using directory = opendirSync(place, { encoding, bufferSize: ENTRIES_A_STEP })
    return listingOf(entriesOf(directory), { place, maxEntries })
  } catch (error) {
    return notThere(error)
  }
}

function* entriesOf(directory: Dir): Generator<Dirent> {
  for (let it = directory.readSync(); it !== null; it = directory.readSync()) yield it
}

function listingOf(
  dirents: Iterable<Dirent>,
  { place, maxEntries }: { readonly place: string; readonly maxEntries: number },
): FolderListing {
  const entries: DirectoryEntry[] = []
  const unnameable: string[] = []
  for (const dirent of dirents) {
    if (entries.length + unnameable.length === maxEntries) return { kind: "too-many", maxEntries }
    const name = utf8Name(dirent.name)
    if (name === undefined) unnameable.push(writtenOut(dirent.name))
    else entries.push({ name, what: typeOf(dirent, `${place}/${name}`) })
  }
  entries.sort((a, b) => compareText(a.name, b.name))
  return { kind: "listed", entries, unnameable: unnameable.toSorted(compareText) }
}

/** Some thousand entries on most file systems. */
const SMALL_DIRECTORY_BYTES = 128 * 1024
const ENTRIES_A_STEP = 256

function utf8Name(name: string): string | undefined {
  if (!BEYOND_ASCII.test(name)) return name
  const bytes = Buffer.from(name, "latin1")
  return isUtf8(bytes) ? bytes.toString() : undefined
}

const BEYOND_ASCII = /[\x80-\xff]/

function writtenOut(name: string): string {
  return name.replace(/[\x80-\xff]/g, (it) => `\\x${it.charCodeAt(0).toString(16)}`)
}

/** Some file systems leave out the type in a listing. */
function typeOf(entry: Parameters<typeof fileTypeOf>[0], path: string): FileType {
  const what = fileTypeOf(entry)
  if (what !== "file of unknown type") return what
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? what : fileTypeOf(stats)
}

function statAt(path: string): StatOutcome {
  try {
    const stats = lstatSync(path)
    return { kind: "found", what: fileTypeOf(stats), stat: fileStatOf(stats) }
  } catch (error) {
    return notThere(error)
  }
}

function readAt(path: string, maxBytes: number): Exclude<ReadOutcome, OutsideRoot> {
  try {
    // Opening a device may have an effect, so check before and after opening.
    const stats = lstatSync(path)
    if (!stats.isFile()) return { kind: "not-regular", what: fileTypeOf(stats) }
    const handle = openSync(path, READ_WITHOUT_WAITING)
    try {
      return readOpened(handle, maxBytes)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    return notThere(error)
  }
}

function readOpened(handle: number, maxBytes: number): Exclude<ReadOutcome, OutsideRoot> {
  const stats = fstatSync(handle)
  if (!stats.isFile()) return { kind: "not-regular", what: fileTypeOf(stats) }
  if (stats.size > maxBytes) return { kind: "too-large", sizeBytes: stats.size }
  const buffer = Buffer.allocUnsafeSlow(Math.min(maxBytes, stats.size) + 1)
  let length = 0
  while (length < buffer.length) {
    const count = readSync(handle, buffer, length, buffer.length - length, null)
    if (count === 0) break
    length += count
  }
  if (length > maxBytes) return { kind: "too-large", sizeBytes: length }
  if (length > stats.size) return { kind: "unreadable", reason: "EBUSY" }
  const bytes = buffer.subarray(0, length)
  return { kind: "read", bytes, stat: { ...fileStatOf(stats), sizeBytes: length } }
}

function notThere(error: unknown): NotThere {
  const reason = reasonOf(error)
  const isMissing = reason === "ENOENT" || reason === "ENOTDIR"
  return isMissing ? { kind: "missing" } : { kind: "unreadable", reason }
}
