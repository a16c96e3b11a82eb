import { type Figure, figuresOf } from "./figures.ts"
import { LONGEST_TERM_WORDS } from "./limits.ts"
import type { Terms } from "./terms.ts"
import { contentStems, type Token, tokensOf } from "./tokens.ts"

export type Entity = {
  readonly kind: "term" | Figure["kind"]
  readonly key: string
  readonly unit: string
  readonly isOwnCount: boolean
  readonly text: string
  readonly from: number
  readonly to: number
}

export function entitiesOf(tokens: readonly Token[], terms: Terms): readonly Entity[] {
  const entities: Entity[] = []
  const figures = figuresOf(tokens)
  let figure = 0
  let at = 0
  while (at < tokens.length) {
    const next = figures[figure]
    const span = next?.from === at ? next : termAt(tokens, { at, until: next?.from, terms })
    if (span !== undefined) entities.push(entity(tokens, span))
    if (span === next && next !== undefined) figure++
    at = span?.to ?? at + 1
  }
  return entities
}

type EntitySpan = Omit<Entity, "text">

function entity(tokens: readonly Token[], span: EntitySpan): Entity {
  const words = tokens.slice(span.from, span.to).map((token) => token.text)
  return { ...span, text: words.join(" ") }
}

function termAt(
  tokens: readonly Token[],
  { at, until, terms }: { at: number; until: number | undefined; terms: Terms },
): EntitySpan | undefined {
  const last = Math.min(at + LONGEST_TERM_WORDS, until ?? tokens.length, tokens.length)
  let longest: EntitySpan | undefined
  let key = ""
  for (let to = at + 1; to <= last; to++) {
    const stem = tokens[to - 1]?.stem ?? ""
    if (stem === "") break
    key = key === "" ? stem : `${key} ${stem}`
    const isTerm = terms.has(key) && !(to === at + 1 && isParticiple(tokens[at]))
    if (isTerm) longest = { kind: "term", key, unit: "", isOwnCount: false, from: at, to }
  }
  return longest
}

/** "Re-pricing" is a term, "is re-priced" is not. */
function isParticiple(token: Token | undefined): boolean {
  return token !== undefined && /^\p{Ll}.*ed$/u.test(token.text)
}

export type Profile = {
  readonly words: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly string[]>
}

export function profileOf(text: string, terms: Terms): Profile {
  const tokens = tokensOf(text)
  const keys = new Set<string>()
  const values = new Map<string, string[]>()
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "number") keys.add(token.plain)
    addTerms(keys, tokens, { at, terms })
  }
  for (const figure of figuresOf(tokens)) {
    keys.add(figure.key)
    if (figure.kind === "reference") continue
    values.set(figure.unit, [...(values.get(figure.unit) ?? []), figure.key])
    // "14 March 2026" also grounds "14 March" and "March 2026".
    const [year = "", month = "", day = ""] = figure.key.split("-")
    if (figure.kind === "date") keys.add(year).add(`${year}-${month}`).add(`-${month}-${day}`)
  }
  return { words: new Set(contentStems(tokens)), keys, values }
}

function addTerms(
  keys: Set<string>,
  tokens: readonly Token[],
  { at, terms }: { at: number; terms: Terms },
): void {
  let key = ""
  for (const token of tokens.slice(at, at + LONGEST_TERM_WORDS)) {
    if (token.stem === "") return
    key = key === "" ? token.stem : `${key} ${token.stem}`
    if (terms.has(key)) keys.add(key)
  }
}
