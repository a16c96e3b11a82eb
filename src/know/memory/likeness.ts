import { FARTHEST_TWIN_BITS, SHINGLE_WORDS } from "./limits.ts"

type Said = { readonly title: string; readonly body: string }
export type Likeness = { readonly words: string; readonly print: Print }

/** Two halves of 32 bits: numbers, since big integers take ten times as long. */
type Print = readonly [high: number, low: number]

/** The words of a memory, whatever their case, signs and spacing, and a print of them. */
export function likenessOf({ title, body }: Said): Likeness {
  const words = wordsOf(`${title}\n${body}`)
  return { words: words.join(" "), print: printOf(words) }
}

/** The same words, or nearly. Without a word there is nothing to compare. */
export function isTwin(a: Likeness, b: Likeness): boolean {
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
 * A SimHash: each run of words votes on each bit. Texts that share most of their runs share most of
 * their bits, so that a word changed in a long text is still the same text.
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
    const place = from + bit
    votes[place] = (votes[place] ?? 0) + (((bits >>> bit) & 1) === 1 ? 1 : -1)
  }
}

function elected(votes: Int32Array, from: number): number {
  let bits = 0
  for (let bit = 0; bit < 32; bit++) if ((votes[from + bit] ?? 0) > 0) bits |= 1 << bit
  return bits >>> 0
}

/** FNV-1a, stirred at the end: without that its high bits hardly differ between short texts. */
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
