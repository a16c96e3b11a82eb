import * as real from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { createHash, hash, MOST_LIGHT_HASH_BYTES, randomBytes } from "./light-crypto.ts"
import { sha1, sha256 } from "./light-sha.ts"

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
  const sizes = [...around(10), ...around(64), ...around(128), ...around(MOST_LIGHT_HASH_BYTES)]
  for (const size of sizes) {
    const bytes = Buffer.alloc(size, size % 251)
    for (const [name, own] of Object.entries({ sha1, sha256 })) {
      expect(Buffer.from(own(bytes)).toString("hex")).toBe(real.hash(name, bytes))
    }
  }
})

test("[HOOKS-16] a hash in parts, and beyond the limit, equals the hash of the whole", () => {
  const part = Buffer.alloc(MOST_LIGHT_HASH_BYTES / 4, "part")
  const parts = Array.from({ length: 10 }, () => part)
  for (const algorithm of ALGORITHMS) {
    const hasher = createHash(algorithm)
    for (const it of parts) hasher.update(it)
    expect(hasher.digest("hex")).toBe(real.hash(algorithm, Buffer.concat(parts)))
  }
})

test("[HOOKS-16] without an encoding a digest is a buffer of its own", () => {
  const digest = createHash("sha256").update("a").digest()
  expect(digest).toEqual(real.createHash("sha256").update("a").digest())
  expect(hash("sha256", "a", "buffer")).toEqual(digest)
  if (typeof digest !== "string") digest.fill(0)
  expect(hash("sha256", "a")).toBe(real.hash("sha256", "a"))
})

test("[HOOKS-16] random bytes have the requested length and do not repeat", () => {
  const drawn = Array.from({ length: 100 }, () => randomBytes(16))
  expect(new Set(drawn.map((it) => it.toString("hex"))).size).toBe(100)
  expect(drawn.every((it) => it.length === 16)).toBe(true)
})
