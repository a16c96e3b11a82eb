import { parseJson } from "#ground/base"
import { DEEPEST_JSON_LEVELS } from "../limits.ts"
import { readJson } from "./read-json.ts"

/** How often a text may be reread from a later bracket, as a multiple of its length. */
const MOST_READINGS = 4

/**
 * `cut`: JSON started, and the text ended before it did.
 */
export type ExtractedJson =
  | { readonly kind: "found"; readonly value: unknown }
  | { readonly kind: "cut" }
  | { readonly kind: "none" }

/**
 * Finds the JSON in a response that should be JSON only and often has more: after thoughts, between
 * sentences, in a fence, or slightly malformed. It never throws, and its time is about linear.
 */
export function extractJson(text: string): ExtractedJson {
  const whole = withoutFence(withoutThoughts(text).trim())
  const exact = parseStrictly(whole)
  if (exact === undefined) return search(whole)
  const isWrapped = typeof exact.value === "string" && /^\s*[{[]/.test(exact.value)
  const inner = isWrapped ? parseStrictly(String(exact.value)) : undefined
  return { kind: "found", value: (inner ?? exact).value }
}

function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/, "")
}

function withoutFence(text: string): string {
  return /^(?:```|~~~)[^\n]*\n([\s\S]*)\n(?:```|~~~)$/.exec(text)?.[1]?.trim() ?? text
}

function parseStrictly(text: string): { readonly value: unknown } | undefined {
  const value = parseJson(text)
  return value === undefined || isTooDeep(value, 0) ? undefined : { value }
}

function isTooDeep(value: unknown, level: number): boolean {
  if (typeof value !== "object" || value === null) return false
  if (level > DEEPEST_JSON_LEVELS) return true
  return Object.values(value).some((it) => isTooDeep(it, level + 1))
}

type Candidate = {
  readonly value: unknown
  readonly characters: number
  readonly isFenced: boolean
}

/** Any bracket may start the value, also `[1]` in a sentence, so the longest candidate wins. */
function search(text: string): ExtractedJson {
  const candidates: Candidate[] = []
  let work = 0
  let start = nextBracket(text, 0)
  while (start >= 0 && work < text.length * MOST_READINGS) {
    const reading = readJson(text, start)
    const characters = reading.end - start
    work += characters + 1
    if (reading.kind === "cut") return best(candidates, characters)
    if (reading.kind === "value") {
      candidates.push({ value: reading.value, characters, isFenced: isFencedAt(text, start) })
    }
    start = nextBracket(text, reading.kind === "value" ? reading.end : start + 1)
  }
  return best(candidates, 0)
}

function nextBracket(text: string, from: number): number {
  const bracket = /[{[]/g
  bracket.lastIndex = from
  return bracket.exec(text)?.index ?? -1
}

function isFencedAt(text: string, start: number): boolean {
  return /(?:```|~~~)[\w-]*\s*$/.test(text.slice(Math.max(0, start - 40), start))
}

/** A truncated candidate competes like the others: a footnote before it is not the value. */
function best(candidates: readonly Candidate[], cutCharacters: number): ExtractedJson {
  const [first] = candidates.toSorted(
    (a, b) => Number(b.isFenced) - Number(a.isFenced) || b.characters - a.characters,
  )
  const isThere = first !== undefined && (first.isFenced || first.characters >= cutCharacters)
  if (isThere) return { kind: "found", value: first.value }
  return cutCharacters > 0 ? { kind: "cut" } : { kind: "none" }
}
