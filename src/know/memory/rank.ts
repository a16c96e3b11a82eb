import { oneLine } from "#ground/base"
import type { MemoryKind } from "#ground/contract"
import {
  indexSymbol,
  knownForms,
  measureSymbols,
  type PostingsOf,
  type Query,
  readQuery,
  SYMBOL_FIELDS,
  type SymbolTerms,
  scoreSymbols,
  withForms,
} from "#know/search"
import type { MemoryEntry, StoredMemory } from "./files/entry.ts"

const MOST_WHY_WORDS = 5

const SUPERSEDED_SHARE = 0.3

const LEAST_AGE_SHARE = 0.25

/** After half a year about half of all notes about code concern code that has changed. */
const HALF_LIFE_DAYS = 180

export type RankedMemory = {
  readonly kept: StoredMemory
  readonly score: number
  readonly isStrong: boolean
  why(): readonly string[]
}

/**
 * By the formula that ranks symbols: title as name, description as signature, cited paths as path.
 */
export function rankMemories(
  text: string,
  memories: readonly StoredMemory[],
  { now, usesForms = true }: { readonly now: number; readonly usesForms?: boolean },
): readonly RankedMemory[] {
  const query = queryOf(text)
  const terms = memories.map(({ entry }) => termsOf(entry))
  const index = { postingsOf: postingsIn(terms), lengths: measureSymbols(terms) }
  const vocabulary = new Set(terms.flatMap((it) => it.counts.flatMap((own) => [...own.keys()])))
  const forms = knownForms(query, (term) => usesForms && vocabulary.has(term))
  return scoreSymbols(withForms(query, forms), index)
    .flatMap(({ symbol, score }) => {
      const [it, own] = [memories[symbol], terms[symbol]]
      if (it === undefined || own === undefined) return []
      const has = (term: string) => own.counts.some((counts) => counts.has(term))
      const matched = query.terms.filter(has)
      const inOtherForm = query.terms.flatMap((term) => forms.get(term)?.filter(has) ?? [])
      return [
        {
          kept: it,
          score: score * shareOf(it.entry, now),
          isStrong: matched.length > 1 || matched.some((term) => isProminent(term, own)),
          why: () => reasonsOf(matched.length > 0 ? matched : inOtherForm, it.entry),
        },
      ]
    })
    .toSorted((a, b) => b.score - a.score)
}

/** Looking up a few terms takes a tenth of the time of a full table. */
function postingsIn(all: readonly SymbolTerms[]): PostingsOf {
  return (term) =>
    all.flatMap(({ counts }, at) =>
      counts.some((it) => it.has(term)) ? [at, ...counts.map((it) => it.get(term) ?? 0)] : [],
    )
}

function isProminent(term: string, { counts }: SymbolTerms): boolean {
  return [NAME, PATH].some((field) => counts[field]?.has(term) ?? false)
}

/** A text of stop words only is searched as it is. */
function queryOf(text: string): Query {
  const whole = encodeNonLatinWords(text.slice(0, LONGEST_QUERY_UNITS))
  const query = readQuery(whole)
  if (query.terms.length > 0) return query
  const { counts } = indexSymbol({ ...NO_TEXT, name: whole.slice(0, LONGEST_PLAIN_UNITS) })
  const terms = [...(counts[NAME]?.keys() ?? [])]
  return {
    terms,
    weights: new Float64Array(terms.length).fill(1),
    isSubject: terms.map(() => true),
  }
}

const NO_TEXT = { path: "", name: "", signature: "", comments: "", body: "" }
const NAME = SYMBOL_FIELDS.indexOf("name")
const PATH = SYMBOL_FIELDS.indexOf("path")
const LONGEST_PLAIN_UNITS = 1_000

/** A task may be a pasted file of a megabyte; its beginning says what it is about. */
const LONGEST_QUERY_UNITS = 50_000

/** Unchanged entries are the same objects from one query to the next. */
const termsByEntry = new WeakMap<MemoryEntry, SymbolTerms>()

function termsOf(entry: MemoryEntry): SymbolTerms {
  const before = termsByEntry.get(entry)
  if (before !== undefined) return before
  const { title, description, body, cites, kind } = entry
  const terms = indexSymbol({
    path: cites.map(placeText).join(" "),
    name: encodeNonLatinWords(title),
    signature: description === title ? "" : encodeNonLatinWords(description),
    comments: kind,
    body: encodeNonLatinWords(body),
  })
  termsByEntry.set(entry, terms)
  return terms
}

function placeText({ path, symbol = "" }: MemoryEntry["cites"][number]): string {
  return encodeNonLatinWords(`${path} ${symbol}`)
}

const DAY_MS = 86_400_000

function shareOf({ kind, state, createdAt }: MemoryEntry, now: number): number {
  const ageDays = Math.max(0, now - createdAt) / DAY_MS
  const age = decays(kind) ? Math.max(LEAST_AGE_SHARE, 2 ** (-ageDays / HALF_LIFE_DAYS)) : 1
  return state === "superseded" ? age * SUPERSEDED_SHARE : age
}

function decays(kind: MemoryKind): boolean {
  return kind !== "decision" && kind !== "rule"
}

function reasonsOf(matched: readonly string[], { cites, kind }: MemoryEntry): readonly string[] {
  const cited = cites.find((cite) => {
    const own = indexSymbol({ ...NO_TEXT, path: placeText(cite) }).counts[PATH]
    return matched.some((term) => own?.has(term))
  })
  const words = matched.slice(0, MOST_WHY_WORDS).map((term) => `'${decodeNonLatinTerm(term)}'`)
  return [
    `matches ${words.join(", ")}`,
    ...(cited === undefined ? [] : [`cites ${oneLine(cited.path)}`]),
    `is a ${kind}`,
  ]
}

/**
 * Index terms consist of ASCII letters. A word in another script is encoded: `q`, then its code
 * points in hex with the digits `a` to `p`. Characters of scripts without spaces are separate
 * words.
 */
function encodeNonLatinWords(text: string): string {
  const words = (text.normalize("NFC").toLowerCase().match(WORDS) ?? []).filter((word) =>
    NON_ASCII.test(word),
  )
  return words.length === 0 ? text : `${text}\n${words.map(encodeWord).join(" ")}`
}

function decodeNonLatinTerm(term: string): string {
  if (!SPELT.test(term)) return term
  const numbers = term.slice(1, -1).split("q")
  return String.fromCodePoint(...numbers.map((it) => Number.parseInt(toDigits(it), 16)))
}

const WORDS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu
const NON_ASCII = /[^\p{ASCII}]/u
const SPELT = /^q(?:[a-p]{1,6}q)+$/

const MOST_CHARACTERS = 15

function encodeWord(word: string): string {
  const signs = Array.from(word).slice(0, MOST_CHARACTERS)
  return `q${signs.map((it) => `${toLetters(it.codePointAt(0) ?? 0)}q`).join("")}`
}

function toLetters(point: number): string {
  return Array.from(point.toString(16), (digit) =>
    String.fromCharCode(97 + Number.parseInt(digit, 16)),
  ).join("")
}

function toDigits(letters: string): string {
  return Array.from(letters, (it) => (it.charCodeAt(0) - 97).toString(16)).join("")
}
