import { hash } from "node:crypto"
import type { Random } from "#ground/base"
import type { SecretMatch, Work } from "./rules/rule.ts"

/** Text is hashed in windows of this length: a quarter of a megabyte of numbers. */
const KNOWN_STRETCH_CHARACTERS = 65_536

/** A longer known value is split, so that the scan looks ahead no further than this. */
const LONGEST_KNOWN_CHARACTERS = 8_192

/** Shorter values occur by chance: `true`, `admin` and `8080` are in many texts. */
const SHORTEST_KNOWN_CHARACTERS = 8

type Entry = { readonly length: number; readonly fingerprint: number; readonly digest: string }

export type KnownSecretFinder = (text: string, work: Work) => readonly SecretMatch[]

/**
 * A rolling hash of eight characters finds candidates; then the rolling hash of the whole value is
 * compared, then its SHA hash. The base is a secret of this instance, so no text can be crafted to
 * collide.
 */
export function createKnown(deps: {
  random: Random
  values: readonly string[]
}): KnownSecretFinder {
  const salt = Buffer.from(deps.random.bytes(32)).toString("hex")
  const base = new DataView(new Uint8Array(deps.random.bytes(4)).buffer).getUint32(0) | 1
  const { entriesByStart, mayStart, longest } = indexOf(deps.values, { base, salt })
  if (longest === 0) return () => []
  const powers = powersOf(base)

  return (text, work) => {
    const matches: SecretMatch[] = []
    const verified = new Set<Entry>()
    const isEntry = (start: number, entry: Entry): boolean => {
      // After one full comparison the rolling hash is sufficient for the rest of the text.
      if (verified.has(entry)) return true
      if (digestOf(text.slice(start, start + entry.length), salt) !== entry.digest) return false
      verified.add(entry)
      return true
    }
    for (let from = 0; from < text.length; from += KNOWN_STRETCH_CHARACTERS) {
      const end = Math.min(text.length, from + KNOWN_STRETCH_CHARACTERS + longest)
      const printOf = rollOver({ text, from, end, base, powers })
      work.steps += end - from
      const stop = Math.min(from + KNOWN_STRETCH_CHARACTERS, end - SHORTEST_KNOWN_CHARACTERS + 1)
      for (let start = from; start < stop; start++) {
        const print = printOf(start, SHORTEST_KNOWN_CHARACTERS)
        if (mayStart[print >>> 16] === 0) continue
        const entries = entriesByStart.get(print) ?? []
        work.steps += entries.length
        const matching = entries.filter(
          (it) =>
            start + it.length <= end &&
            printOf(start, it.length) === it.fingerprint &&
            isEntry(start, it),
        )
        for (const entry of matching) add(matches, start, start + entry.length)
      }
    }
    return matches
  }
}

function indexOf(values: readonly string[], keys: { base: number; salt: string }) {
  const entriesByStart = new Map<number, Entry[]>()
  const mayStart = new Uint8Array(65_536)
  let longest = 0
  for (const piece of new Set(values.flatMap(formsOf).flatMap(piecesOf))) {
    const start = fingerprintOf(piece.slice(0, SHORTEST_KNOWN_CHARACTERS), keys.base)
    const entries = entriesByStart.get(start) ?? []
    entries.push({
      length: piece.length,
      fingerprint: fingerprintOf(piece, keys.base),
      digest: digestOf(piece, keys.salt),
    })
    entriesByStart.set(start, entries)
    mayStart[start >>> 16] = 1
    longest = Math.max(longest, piece.length)
  }
  return { entriesByStart, mayStart, longest }
}

/** Overlapping matches are one finding: a repeated letter would give one per position. */
function add(matches: SecretMatch[], start: number, end: number): void {
  const last = matches.at(-1)
  if (last === undefined || last.end <= start) {
    matches.push({ start, end, kind: "known-value" })
  } else if (last.end < end) {
    matches[matches.length - 1] = { ...last, end }
  }
}

/** The value, and its UTF-8 bytes read as characters, as in decoded base64. */
function formsOf(value: string): readonly string[] {
  const trimmed = value.trim()
  if (trimmed.length < SHORTEST_KNOWN_CHARACTERS || isPlainSetting(trimmed)) return []
  return [trimmed, Buffer.from(trimmed, "utf8").toString("latin1")]
}

const PLAIN_SETTINGS: readonly RegExp[] = [
  /^(?:development|production|undefined|disabled|enabled|username|anonymous|changeme|password)$/i,
  /^(?:localhost|postgres|postgresql|127\.0\.0\.1(?::\d+)?)$/i,
  /^https?:\/\/[A-Za-z0-9.-]+(?::\d+)?\/?$/i,
  /^~?(?:\/[A-Za-z0-9_.-]{1,32})+\/?$/,
]

/**
 * Environment files contain more than secrets; replacing plain settings everywhere would make texts
 * unreadable.
 */
function isPlainSetting(value: string): boolean {
  return PLAIN_SETTINGS.some((it) => it.test(value))
}

/** The last piece overlaps the previous one, so that none is too short to be found. */
function piecesOf(value: string): readonly string[] {
  const pieces: string[] = []
  let start = 0
  for (; start + LONGEST_KNOWN_CHARACTERS < value.length; start += LONGEST_KNOWN_CHARACTERS) {
    pieces.push(value.slice(start, start + LONGEST_KNOWN_CHARACTERS))
  }
  return [...pieces, pieces.length === 0 ? value : value.slice(-LONGEST_KNOWN_CHARACTERS)]
}

/** Polynomial modulo 2^32; Math.imul is one machine instruction. */
function fingerprintOf(text: string, base: number): number {
  let print = 0
  for (let index = 0; index < text.length; index++) {
    print = (Math.imul(print, base) + text.charCodeAt(index)) | 0
  }
  return print >>> 0
}

function powersOf(base: number): Uint32Array {
  const powers = new Uint32Array(LONGEST_KNOWN_CHARACTERS + 1)
  powers[0] = 1
  for (let index = 1; index < powers.length; index++) {
    powers[index] = Math.imul(powers[index - 1] ?? 0, base)
  }
  return powers
}

/** Computes the hash of any part in one step from prefix hashes. */
function rollOver(stretch: {
  readonly text: string
  readonly from: number
  readonly end: number
  readonly base: number
  readonly powers: Uint32Array
}): (start: number, length: number) => number {
  const { text, from, end, base, powers } = stretch
  const prints = new Uint32Array(end - from + 1)
  let print = 0
  for (let index = from; index < end; index++) {
    print = (Math.imul(print, base) + text.charCodeAt(index)) | 0
    prints[index - from + 1] = print
  }
  return (start, length) => {
    const before = Math.imul(prints[start - from] ?? 0, powers[length] ?? 0)
    return ((prints[start - from + length] ?? 0) - before) >>> 0
  }
}

function digestOf(text: string, salt: string): string {
  return hash("sha256", `${salt}${text}`)
}
