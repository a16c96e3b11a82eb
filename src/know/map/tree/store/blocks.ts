import { invariant } from "#ground/base"

/** A query reads several hundred blocks, each from its beginning. */
const BLOCK_BYTES = 4_096

export type Row<Postings extends ArrayLike<number> = readonly number[]> = readonly [
  term: string,
  postings: Postings,
]

export type Blocks = { readonly firsts: readonly string[]; readonly bodies: readonly Uint8Array[] }

/**
 * For each term: the length of the prefix shared with the previous term, the rest, the bytes of its
 * postings, and these as varints with delta-encoded content numbers.
 */
export function encodeBlocks(rows: Iterable<Row<ArrayLike<number>>>): Blocks {
  const firsts: string[] = []
  const bodies: Uint8Array[] = []
  const block = createBytes()
  const postings = createBytes()
  let before = ""
  for (const [term, row] of rows) {
    if (block.length() === 0) firsts.push(term)
    const shared = block.length() === 0 ? 0 : sharedUnits(before, term)
    const rest = term.slice(shared)
    postings.clear()
    writePostings(postings, row)
    block.number(shared)
    block.number(Buffer.byteLength(rest))
    block.text(rest)
    block.number(postings.length())
    block.bytes(postings)
    before = term
    if (block.length() < BLOCK_BYTES) continue
    bodies.push(block.copy())
    block.clear()
  }
  if (block.length() > 0) bodies.push(block.copy())
  return { firsts, bodies }
}

export function findInBlock(body: Uint8Array, wantedTerm: string): readonly number[] | undefined {
  const from = createCursor(body)
  for (let term = ""; !from.isAtEnd(); ) {
    term = readTerm(from, term)
    const length = from.number()
    if (term === wantedTerm) return readPostings(from, length)
    if (term > wantedTerm) return undefined
    from.skip(length)
  }
  return undefined
}

export function* rowsOfBlock(body: Uint8Array): Generator<Row> {
  const from = createCursor(body)
  for (let term = ""; !from.isAtEnd(); ) {
    term = readTerm(from, term)
    yield [term, readPostings(from, from.number())]
  }
}

export function placeOf(firsts: readonly string[], term: string): number {
  let low = 0
  let high = firsts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((firsts[middle] ?? "") <= term) low = middle + 1
    else high = middle
  }
  return low - 1
}

function sharedUnits(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let shared = 0
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++
  // Never splits a surrogate pair.
  const isHalf = shared > 0 && (b.charCodeAt(shared - 1) & 0xfc00) === 0xd800
  return isHalf ? shared - 1 : shared
}

function writePostings(into: Bytes, row: ArrayLike<number>): void {
  let before = 0
  for (let at = 0; at < row.length; at += STRIDE) {
    const number = row[at] ?? 0
    into.number(number - before)
    into.number(row[at + 1] ?? 0)
    into.number(row[at + 2] ?? 0)
    before = number
  }
}

export const STRIDE = 3

function readTerm(from: Cursor, before: string): string {
  const shared = from.number()
  return before.slice(0, shared) + from.text(from.number())
}

function readPostings(from: Cursor, length: number): readonly number[] {
  const end = from.place() + length
  const row: number[] = []
  let number = 0
  while (from.place() < end) {
    number += from.number()
    row.push(number, from.number(), from.number())
  }
  return row
}

type Bytes = {
  number(value: number): void
  text(text: string): void
  bytes(more: Bytes): void
  copyTo(target: Buffer, at: number): number
  length(): number
  copy(): Uint8Array
  clear(): void
}

function createBytes(): Bytes {
  let bytes = Buffer.allocUnsafe(BLOCK_BYTES * 2)
  let used = 0
  const makeRoom = (more: number) => {
    if (used + more <= bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + more))
    bytes.copy(larger, 0, 0, used)
    bytes = larger
  }
  return {
    number(value: number): void {
      makeRoom(8)
      let left = value
      while (left > 127) {
        bytes[used++] = (left & 127) | 128
        left = Math.floor(left / 128)
      }
      bytes[used++] = left
    },
    bytes(more: Bytes): void {
      makeRoom(more.length())
      used += more.copyTo(bytes, used)
    },
    copyTo: (target: Buffer, at: number): number => bytes.copy(target, at, 0, used),
    text(more: string): void {
      makeRoom(more.length * 3)
      used += bytes.write(more, used)
    },
    length: () => used,
    copy: (): Uint8Array => Uint8Array.prototype.slice.call(bytes, 0, used),
    clear(): void {
      used = 0
    },
  }
}

type Cursor = ReturnType<typeof createCursor>

function createCursor(bytes: Uint8Array) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  return {
    number(): number {
      let value = 0
      let scale = 1
      for (;;) {
        const byte = buffer[at++]
        invariant(byte !== undefined, "a block of postings ends with a whole number")
        value += (byte & 127) * scale
        if (byte < 128) return value
        scale *= 128
      }
    },
    text(length: number): string {
      at += length
      return buffer.toString("utf8", at - length, at)
    },
    skip(length: number): void {
      at += length
    },
    place: () => at,
    isAtEnd: () => at >= buffer.length,
  }
}
