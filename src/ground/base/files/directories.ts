import { isUtf8 } from "node:buffer"
import { constants } from "node:fs"
import {
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  opendir,
  realpath,
  rm,
  rmdir,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve, sep } from "node:path"
import { FileNotDirectory } from "../errors.ts"
import { compareText } from "../text/text.ts"
import { type FileType, fileTypeOf } from "./file-type.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

const LARGEST_LISTING_ENTRIES = 100_000

export async function ensureDirectory(
  path: string,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const mode = options.mode ?? 0o700
  const whole = resolve(path)
  try {
    await refuseLinkedFolders(whole)
    const made = await makeMissing(whole, mode)
    await setMode(whole, { mode, made })
    if (made) await syncDirectory(dirname(whole))
  } catch (error) {
    throw asWriteFailure(error, { path })
  }
}

/** Files of a repository that we write are below this folder. git can contain a link in its place. */
const PROJECT_FOLDER = ".qm"

/**
 * Rejects a path that has a link between `.qm` and its last name: a link of a cloned repository
 * would redirect the write to a place outside it.
 */
export async function refuseLinkedFolders(path: string): Promise<void> {
  const names = resolve(path).split(sep)
  const first = names.indexOf(PROJECT_FOLDER)
  if (first < 0) return
  for (let end = first + 1; end < names.length; end++) {
    const folder = names.slice(0, end).join(sep)
    const stats = await lstat(folder).catch(() => undefined)
    if (stats === undefined) return
    if (stats.isSymbolicLink()) throw FileNotDirectory({ path: folder, what: fileTypeOf(stats) })
  }
}

export async function removeEmptyDirectory(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    const reason = reasonOf(error)
    const isLeft = reason === "ENOENT" || reason === "ENOTEMPTY" || reason === "EEXIST"
    if (!isLeft) throw asWriteFailure(error, { path })
  }
}

export type DirectoryEntry = { readonly name: string; readonly what: FileType }

export type ListOutcome =
  | {
      readonly kind: "listed"
      readonly entries: readonly DirectoryEntry[]
      /** Entries whose name is not UTF-8, so no string can address them. */
      readonly unnameable: number
    }
  | { readonly kind: "missing" }
  | { readonly kind: "not-directory"; readonly what: FileType }
  | { readonly kind: "too-many"; readonly maxEntries: number }
  | { readonly kind: "unreadable"; readonly reason: string }

type ListOptions = {
  readonly maxEntries?: number
  /** "disk": the file system's own order. */
  readonly order?: "name" | "disk"
}

export async function listDirectory(path: string, options: ListOptions = {}): Promise<ListOutcome> {
  try {
    const stats = await lstat(path)
    if (!stats.isDirectory()) return { kind: "not-directory", what: fileTypeOf(stats) }
    const listed = await readEntries(path, options.maxEntries ?? LARGEST_LISTING_ENTRIES)
    if (listed.kind !== "listed" || options.order === "disk") return listed
    return { ...listed, entries: listed.entries.toSorted((a, b) => compareText(a.name, b.name)) }
  } catch (error) {
    const reason = reasonOf(error)
    const isMissing = reason === "ENOENT" || reason === "ENOTDIR"
    return isMissing ? { kind: "missing" } : { kind: "unreadable", reason }
  }
}

/** Undefined on Windows, which cannot open a directory. */
export async function openDirectory(path: string): Promise<FileHandle | undefined> {
  if (process.platform === "win32") return undefined
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY)
}

export async function syncDirectory(directory: string | FileHandle | undefined): Promise<void> {
  if (typeof directory === "string") {
    await using handle = await openDirectory(directory)
    return await syncDirectory(handle)
  }
  try {
    await directory?.sync()
  } catch (error) {
    // Some network and user-space file systems do not support it; the write itself is fine.
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP"].includes(reasonOf(error))) throw error
  }
}

async function makeMissing(path: string, mode: number): Promise<boolean> {
  const isMade = await makeBelow(path, mode)
  if (isMade !== undefined) return isMade
  const parent = dirname(path)
  const isParentMade = parent !== path && (await makeMissing(parent, mode))
  const stats = await lstat(parent)
  if (!stats.isDirectory()) throw FileNotDirectory({ path: parent, what: fileTypeOf(stats) })
  if (isParentMade) await setMode(parent, { mode, made: true })
  // No further retry: some folders refuse entries with ENOENT each time.
  await mkdir(path, { mode }).catch(allowThere)
  return true
}

async function makeBelow(path: string, mode: number): Promise<boolean | undefined> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === "EEXIST") return false
    if (reason === "ENOENT") return undefined
    throw error
  }
}

function allowThere(error: unknown): void {
  if (reasonOf(error) !== "EEXIST") throw error
}

async function setMode(
  path: string,
  target: { readonly mode: number; readonly made: boolean },
): Promise<void> {
  const stats = await lstat(path)
  if (!stats.isDirectory()) throw FileNotDirectory({ path, what: fileTypeOf(stats) })
  await using handle = await openItself(path)
  if (handle === undefined) return
  const { mode } = await handle.stat()
  const isTooOpen = (target.mode & 0o077) === 0 && (mode & 0o077) !== 0
  if (target.made || isTooOpen) await handle.chmod(target.mode)
}

/** By handle and without following links, so the mode applies to the checked directory. */
async function openItself(path: string): Promise<FileHandle | undefined> {
  if (process.platform === "win32") return undefined
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

async function readEntries(path: string, maxEntries: number): Promise<ListOutcome> {
  const entries: DirectoryEntry[] = []
  let unnameable = 0
  // latin1 preserves the bytes of a name that is not UTF-8.
  for await (const entry of await opendir(path, { encoding: "latin1" })) {
    if (entries.length + unnameable === maxEntries) return { kind: "too-many", maxEntries }
    const name = Buffer.from(entry.name, "latin1")
    if (isUtf8(name)) entries.push({ name: name.toString(), what: fileTypeOf(entry) })
    else unnameable++
  }
  return { kind: "listed", entries, unnameable }
}

export type TemporaryDirectory = AsyncDisposable & { readonly path: string }

/** An empty private folder outside every project, deleted on dispose. */
export async function makeTemporaryDirectory(): Promise<TemporaryDirectory> {
  try {
    const path = await mkdtemp(join(await realpath(tmpdir()), "qm-"))
    return {
      path,
      [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
    }
  } catch (error) {
    throw asWriteFailure(error, { path: tmpdir() })
  }
}
