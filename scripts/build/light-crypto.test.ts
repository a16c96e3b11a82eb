import * as real from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createHash, hash, LARGEST_LIGHT_HASH_BYTES, randomBytes } from "./light-crypto.ts"

const ALGORITHMS = ["sha1", "sha256", "sha512"] as const

test("[HOOKS-16] any bytes have the same hash as with Node", () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(fc.constantFrom(...ALGORITHMS), bytes, fc.string(), (name, first, text) => {
      const own = createHash(name).update(first).update(text, "utf16le").digest("hex")
      const known = real.createHash(name).update(first).update(text, "utf16le").digest("hex")
      expect(own).toBe(known)
      expect(hash(name, text)).toBe(real.hash(name, text))
    }),
    fcParameters({ numRuns: 300 }),
  )
})

test("[HOOKS-16] lengths around a block, and around the largest, are padded correctly", () => {
  const around = (size: number) => Array.from({ length: 20 }, (_, index) => size - 10 + index)
  const sizes = [...around(10), ...around(64), ...around(128), ...around(LARGEST_LIGHT_HASH_BYTES)]
  for (const size of sizes) {
    const bytes = Buffer.alloc(size, size % 251)
    for (const name of ALGORITHMS) {
      expect(createHash(name).update(bytes).digest("hex")).toBe(
        real.createHash(name).update(bytes).digest("hex"),
      )
    }
  }
})

test("[HOOKS-16] random bytes have the requested length and do not repeat", () => {
  const drawn = Array.from({ length: 50 }, () => randomBytes(16))
  expect(new Set(drawn.map((it) => it.toString("hex"))).size).toBe(50)
  expect(drawn.every((it) => it.length === 16)).toBe(true)
})
