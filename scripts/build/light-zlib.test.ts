import { crc32 as realCrc32 } from "node:zlib"
import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { crc32, MOST_LIGHT_CRC_BYTES } from "./light-zlib.ts"

test("[HOOKS-16] any text and bytes have the same checksum as with Node", () => {
  const first = fc.uint8Array({ maxLength: 100 })
  fc.assert(
    fc.property(first, fc.string({ unit: "binary", maxLength: 100 }), (bytes, text) => {
      expect(crc32(bytes)).toBe(realCrc32(bytes))
      expect(crc32(text, crc32(bytes))).toBe(realCrc32(text, realCrc32(bytes)))
    }),
    fcParameters({ numRuns: 100 }),
  )
})

test("[HOOKS-16] beyond the limit Node computes the checksum", () => {
  const bytes = Buffer.alloc(MOST_LIGHT_CRC_BYTES + 1, "large")
  expect(crc32(bytes)).toBe(realCrc32(bytes))
  expect(crc32("short")).toBe(realCrc32("short"))
})
