import { invariant, packageFile, parseJson, readBounded } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"

/**
 * How text is split into words, and the rank of each known byte sequence. A lower rank was learned
 * earlier and is joined first.
 */
export type Vocabulary = {
  readonly encoding: TokenEncoding
  readonly wordPattern: RegExp
  /** The rank of the token that consists of these bytes, or `NO_RANK`. */
  rankOf(bytes: Uint8Array, from: number, to: number): number
}

export const NO_RANK = -1

const LARGEST_TABLE_BYTES = 8_000_000

/**
 * A file of `scripts/token-tables.ts`: the length of the head in four bytes, the head as JSON, the
 * ranks (all low bytes, all middle bytes, all high bytes, which compresses better), and the tokens
 * without separators. Tokens are sorted by length, then by bytes.
 */
type TableHead = {
  readonly pattern: string
  /** By length in bytes: the number of tokens. */
  readonly counts: readonly number[]
}

export async function loadVocabulary(encoding: TokenEncoding): Promise<Vocabulary> {
  const file = packageFile(`models/tokens/${encoding}.bin`)
  const outcome = await readBounded(file, { maxBytes: LARGEST_TABLE_BYTES })
  const bytes = outcome.kind === "read" ? outcome.bytes : Buffer.alloc(4)
  const headEnd = 4 + bytes.readUInt32LE()
  const head = parseJson(bytes.toString("utf8", 4, headEnd))
  invariant(isTableHead(head), `models/tokens/${encoding}.bin is a file of the package`)
  return {
    encoding,
    wordPattern: new RegExp(withUnicodeSpace(head.pattern), "gu"),
    rankOf: createRanks(bytes.subarray(headEnd), head.counts),
  }
}

function isTableHead(value: unknown): value is TableHead {
  return typeof value === "object" && value !== null && "pattern" in value && "counts" in value
}

/** A search takes four times as long as a table that is built first: 5 ms for 65,000 tokens. */
const MOST_SEARCHES = 5_000

function createRanks(body: Buffer, counts: readonly number[]): Vocabulary["rankOf"] {
  const count = counts.reduce((sum, it) => sum + it, 0)
  const tokens = { bytes: body.subarray(3 * count), ...placesOf(counts) }
  let searches = 0
  let find = createSearch(tokens)
  return (bytes, from, to) => {
    if (searches++ === MOST_SEARCHES) find = createHashTable(tokens)
    const token = find(bytes, from, to)
    if (token === NOT_FOUND) return NO_RANK
    const upper = ((body[2 * count + token] ?? 0) << 8) | (body[count + token] ?? 0)
    return (upper << 8) | (body[token] ?? 0)
  }
}

type TokenList = {
  readonly bytes: Buffer
  /** By length: the number of the first token of this length. One more than there are lengths. */
  readonly firsts: readonly number[]
  /** By length: the offset of that token. */
  readonly offsets: readonly number[]
}

function placesOf(counts: readonly number[]) {
  const firsts = [0]
  const offsets = [0]
  for (const [length, count] of counts.entries()) {
    firsts.push((firsts[length] ?? 0) + count)
    offsets.push((offsets[length] ?? 0) + count * length)
  }
  return { firsts, offsets }
}

const NOT_FOUND = -1

type FindToken = (bytes: Uint8Array, from: number, to: number) => number

function createSearch({ bytes: all, firsts, offsets }: TokenList): FindToken {
  return (bytes, from, to) => {
    const length = to - from
    const first = firsts[length] ?? 0
    const offset = offsets[length] ?? 0
    let low = 0
    let high = (firsts[length + 1] ?? first) - first
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = offset + middle * length
      const order = compareBytes(all, at, { bytes, from, to })
      if (order === 0) return first + middle
      if (order < 0) low = middle + 1
      else high = middle
    }
    return NOT_FOUND
  }
}

type ByteRange = { readonly bytes: Uint8Array; readonly from: number; readonly to: number }

function areSame(all: Uint8Array, start: number, { bytes, from, to }: ByteRange): boolean {
  for (let index = from, at = start; index < to; index++, at++) {
    if (all[at] !== bytes[index]) return false
  }
  return true
}

/** `Buffer.compare` checks six arguments first, which takes longer than comparing a short token. */
function compareBytes(all: Uint8Array, start: number, { bytes, from, to }: ByteRange): number {
  for (let index = from, at = start; index < to; index++, at++) {
    const order = (all[at] ?? 0) - (bytes[index] ?? 0)
    if (order !== 0) return order
  }
  return 0
}

function createHashTable({ bytes: all, firsts, offsets }: TokenList): FindToken {
  const count = firsts.at(-1) ?? 0
  const mask = 2 ** Math.ceil(Math.log2(count * 2)) - 1
  // The number of a token plus one; 0 is free.
  const slots = new Uint32Array(mask + 1)
  for (let length = 0; length + 1 < firsts.length; length++) {
    const first = firsts[length] ?? 0
    const end = firsts[length + 1] ?? first
    let at = offsets[length] ?? 0
    for (let token = first; token < end; token++, at += length) {
      let slot = hashOf(all, at, at + length) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = token + 1
    }
  }
  return (bytes, from, to) => {
    const length = to - from
    const first = firsts[length] ?? 0
    const end = firsts[length + 1] ?? first
    const offset = offsets[length] ?? 0
    for (let slot = hashOf(bytes, from, to) & mask; ; slot = (slot + 1) & mask) {
      const token = (slots[slot] ?? 0) - 1
      if (token === NOT_FOUND) return NOT_FOUND
      const at = offset + (token - first) * length
      const isSameLength = token >= first && token < end
      if (isSameLength && areSame(all, at, { bytes, from, to })) return token
    }
  }
}

/** FNV-1a, with a last step that spreads the high bits. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let index = from; index < to; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  }
  return hash ^ (hash >>> 15)
}

/**
 * The encodings were made with engines that use Unicode's white space. JavaScript's `\s` differs in
 * two characters: it includes the byte-order mark, with which many files begin, and lacks U+0085.
 */
function withUnicodeSpace(pattern: string): string {
  return pattern.replaceAll("\\s", "\\p{White_Space}").replaceAll("\\S", "\\P{White_Space}")
}
