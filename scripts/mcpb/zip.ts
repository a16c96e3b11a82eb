import { crc32, deflateRawSync } from "node:zlib"

export type ZipEntry = { readonly path: string; readonly bytes: Uint8Array; readonly mode: number }

const METHOD_DEFLATE = 8
const VERSION = 20
const UTF8_NAMES = 0x0800
const MADE_ON_UNIX = 3 << 8
const REGULAR_FILE = 0o100000

/** 1980-01-01, the first date of the format: the same files give the same bytes. */
const DATE = 0x0021

const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
const END_BYTES = 22

/** A zip archive in memory, for archives below 4 GB and 65,535 files. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, bytes, mode } of entries) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(bytes)
    const shared = sharedFields({ bytes, packed, name })
    const local = Buffer.alloc(LOCAL_BYTES)
    local.writeUInt32LE(0x04034b50, 0)
    shared.copy(local, 4)
    parts.push(local, name, packed)
    const central = Buffer.alloc(CENTRAL_BYTES)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(MADE_ON_UNIX | VERSION, 4)
    shared.copy(central, 6)
    central.writeUInt32LE(((REGULAR_FILE | mode) << 16) >>> 0, 38)
    central.writeUInt32LE(offset, 42)
    directory.push(central, name)
    offset += LOCAL_BYTES + name.length + packed.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(END_BYTES)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listing, end])
}

type Packed = { readonly bytes: Uint8Array; readonly packed: Buffer; readonly name: Buffer }

/** The fields that a local header and the central directory have in common. */
function sharedFields({ bytes, packed, name }: Packed): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(UTF8_NAMES, 2)
  fields.writeUInt16LE(METHOD_DEFLATE, 4)
  fields.writeUInt16LE(DATE, 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(packed.length, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}
