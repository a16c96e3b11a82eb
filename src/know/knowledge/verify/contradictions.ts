import type { KbContradictions } from "#ground/contract"
import { type Claim, claimsOf } from "./claims.ts"
import { MOST_COMPARED_PAIRS, MOST_TOLD_FAILURES } from "./limits.ts"
import { opposedBy } from "./opposition.ts"
import { isClaiming, statementsOf } from "./statements.ts"
import { type Terms, termsOf } from "./terms.ts"

const MOST_MATTER_WORDS = 24

const MOST_MATTER_ENTITIES = 8

const MOST_OF_ONE_MATTER = 40

export function findContradictions(
  answer: string,
  against: readonly string[] = [],
): KbContradictions {
  const terms = termsOf([answer, ...against])
  const own = claimsIn(answer, terms)
  const others = against.flatMap((text) => claimsIn(text, terms))
  const pairs: KbContradictions["pairs"] = []
  let checked = 0
  for (const [one, other] of candidatePairs(own, others)) {
    checked++
    const opposition = opposedBy(one.claim, other.claim)
    if (opposition === undefined || pairs.length >= MOST_TOLD_FAILURES) continue
    const { kind, entities } = opposition
    pairs.push({ one: one.sentence, other: other.sentence, entities: [...entities], kind })
  }
  return { pairs, checked, isPassed: pairs.length === 0, by: "words" }
}

type StatedClaim = { readonly sentence: string; readonly claim: Claim }

function claimsIn(text: string, terms: Terms): readonly StatedClaim[] {
  return statementsOf(text, terms)
    .filter((it) => isClaiming(it) && it.entities.length > 0)
    .flatMap((it) => claimsOf(it).map((claim) => ({ sentence: it.sentence.text, claim })))
}

/**
 * Pairs that share an entity and one more word, each once. Only the first claims of a matter are kept, so
 * that the work is linear in the text.
 */
function* candidatePairs(
  own: readonly StatedClaim[],
  others: readonly StatedClaim[],
): Generator<readonly [StatedClaim, StatedClaim]> {
  const byMatter = new Map<string, StatedClaim[]>()
  let left = MOST_COMPARED_PAIRS
  for (const [at, stated] of [...own, ...others].entries()) {
    const matters = mattersOf(stated.claim)
    const met = metBy(stated, matters, byMatter)
    if (at < own.length) for (const matter of matters) keep(byMatter, matter, stated)
    for (const earlier of met) {
      if (left-- <= 0) return
      yield [earlier, stated]
    }
  }
}

function metBy(
  stated: StatedClaim,
  matters: readonly string[],
  byMatter: ReadonlyMap<string, readonly StatedClaim[]>,
): ReadonlySet<StatedClaim> {
  const met = new Set<StatedClaim>()
  for (const matter of matters) {
    for (const earlier of byMatter.get(matter) ?? []) {
      if (earlier.sentence !== stated.sentence) met.add(earlier)
    }
    if (met.size >= MOST_OF_ONE_MATTER) break
  }
  return met
}

function keep(byMatter: Map<string, StatedClaim[]>, matter: string, stated: StatedClaim): void {
  const earlier = byMatter.get(matter)
  if (earlier === undefined) byMatter.set(matter, [stated])
  else if (earlier.length < MOST_OF_ONE_MATTER) earlier.push(stated)
}

/** An entity with a word or figure; few claims share such a pair by accident. */
function mattersOf({ about, words, values }: Claim): readonly string[] {
  const entities = [...about].slice(0, MOST_MATTER_ENTITIES)
  const terms = [...words, ...values.keys()].slice(0, MOST_MATTER_WORDS)
  const others = terms.length === 0 ? entities : terms
  return entities.flatMap((key) => others.map((other) => `${key}|${other}`))
}
