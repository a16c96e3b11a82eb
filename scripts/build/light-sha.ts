/**
 * SHA-1 and SHA-256 of FIPS 180-4 for short texts and files, because loading Node's own costs a
 * hook eight milliseconds, a third of its limit.
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
  const words = new Int32Array(80)
  return hashBlocks(bytes, { state, words, mix: mix1 })
}

export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.from(FIRST_WORDS)
  const words = new Int32Array(64)
  return hashBlocks(bytes, { state, words, mix: mix256 })
}

type Work = {
  readonly state: Int32Array
  readonly words: Int32Array
  mix(state: Int32Array, words: Int32Array): void
}

const BLOCK_BYTES = 64

function hashBlocks(bytes: Uint8Array, { state, words, mix }: Work): Uint8Array {
  const padded = pad(bytes)
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    for (let index = 0; index < 16; index++) words[index] = padded.getInt32(at + index * 4)
    mix(state, words)
  }
  const digest = new DataView(new ArrayBuffer(state.length * 4))
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word)
  return new Uint8Array(digest.buffer)
}

function pad(bytes: Uint8Array): DataView {
  const sizeBytes = Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES
  const padded = new Uint8Array(sizeBytes)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(sizeBytes - 8, BigInt(bytes.length) * 8n)
  return view
}

function mix1(state: Int32Array, words: Int32Array): void {
  for (let index = 16; index < 80; index++) {
    const far = (words[index - 14] ?? 0) ^ (words[index - 16] ?? 0)
    const mixed = (words[index - 3] ?? 0) ^ (words[index - 8] ?? 0) ^ far
    words[index] = (mixed << 1) | (mixed >>> 31)
  }
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  for (let index = 0; index < 80; index++) {
    // Function and constant change every twenty steps.
    let chosen = (b ^ c ^ d) + (index < 40 ? 0x6ed9eba1 : 0xca62c1d6)
    if (index < 20) chosen = ((b & c) ^ (~b & d)) + 0x5a827999
    else if (index >= 40 && index < 60) chosen = ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc
    const next = (rotate(a, 27) + chosen + e + (words[index] ?? 0)) | 0
    e = d
    d = c
    c = rotate(b, 2)
    b = a
    a = next
  }
  add(state, [a, b, c, d, e])
}

function mix256(state: Int32Array, words: Int32Array): void {
  for (let index = 16; index < 64; index++) {
    const late = words[index - 2] ?? 0
    const early = words[index - 15] ?? 0
    const left = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    const right = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    words[index] = left + (words[index - 7] ?? 0) + right + (words[index - 16] ?? 0)
  }
  let [a, b, c, d] = [state[0] ?? 0, state[1] ?? 0, state[2] ?? 0, state[3] ?? 0]
  let [e, f, g, h] = [state[4] ?? 0, state[5] ?? 0, state[6] ?? 0, state[7] ?? 0]
  for (let index = 0; index < 64; index++) {
    const turned = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const chosen = (e & f) ^ (~e & g)
    const first = h + turned + chosen + (CUBES[index] ?? 0) + (words[index] ?? 0)
    const most = (a & b) ^ (a & c) ^ (b & c)
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + most
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  add(state, [a, b, c, d, e, f, g, h])
}

/** Rotates right; signed words make no difference here. */
function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function add(state: Int32Array, words: readonly number[]): void {
  for (let index = 0; index < words.length; index++) {
    state[index] = (state[index] ?? 0) + (words[index] ?? 0)
  }
}

/** The standard's constants are roots of the first primes, so they are computed and not copied. */
const PRIMES = firstPrimes(64)
const CUBES = PRIMES.map((it) => fractionOf(Math.cbrt(it)))
const FIRST_WORDS = PRIMES.slice(0, 8).map((it) => fractionOf(Math.sqrt(it)))

function fractionOf(root: number): number {
  return Math.floor((root % 1) * 2 ** 32) | 0
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((it) => number % it !== 0)) primes.push(number)
  }
  return primes
}
