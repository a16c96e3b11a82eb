import { closeSync, openSync, readSync } from "node:fs"
import { sha1, sha256 } from "./light-sha.ts"

// Replaces `node:crypto` in the bundles with the functions that a hook or a short command uses.
// Other functions, and further work of the same process, use the real module.

/** Up to this size, in all, our own hash is faster than loading Node's. */
export const MOST_LIGHT_HASH_BYTES = 32 * 1024

let lightBytes = 0

const ALGORITHMS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = { sha1, sha256 }

export function createHash(algorithm: string) {
  let chunks: Buffer[] = []
  let sizeBytes = 0
  let real: ReturnType<typeof startReal> | undefined
  const startReal = () => {
    const hasher = realCrypto().createHash(algorithm)
    for (const chunk of chunks) hasher.update(chunk)
    chunks = []
    return hasher
  }
  return {
    update(data: string | Uint8Array, encoding?: BufferEncoding) {
      const chunk = typeof data === "string" ? Buffer.from(data, encoding) : Buffer.from(data)
      sizeBytes += chunk.length
      if (real === undefined && isLight(algorithm, sizeBytes)) chunks.push(chunk)
      else (real ??= startReal()).update(chunk)
      return this
    },
    digest(encoding?: BufferEncoding) {
      const bytes = real?.digest() ?? digestOf(algorithm, Buffer.concat(chunks))
      return encoding === undefined ? Buffer.from(bytes) : bytes.toString(encoding)
    },
  }
}

export function hash(
  algorithm: string,
  data: string | Uint8Array,
  encoding: BufferEncoding | "buffer" = "hex",
): string | Buffer {
  const digest = digestOf(algorithm, Buffer.from(data))
  return encoding === "buffer" ? Buffer.from(digest) : digest.toString(encoding)
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
  if (light === undefined || !isLight(algorithm, bytes.length)) {
    return realCrypto().createHash(algorithm).update(bytes).digest()
  }
  lightBytes += bytes.length
  return Buffer.from(light(bytes))
}

function isLight(algorithm: string, sizeBytes: number): boolean {
  return algorithm in ALGORITHMS && lightBytes + sizeBytes <= MOST_LIGHT_HASH_BYTES
}

/** A process that draws more often loads the real module. */
const MOST_LIGHT_DRAWS = 64

let lightDraws = 0

export function randomBytes(count: number): Buffer {
  const bytes = lightDraws++ < MOST_LIGHT_DRAWS ? drawBytes(count) : undefined
  return bytes ?? realCrypto().randomBytes(count)
}

/** Reads the system's random source where it is a file. */
function drawBytes(count: number): Buffer | undefined {
  try {
    const source = openSync("/dev/urandom", "r")
    try {
      const bytes = Buffer.alloc(count)
      return readSync(source, bytes) === count ? bytes : undefined
    } finally {
      closeSync(source)
    }
  } catch {
    return undefined
  }
}

function realCrypto() {
  return process.getBuiltinModule("node:crypto")
}
