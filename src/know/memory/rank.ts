import type { MemoryKind } from "#ground/contract"
import {
  indexSymbol,
  measureSymbols,
  type PostingsOf,
  type Query,
  readQuery,
  SYMBOL_FIELDS,
  type SymbolTerms,
  scoreSymbols,
} from "#know/search"
import { onOneLine } from "./clean.ts"
import type { Kept, MemoryEntry } from "./entry.ts"
import { HALF_LIFE_DAYS, LEAST_AGE_SHARE, MOST_WHY_WORDS, SUPERSEDED_SHARE } from "./limits.ts"
import { readSpelt, withSpeltWords } from "./spelt.ts"

export type Ranked = {
  readonly kept: Kept
  readonly score: number
  /** More than one common word speaks for it. */
  readonly isStrong: boolean
  why(): readonly string[]
}

/**
 * Memories by the words they share with a text, best first, by the formula that ranks symbols: the
 * title is its name, the description its signature, cited paths its path.
 */
export function rankMemories(text: string, kept: readonly Kept[], now: number): readonly Ranked[] {
  const query = queryOf(text)
  const terms = kept.map(({ entry }) => termsOf(entry))
  const index = { postingsOf: postingsIn(terms), lengths: measureSymbols(terms) }
  return scoreSymbols(query, index)
    .flatMap(({ symbol, score }) => {
      const [it, own] = [kept[symbol], terms[symbol]]
      if (it === undefined || own === undefined) return []
      const matched = query.terms.filter((term) => own.counts.some((counts) => counts.has(term)))
      return [
        {
          kept: it,
          score: score * shareOf(it.entry, now),
          isStrong: matched.length > 1 || matched.some((term) => isProminent(term, own)),
          why: () => reasonsOf(matched, it.entry),
        },
      ]
    })
    .toSorted((a, b) => b.score - a.score)
}

/** Few terms are asked for: looking them up takes a tenth of the time that a table of all does. */
function postingsIn(all: readonly SymbolTerms[]): PostingsOf {
  return (term) =>
    all.flatMap(({ counts }, at) =>
      counts.some((it) => it.has(term)) ? [at, ...counts.map((it) => it.get(term) ?? 0)] : [],
    )
}

function isProminent(term: string, { counts }: SymbolTerms): boolean {
  return [NAME, PATH].some((field) => counts[field]?.has(term) ?? false)
}

/** A text of nothing but words that all texts have is taken at its word. */
function queryOf(text: string): Query {
  const whole = withSpeltWords(text)
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

/** Entries that have not changed are the same objects from one question to the next. */
const known = new WeakMap<MemoryEntry, SymbolTerms>()

function termsOf(entry: MemoryEntry): SymbolTerms {
  const before = known.get(entry)
  if (before !== undefined) return before
  const { title, description, body, cites, kind } = entry
  const terms = indexSymbol({
    path: cites.map(placeText).join(" "),
    name: withSpeltWords(title),
    signature: description === title ? "" : withSpeltWords(description),
    comments: kind,
    body: withSpeltWords(body),
  })
  known.set(entry, terms)
  return terms
}

function placeText({ path, symbol = "" }: MemoryEntry["cites"][number]): string {
  return withSpeltWords(`${path} ${symbol}`)
}

const DAY_MS = 86_400_000

function shareOf({ kind, state, createdAt }: MemoryEntry, now: number): number {
  const ageDays = Math.max(0, now - createdAt) / DAY_MS
  const age = decays(kind) ? Math.max(LEAST_AGE_SHARE, 2 ** (-ageDays / HALF_LIFE_DAYS)) : 1
  return state === "superseded" ? age * SUPERSEDED_SHARE : age
}

/** What was decided holds until somebody decides otherwise. */
function decays(kind: MemoryKind): boolean {
  return kind !== "decision" && kind !== "rule"
}

function reasonsOf(matched: readonly string[], { cites, kind }: MemoryEntry): readonly string[] {
  const cited = cites.find((cite) => {
    const own = indexSymbol({ ...NO_TEXT, path: placeText(cite) }).counts[PATH]
    return matched.some((term) => own?.has(term))
  })
  const words = matched.slice(0, MOST_WHY_WORDS).map((term) => `'${readSpelt(term)}'`)
  return [
    `matches ${words.join(", ")}`,
    ...(cited === undefined ? [] : [`cites ${onOneLine(cited.path)}`]),
    `is a ${kind}`,
  ]
}
