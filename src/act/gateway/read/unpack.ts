import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib"

/**
 * Bytes as they were before they were packed for the way. One that was cut gives what was there;
 * undefined when nothing can be made of it, or it would grow past all bounds.
 */
export function unpack(
  bytes: Uint8Array,
  encoding: string,
  maxOutputLength: number,
): Buffer | undefined {
  const packings = encoding
    .toLowerCase()
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "" && it !== "identity")
  if (packings.length > MOST_PACKINGS) return undefined
  let open: Buffer | undefined = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const packing of packings.toReversed()) {
    if (open === undefined) break
    open = attempt(() => unpackOnce(open ?? Buffer.alloc(0), packing, maxOutputLength))
  }
  return open
}

/** Nobody packs twice, but the header is a list. */
const MOST_PACKINGS = 3

function unpackOnce(bytes: Buffer, packing: string, maxOutputLength: number): Buffer | undefined {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = constants
  const patient = { finishFlush: Z_SYNC_FLUSH, maxOutputLength }
  switch (packing) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, patient)
    case "deflate":
      return (
        attempt(() => inflateSync(bytes, patient)) ?? attempt(() => inflateRawSync(bytes, patient))
      )
    case "br":
      return brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength })
    case "zstd":
      return zstdDecompressSync(bytes, { finishFlush: ZSTD_e_flush, maxOutputLength })
    default:
      return undefined
  }
}

function attempt(open: () => Buffer | undefined): Buffer | undefined {
  try {
    return open()
  } catch {
    return undefined
  }
}
