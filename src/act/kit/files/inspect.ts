import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import path from "node:path"
import { leadsTo, type ReadOutcome, readBounded, statFile } from "#ground/base"
import {
  FileIsLink,
  FileNotText,
  FileNotUsable,
  FileOfOthers,
  FileReadOnly,
  FileTooLarge,
  FileUnreadable,
  FolderLeadsOut,
} from "../errors.ts"
import { LARGEST_SETTINGS_BYTES } from "../limits.ts"

export type Content = { readonly bytes: Buffer; readonly mode: number }

export type InspectedPath = {
  readonly path: string
  /** The path to write to, with all links above the file resolved. */
  readonly realPath: string
  readonly found: Content | undefined
  readonly missingFolders: readonly string[]
}

export type PathWithin = {
  readonly path: string
  readonly within: string
}

/**
 * Reads the file at a path and rejects anything but a regular file of the current user. The type is
 * checked before opening, because opening a FIFO would block.
 */
export async function inspect(location: PathWithin): Promise<InspectedPath> {
  const realPath = realPathOf(location)
  const fileStat = await statFile(realPath)
  if (fileStat.kind === "unreadable")
    throw FileUnreadable({ path: location.path, reason: fileStat.reason })
  if (fileStat.kind === "missing") {
    const missingFolders = await foldersMissing(path.dirname(realPath))
    return { path: location.path, realPath, found: undefined, missingFolders }
  }
  if (fileStat.what === "symbolic link") throw FileIsLink({ path: location.path })
  if (fileStat.what !== "regular file")
    throw FileNotUsable({ path: location.path, what: fileStat.what })
  // A replaced file gets our owner: with sudo the user would lose access to their own settings.
  if (!fileStat.stat.isOwn) throw FileOfOthers({ path: location.path })
  const content = await readWhole(location.path, realPath)
  return { path: location.path, realPath, found: content, missingFolders: [] }
}

export async function inspectText(location: PathWithin): Promise<InspectedPath> {
  const spot = await inspect(location)
  if (spot.found === undefined) return spot
  const { bytes, mode } = spot.found
  if ((mode & OWNER_WRITES) === 0) throw FileReadOnly({ path: location.path })
  if (!isUtf8(bytes) || bytes.includes(0)) throw FileNotText({ path: location.path })
  return spot
}

const OWNER_WRITES = 0o200

function realPathOf(location: PathWithin): string {
  const folder = leadsTo(path.dirname(location.path))
  const within = leadsTo(location.within)
  if (folder === undefined || within === undefined)
    throw FileUnreadable({ path: location.path, reason: "ELOOP" })
  const fromWithin = path.relative(within, folder)
  const isOut = fromWithin.split(path.sep)[0] === ".." || path.isAbsolute(fromWithin)
  if (isOut) throw FolderLeadsOut({ path: location.path, to: folder })
  return path.join(folder, path.basename(location.path))
}

async function readWhole(shown: string, realPath: string): Promise<Content> {
  const read = await readBounded(realPath, { maxBytes: LARGEST_SETTINGS_BYTES })
  if (read.kind === "read") return { bytes: read.bytes, mode: read.stat.mode }
  throw refusalOf(shown, read)
}

function refusalOf(shown: string, read: Exclude<ReadOutcome, { kind: "read" }>): Error {
  if (read.kind === "too-large")
    return FileTooLarge({ path: shown, mostBytes: LARGEST_SETTINGS_BYTES })
  const reason = read.kind === "unreadable" ? read.reason : read.kind
  return FileUnreadable({ path: shown, reason })
}

async function foldersMissing(folder: string): Promise<readonly string[]> {
  const fileStat = await statFile(folder)
  if (fileStat.kind === "missing" && path.dirname(folder) !== folder)
    return [...(await foldersMissing(path.dirname(folder))), folder]
  if (fileStat.kind === "found" && fileStat.what !== "directory")
    throw FileNotUsable({ path: folder, what: `${fileStat.what} in place of a folder` })
  return []
}

export function digest(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex")
}
