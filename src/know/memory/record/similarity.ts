const SHINGLE_WORDS = 3

/** Of 64 bits: the same text with one word changed. */
const FARTHEST_TWIN_BITS = 3

type MemoryText = { readonly title: string; readonly body: string }
type TextPrint = { readonly words: string; readonly print: Print }

/** Two 32-bit halves, because BigInt takes ten times as long. */
type Print = readonly [high: number, low: number]

export function textPrintOf({ title, body }: MemoryText): TextPrint {
  const words = wordsOf(`${title}\n${body}`)
  return { words: words.join(" "), print: printOf(words) }
}

export function isTwin(a: TextPrint, b: TextPrint): boolean {
  if (a.words === "" || b.words === "") return false
  return a.words === b.words || distance(a.print, b.print) <= FARTHEST_TWIN_BITS
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

/**
 * SimHash: each run of words votes on each bit, so that one changed word in a long text changes few
 * bits.
 */
function printOf(words: readonly string[]): Print {
  const votes = new Int32Array(64)
  const last = Math.max(0, words.length - SHINGLE_WORDS)
  for (let at = 0; at <= last; at++) {
    const shingle = words.slice(at, at + SHINGLE_WORDS).join(" ")
    vote(votes, 0, hash(shingle, 0x9747b28c))
    vote(votes, 32, hash(shingle, 0x1b873593))
  }
  return [elected(votes, 0), elected(votes, 32)]
}

function vote(votes: Int32Array, from: number, bits: number): void {
  for (let bit = 0; bit < 32; bit++) {
    const index = from + bit
    votes[index] = (votes[index] ?? 0) + (((bits >>> bit) & 1) === 1 ? 1 : -1)
  }
}

function elected(votes: Int32Array, from: number): number {
  let bits = 0
  for (let bit = 0; bit < 32; bit++) if ((votes[from + bit] ?? 0) > 0) bits |= 1 << bit
  return bits >>> 0
}

/** FNV-1a with a final mix, because its high bits hardly differ between short texts. */
function hash(text: string, seed: number): number {
  let bits = seed
  for (let at = 0; at < text.length; at++) {
    bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

function distance([aHigh, aLow]: Print, [bHigh, bLow]: Print): number {
  return ones(aHigh ^ bHigh) + ones(aLow ^ bLow)
}

function ones(bits: number): number {
  let count = 0
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++
  return count
}
