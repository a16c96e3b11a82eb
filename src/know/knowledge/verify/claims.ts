import type { Entity } from "./entities.ts"
import { isContent, type Token } from "./tokens.ts"

export type Claim = {
  readonly text: string
  readonly about: ReadonlySet<string>
  readonly values: ReadonlyMap<string, ReadonlySet<string>>
  readonly words: ReadonlySet<string>
  readonly force: Force
  readonly isNegated: boolean
  readonly condition: ReadonlySet<string>
  readonly isAbsolute: boolean
  readonly cases: ReadonlySet<string>
}

type Force = "plain" | "must" | "must not" | "may" | "need not"
type ReadSentence = { readonly tokens: readonly Token[]; readonly entities: readonly Entity[] }

/** "A Quote binds; an Indicative Quote does not" has two claims. */
export function claimsOf({ tokens, entities }: ReadSentence): readonly Claim[] {
  const clauses = clausesOf(tokens).map((clause) => ({
    ...clause,
    within: tokens.slice(clause.from, clause.to),
    own: entities.filter((it) => it.from >= clause.from && it.to <= clause.to),
  }))
  return clauses
    .filter(({ own, within }) => own.length > 0 && !isOfSomethingElse(within))
    .flatMap(
      ({ own, within, from, isExcepted }) =>
        claimOf(within, { entities: own, from, isExcepted }) ?? [],
    )
}

/** "It is not the hour of Arrival": the subject is in the sentence before. */
function isOfSomethingElse(tokens: readonly Token[]): boolean {
  const first = TURNS.has(tokens[0]?.plain ?? "") || JOINS.has(tokens[0]?.plain ?? "") ? 1 : 0
  const [subject, , third] = tokens.slice(first)
  const isEmptyIt = subject?.plain === "it" && third !== undefined && isForce(third)
  return PRONOUNS.has(subject?.plain ?? "") && !isEmptyIt
}

const PRONOUNS = new Set("it its this that these those they their he his she her such".split(" "))

type Clause = { readonly from: number; readonly to: number; readonly isExcepted: boolean }

const JOINS = new Set(["and", "or", "nor"])
const OPENERS = new Set(
  "the a an it they this these each every no any their its her his she he".split(" "),
)
const TURNS = new Set(["but", "whereas", "while", "although", "however", "though"])

/**
 * At semicolons, at ", and the", and at words that reverse the sense; the part before such a word has
 * exceptions.
 */
function clausesOf(tokens: readonly Token[]): readonly Clause[] {
  const clauses: Clause[] = []
  let from = 0
  for (const [at, token] of tokens.entries()) {
    const isTurn = TURNS.has(token.plain) && at > from
    if (token.text !== ";" && !isTurn && !isJoin(tokens, at)) continue
    clauses.push({ from, to: at, isExcepted: isTurn })
    from = at + (isTurn ? 0 : 1)
  }
  return [...clauses, { from, to: tokens.length, isExcepted: false }]
}

/** "Pays no dues, and the Booking stays": a comma, a conjunction and a new subject. */
function isJoin(tokens: readonly Token[], at: number): boolean {
  const [comma, join, opener] = tokens.slice(at, at + 3)
  return comma?.text === "," && JOINS.has(join?.plain ?? "") && OPENERS.has(opener?.plain ?? "")
}

type Context = {
  readonly entities: readonly Entity[]
  readonly from: number
  readonly isExcepted: boolean
}

function claimOf(
  tokens: readonly Token[],
  { entities, from, isExcepted }: Context,
): Claim | undefined {
  const force = forceOf(tokens)
  if (force === undefined) return undefined
  const condition = conditionOf(tokens)
  if (isExcepted) condition.add("otherwise")
  const named = new Set(entities.flatMap((it) => range(it.from - from, it.to - from)))
  const words = tokens.filter((token, at) => isContent(token) && !named.has(at) && !isForce(token))
  return {
    text: tokens.map((token) => token.text).join(" "),
    about: new Set(entities.filter((it) => it.unit === "").map((it) => it.key)),
    values: valuesOf(entities),
    words: new Set(words.map(senseOf)),
    ...force,
    condition,
    isAbsolute: tokens.some((token) => ABSOLUTE.has(token.plain)),
    cases: new Set(tokens.map((token) => token.plain).filter((it) => CASES.has(it))),
  }
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at)
}

