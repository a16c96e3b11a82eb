import { deflateRawSync, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { formatExact } from "#ground/base"
import { LARGEST_KEPT_UNITS, LARGEST_UNPACKED_BYTES, SHORTEST_COMPRESSED_BYTES } from "./limits.ts"

const PLAIN = 0
const COMPRESSED = 1

/**
 * As JSON, so that NUL and half a surrogate pair come back as they were, and compressed when it is
 * worth it. The first byte says whether it is.
 */
export function packText(text: string): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(text))
  if (bytes.length < SHORTEST_COMPRESSED_BYTES) return Uint8Array.from([PLAIN, ...bytes])
  const compressed = deflateRawSync(bytes, { level: 1 })
  const packed = new Uint8Array(compressed.length + 1)
  packed[0] = COMPRESSED
  packed.set(compressed, 1)
  return packed
}

export const KeptText = z
  .instanceof(Uint8Array)
  .transform((packed): unknown => {
    const bytes = packed.subarray(1)
    if (packed[0] === PLAIN) return JSON.parse(Buffer.from(bytes).toString("utf8"))
    const limit = { maxOutputLength: LARGEST_UNPACKED_BYTES }
    return JSON.parse(inflateRawSync(bytes, limit).toString("utf8"))
  })
  .pipe(z.string())

/** What is kept of a text; done after scrubbing. */
export function shortenedText(text: string): string {
  if (text.length <= LARGEST_KEPT_UNITS) return text
  const left = formatExact(text.length - LARGEST_KEPT_UNITS)
  return `${text.slice(0, LARGEST_KEPT_UNITS)}\n[${left} characters more are not kept]`
}

/** A column of JSON. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema)
