import { closeSync, openSync, readSync } from "node:fs"
import { sha1, sha256 } from "./light-sha.ts"

// Replaces `node:crypto` in the bundle (hooks.ts) with the functions that the rooms of a hook use.
// Large or unusual inputs go to the real module.

/** Up to 32 KiB our own hash is faster than loading Node's. */
export const LARGEST_LIGHT_HASH_BYTES = 32 * 1024

const ALGORITHMS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = { sha1, sha256 }

export function createHash(algorithm: string) {
  const chunks: Buffer[] = []
  return {
    update(data: string | Uint8Array, encoding?: BufferEncoding) {
      chunks.push(typeof data === "string" ? Buffer.from(data, encoding) : Buffer.from(data))
      return this
    },
    digest: (encoding: BufferEncoding) =>
      digestOf(algorithm, Buffer.concat(chunks)).toString(encoding),
  }
}

export function hash(
  algorithm: string,
  data: string | Uint8Array,
  encoding: BufferEncoding = "hex",
): string {
  return digestOf(algorithm, Buffer.from(data)).toString(encoding)
}

/** One event hashes the session's name repeatedly. */
const digests = new Map<string, Buffer>()
const LARGEST_KNOWN_BYTES = 512
const MOST_KNOWN = 1_000

function digestOf(algorithm: string, bytes: Buffer): Buffer {
  if (bytes.length > LARGEST_KNOWN_BYTES) return compute(algorithm, bytes)
  const name = `${algorithm} ${bytes.toString("latin1")}`
  const digest = digests.get(name) ?? compute(algorithm, bytes)
  if (digests.size < MOST_KNOWN) digests.set(name, digest)
  return digest
}

function compute(algorithm: string, bytes: Buffer): Buffer {
  const light = ALGORITHMS[algorithm]
  const isSmall = bytes.length <= LARGEST_LIGHT_HASH_BYTES
  if (light !== undefined && isSmall) return Buffer.from(light(bytes))
  return realCrypto().createHash(algorithm).update(bytes).digest()
}

/** Reads the system's random source where it is a file. */
export function randomBytes(count: number): Buffer {
  try {
    const source = openSync("/dev/urandom", "r")
    try {
      const bytes = Buffer.alloc(count)
      if (readSync(source, bytes) === count) return bytes
    } finally {
      closeSync(source)
    }
  } catch {
    // This system has no such file.
  }
  return realCrypto().randomBytes(count)
}

function realCrypto() {
  return process.getBuiltinModule("node:crypto")
}