function valuesOf(entities: readonly Entity[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>()
  for (const { unit, key } of entities) {
    if (unit !== "") values.set(unit, (values.get(unit) ?? new Set()).add(key))
  }
  return values
}

const CONDITIONS = new Set(["if", "when", "where", "unless", "except", "provided", "once", "until"])
const ABSOLUTE = new Set(["never", "always", "invariably", "whatsoever"])

/** Words after "if", "unless" and the like, up to the next comma. */
function conditionOf(tokens: readonly Token[]): Set<string> {
  const words = new Set<string>()
  let isInside = false
  for (const [at, token] of tokens.entries()) {
    const isProvided = token.plain !== "provided" || tokens[at + 1]?.plain === "that"
    if (CONDITIONS.has(token.plain) && isProvided) isInside = true
    else if (token.text === ",") isInside = false
    else if (isInside && isContent(token)) words.add(token.stem)
  }
  return words
}

const MUST = new Set(["shall", "must", "required", "obliged", "obligatory", "mandatory"])
const MAY = new Set(["may", "can", "allowed", "permitted", "entitled", "free", "could"])
const NOT = new Set(["not", "never", "no", "cannot", "neither", "nor", "without", "none"])
const FORBIDDEN = new Set(["prohibited", "forbidden", "barred"])
const NEED = new Set(["need", "needn't", "has", "have"])

type ClaimForce = Pick<Claim, "force" | "isNegated">

/** Undefined for two negations, which may mean anything. */
function forceOf(tokens: readonly Token[]): ClaimForce | undefined {
  const main = withoutRelative(tokens)
  const negations = main.filter((token, at) => isNegation(token) && !isNotOnly(main, at)).length
  if (negations > 1) return undefined
  const opposites = main.filter((token) => OPPOSITES.has(token.stem)).length
  const isNegated = (negations + opposites) % 2 === 1
  return { force: modalForce(tokens, negations === 1), isNegated }
}

function modalForce(tokens: readonly Token[], isDenied: boolean): Force {
  if (tokens.some((token) => FORBIDDEN.has(token.plain))) return isDenied ? "may" : "must not"
  const at = tokens.findIndex((token, index) => isModal(tokens, token, index))
  const modal = tokens[at]
  if (modal === undefined) return "plain"
  if (isNeed(tokens, at)) return isDenied ? "need not" : "must"
  if (!MUST.has(modal.plain)) return isDenied ? "must not" : "may"
  if (!isDenied) return "must"
  // "must not" forbids, "is not required" frees.
  return modal.plain === "shall" || modal.plain === "must" ? "must not" : "need not"
}

/** "Witnesses who do not belong to the vessel": the relative clause does not negate the claim. */
function withoutRelative(tokens: readonly Token[]): readonly Token[] {
  const from = tokens.findIndex((token) => token.plain === "who" || token.plain === "which")
  if (from === -1) return tokens
  const comma = tokens.findIndex((token, at) => at > from + 1 && token.text === ",")
  return [...tokens.slice(0, from), ...(comma === -1 ? [] : tokens.slice(comma))]
}

function isModal(tokens: readonly Token[], token: Token, at: number): boolean {
  const isMonth = token.text === "May" && at > 0
  const isKnown = (isForce(token) && !isMonth) || isNeed(tokens, at)
  return isKnown || /^(?:mustn't|shan't|cannot|can't)$/.test(token.plain)
}

function isForce({ plain }: Token): boolean {
  return MUST.has(plain) || MAY.has(plain) || FORBIDDEN.has(plain)
}

/** "need not", "needs to", "does not have to"; not the noun and not "has". */
function isNeed(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.plain ?? ""
  const next = tokens[at + 1]?.plain
  if (word === "needn't") return true
  return NEED.has(word) || word === "needs"
    ? next === "to" || (word === "need" && next === "not")
    : false
}

function isNegation(token: Token): boolean {
  return NOT.has(token.plain) || token.plain.endsWith("n't") || /^non[-‑]/i.test(token.text)
}

function isNotOnly(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.plain === "not" && tokens[at + 1]?.plain === "only"
}

/** A word and its opposite share one sense, once negated. */
const OPPOSITES = new Map([
  ["refus", "accept"],
  ["reject", "accept"],
  ["exclud", "includ"],
  ["invalid", "valid"],
  ["clos", "open"],
  ["unavailabl", "availabl"],
  ["forfeit", "keep"],
  ["unchang", "chang"],
  ["void", "valid"],
])

function senseOf(token: Token): string {
  const bare = /^non[-‑]/i.test(token.text) ? token.stem.slice(3) : token.stem
  return OPPOSITES.get(bare) ?? bare
}

const CASES = new Set(
  `before after above below over under more less inbound outbound arrival departure loaded empty
  first second third last earlier later maximum minimum most least summer winter day night weekday
  weekend with without up exceeding early late former latter small large full partial`.split(/\s+/),
)
