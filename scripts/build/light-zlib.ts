// Replaces `crc32` of `node:zlib` in the bundle: loading the module takes 5 ms, and a command that
// writes one event needs the checksum of some hundred bytes. Further work uses the real function.

/** Up to this size, in all, our own checksum is faster than loading Node's. */
export const MOST_LIGHT_CRC_BYTES = 64 * 1024

let lightBytes = 0
let table: Uint32Array | undefined

export function crc32(data: string | Uint8Array, value = 0): number {
  const bytes = typeof data === "string" ? Buffer.from(data) : data
  lightBytes += bytes.length
  if (lightBytes > MOST_LIGHT_CRC_BYTES)
    return process.getBuiltinModule("node:zlib").crc32(bytes, value)
  const remainders = (table ??= createTable())
  let crc = ~value
  for (const byte of bytes) crc = (remainders[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** The remainder of each byte by the polynomial of IEEE 802.3, with the lowest bit first. */
function createTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte
    for (let bit = 0; bit < 8; bit++)
      remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
    return remainder
  })
}
