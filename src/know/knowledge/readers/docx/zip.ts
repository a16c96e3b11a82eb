import { inflateRawSync } from "node:zlib"

/** A document has about 20 parts. */
const MOST_PARTS = 5_000

/** The text of a thousand pages has about 10 MB; a zip bomb has any size. */
const LARGEST_PART_BYTES = 60_000_000

const END_OF_DIRECTORY = 0x06_05_4b_50
const DIRECTORY_ENTRY = 0x02_01_4b_50
const LOCAL_HEADER = 0x04_03_4b_50

const STORED = 0
const DEFLATED = 8

/** Longest comment after the directory, plus the record itself. */
const DIRECTORY_TAIL_BYTES = 65_557

type Part = {
  readonly method: number
  readonly size: number
  readonly offset: number
  readonly isEncrypted: boolean
}

export type ZipOutcome =
  | { readonly kind: "opened"; part(name: string): string | undefined }
  | { readonly kind: "refused"; readonly reason: string }

/** Reads single parts as text. A part larger than its cap throws, whatever its header says. */
export function openZip(bytes: Buffer): ZipOutcome {
  const parts = readDirectory(bytes)
  if (parts === undefined) return { kind: "refused", reason: "a damaged zip file" }
  return {
    kind: "opened",
    part(name) {
      const part = parts.get(name)
      return part === undefined ? undefined : readPart(bytes, part)
    },
  }
}

function readDirectory(bytes: Buffer): ReadonlyMap<string, Part> | undefined {
  const end = endOfDirectory(bytes)
  if (end === undefined) return undefined
  const count = bytes.readUInt16LE(end + 10)
  if (count > MOST_PARTS) return undefined
  let at = bytes.readUInt32LE(end + 16)
  const parts = new Map<string, Part>()
  for (let number = 0; number < count; number++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== DIRECTORY_ENTRY) return undefined
    const nameBytes = bytes.readUInt16LE(at + 28)
    const name = bytes.toString("utf8", at + 46, at + 46 + nameBytes)
    parts.set(name, {
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return parts
}

function endOfDirectory(bytes: Buffer): number | undefined {
  const first = Math.max(0, bytes.length - DIRECTORY_TAIL_BYTES)
  for (let at = bytes.length - 22; at >= first; at--) {
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at
  }
  return undefined
}

function readPart(bytes: Buffer, { method, size, offset, isEncrypted }: Part): string {
  const isValid = offset + 30 <= bytes.length && bytes.readUInt32LE(offset) === LOCAL_HEADER
  if (!isValid || isEncrypted) throw new Error("a part of the zip file cannot be read")
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const packed = bytes.subarray(start, start + size)
  if (method === DEFLATED) {
    return inflateRawSync(packed, { maxOutputLength: LARGEST_PART_BYTES }).toString("utf8")
  }
  if (method !== STORED) throw new Error("a part of the zip file has an unknown compression")
  return packed.toString("utf8")
}
