import { isUtf8 } from "node:buffer"
import type { ObjectFormat } from "./parse.ts"

export type IndexEntry = {
  readonly path: string
  readonly id: string
  /** As in the file: 0o100644, 0o120000 for a link, 0o160000 for a submodule. */
  readonly mode: number
  readonly sizeBytes: number
  readonly modifiedSeconds: number
  /** 0 where git stored whole seconds only. */
  readonly modifiedNanoseconds: number
  readonly isConflict: boolean
  /** Not compared with the disk: sparse checkout, or marked as unchanged by the user. */
  readonly isSkipped: boolean
}

const HEADER_BYTES = 12
const STAT_BYTES = 40
const ID_BYTES: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 }
const FOLDER_MODE = 0o040000
const LONG_PATH = 0xfff

/**
 * The entries of git's index, versions 2 to 4. Undefined for a file that is damaged, shared with
 * another one (split index) or has folders as entries (sparse index).
 */
export function parseIndex(bytes: Buffer, format: ObjectFormat): readonly IndexEntry[] | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const count = bytes.readUInt32BE(8)
  const entries: IndexEntry[] = []
  let at = HEADER_BYTES
  let before: Buffer = Buffer.alloc(0)
  for (let i = 0; i < count; i++) {
    const read = readEntry(bytes, { at, version, before, idBytes: ID_BYTES[format] })
    if (read === undefined) return undefined
    ;({ next: at, path: before } = read)
    // A path that is not UTF-8 cannot be named here.
    if (read.entry !== undefined) entries.push(read.entry)
  }
  return hasLink(bytes, at, ID_BYTES[format]) ? undefined : entries
}

type EntryPosition = {
  readonly at: number
  readonly version: number
  readonly before: Buffer
  readonly idBytes: number
}

function readEntry(bytes: Buffer, { at, version, before, idBytes }: EntryPosition) {
  const flagsAt = at + STAT_BYTES + idBytes
  if (flagsAt + 4 > bytes.length) return undefined
  const flags = bytes.readUInt16BE(flagsAt)
  const isExtended = version >= 3 && (flags & 0x4000) !== 0
  const extended = isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0
  const nameAt = flagsAt + (isExtended ? 4 : 2)
  const name =
    version === 4
      ? readShortened(bytes, nameAt, before)
      : readPadded(bytes, { start: at, nameAt, length: flags & LONG_PATH })
  const mode = bytes.readUInt32BE(at + 24)
  if (name === undefined || mode === FOLDER_MODE) return undefined
  const entry: IndexEntry = {
    path: name.path.toString(),
    id: bytes.toString("hex", at + STAT_BYTES, flagsAt),
    mode,
    modifiedSeconds: bytes.readUInt32BE(at + 8),
    modifiedNanoseconds: bytes.readUInt32BE(at + 12),
    sizeBytes: bytes.readUInt32BE(at + 36),
    isConflict: (flags & 0x3000) !== 0,
    isSkipped: (flags & 0x8000) !== 0 || (extended & 0x4000) !== 0,
  }
  return { ...name, entry: isUtf8(name.path) ? entry : undefined }
}

function readPadded(
  bytes: Buffer,
  { start, nameAt, length }: { start: number; nameAt: number; length: number },
) {
  const end = length < LONG_PATH ? nameAt + length : bytes.indexOf(0, nameAt)
  if (end < nameAt || end >= bytes.length) return undefined
  // At least one NUL, up to a multiple of eight bytes.
  const next = start + Math.floor((end - start + 8) / 8) * 8
  return { path: bytes.subarray(nameAt, end), next }
}

/** Version 4 stores how many bytes of the previous path to drop, and what follows. */
function readShortened(bytes: Buffer, nameAt: number, before: Buffer) {
  let at = nameAt
  let byte = bytes[at++] ?? 0
  let dropped = byte & 127
  while ((byte & 128) !== 0) {
    byte = bytes[at++] ?? 0
    dropped = (dropped + 1) * 128 + (byte & 127)
  }
  const end = bytes.indexOf(0, at)
  if (end < 0 || dropped > before.length) return undefined
  const prefix = before.subarray(0, before.length - dropped)
  return { path: Buffer.concat([prefix, bytes.subarray(at, end)]), next: end + 1 }
}

/** The extension `link` names the file that has the other entries. */
function hasLink(bytes: Buffer, from: number, idBytes: number): boolean {
  let at = from
  while (at + 8 <= bytes.length - idBytes) {
    if (bytes.toString("latin1", at, at + 4) === "link") return true
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  return false
}
