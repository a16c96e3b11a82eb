import type { OpenFolder } from "#ground/base"
import { openBelow } from "#know/ledger"
import { LARGEST_PACKED_REFS_BYTES, LARGEST_REF_BYTES } from "./limits.ts"
import { openPlain } from "./open-plain.ts"

/** The commit a ref names, read from files: of its own, or of the packed refs. */
export function readRef(common: string, ref: string): string | undefined {
  if (!isPlainRef(ref)) return undefined
  const names = ref.split("/")
  using folder = openBelow(common, names.slice(0, -1).join("/"))
  const loose = folder === undefined ? undefined : lineIn(folder, names.at(-1) ?? "")
  const id = loose ?? packedRef(common, ref)
  return id !== undefined && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(id) ? id : undefined
}

/** The first and only line of a small file. */
export function lineIn(folder: OpenFolder, name: string): string | undefined {
  const read = folder.read(name, { maxBytes: LARGEST_REF_BYTES })
  return read.kind === "read" ? read.bytes.toString().trimEnd() : undefined
}

function packedRef(common: string, ref: string): string | undefined {
  using folder = openPlain(common)
  const read = folder?.read("packed-refs", { maxBytes: LARGEST_PACKED_REFS_BYTES })
  if (read?.kind !== "read") return undefined
  // Found in the bytes: there may be very many lines.
  const end = read.bytes.indexOf(` ${ref}\n`)
  if (end === -1) return undefined
  return read.bytes.toString("latin1", read.bytes.lastIndexOf("\n", end) + 1, end)
}

/** One that stays below its folder; git allows no others. */
function isPlainRef(ref: string): boolean {
  const isShaped = /^refs\/[^\x00-\x20\x7f~^:?*[\\]+$/.test(ref)
  return isShaped && ref.split("/").every((it) => it !== "" && !it.startsWith("."))
}
