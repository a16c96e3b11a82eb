import type { KbVerification } from "#ground/contract"
import { type Claim, claimsOf } from "./claims.ts"
import type { Entity } from "./entities.ts"
import { opposedBy } from "./opposition.ts"
import {
  type CitedParagraph,
  type Evidence,
  evidenceFor,
  type Failure,
  isClaiming,
  type ReadAnswer,
  readAnswer,
  reportOf,
  type Statement,
  shown,
  statementsOf,
} from "./statements.ts"
import { isContent, isFunctionWord, type Token } from "./tokens.ts"

/** A paragraph has some five clauses; this limits a page pasted as one. */
const MOST_CLAIMS_OF_A_PARAGRAPH = 60

const RELATION_BAR = 0.7

type Edge = { readonly from: string; readonly to: string }

export function relationPreservation(
  answer: string,
  cited: readonly CitedParagraph[],
  edges: readonly Edge[] = [],
): KbVerification {
  const reading = readAnswer(answer, cited)
  const all = [...reading.evidence.values()]
  const search = { all, links: linksOf(all, edges), claims: claimsByParagraph(reading) }
  const failed: Failure[] = []
  let checked = 0
  for (const statement of reading.statements.filter(isClaiming)) {
    const own = evidenceFor(reading, statement.sentence.labels)
    for (const relation of relationsOf(statement)) {
      checked++
      const problem = lostRelation(relation, { ...search, own, statement })
      const sentence = statement.sentence.text
      if (problem !== undefined) failed.push({ sentence, problem, evidence: shown(own) })
    }
  }
  return reportOf({ checked, failed, bar: RELATION_BAR })
}

type Relation = { readonly one: Entity; readonly verb: string; readonly other: Entity }

/** Neighbouring entities with a verb between them. References relate nothing. */
function relationsOf({ tokens, entities }: Statement): readonly Relation[] {
  const namedEntities = entities.filter((it) => it.kind !== "reference" && !it.isOwnCount)
  return namedEntities.slice(1).flatMap((other, at) => {
    const one = namedEntities[at]
    if (one === undefined || one.key === other.key) return []
    const verb = verbIn(tokens.slice(one.to, other.from))
    return verb === undefined ? [] : [{ one, verb, other }]
  })
}

const AUXILIARIES = new Set(
  `is are was were be been has have had do does did will would shall should can could may might must
  need needs cannot`.split(/\s+/),
)

/** A modal, an auxiliary, or a word with a verb ending; none across a full stop. */
function verbIn(between: readonly Token[]): string | undefined {
  if (between.some((token) => /[;:|]/.test(token.text))) return undefined
  const verb = between.find(
    (token) =>
      AUXILIARIES.has(token.plain) ||
      (isContent(token) && !isFunctionWord(token.plain) && /(?:[^s]s|ed)$/.test(token.plain)),
  )
  return verb?.text
}

type Link = readonly [from: Evidence, to: Evidence]
type Search = {
  readonly own: readonly Evidence[]
  readonly all: readonly Evidence[]
  readonly links: readonly Link[]
  readonly claims: ReadonlyMap<Evidence, readonly Claim[]>
  readonly statement: Statement
}

function lostRelation(relation: Relation, search: Search): string | undefined {
  const holdsBoth = (it: Evidence): boolean => hasBoth(it, it, relation)
  const own = search.own.filter(holdsBoth)
  const holds = own.length > 0 ? own : search.all.filter(holdsBoth)
  const [first] = holds
  if (first === undefined) {
    const isLinked = search.links.some(([from, to]) => hasBoth(from, to, relation))
    const quoted = `"${relation.one.text} ${relation.verb} … ${relation.other.text}"`
    return isLinked ? undefined : `No paragraph has both sides of ${quoted}.`
  }
  const claims = claimsOf(search.statement)
  const isDenied = holds.every((it) => areOpposed(claims, search.claims.get(it) ?? []))
  return isDenied ? `${first.label} says the opposite.` : undefined
}

function hasBoth(from: Evidence, to: Evidence, { one, other }: Relation): boolean {
  const isForward = from.profile.keys.has(one.key) && to.profile.keys.has(other.key)
  return isForward || (from.profile.keys.has(other.key) && to.profile.keys.has(one.key))
}

function areOpposed(claims: readonly Claim[], others: readonly Claim[]): boolean {
  return claims.some((claim) => others.some((other) => opposedBy(claim, other) !== undefined))
}

function claimsByParagraph({
  evidence,
  terms,
}: ReadAnswer): ReadonlyMap<Evidence, readonly Claim[]> {
  const rows = [...evidence.values()].map((it) => {
    const read = statementsOf(it.text, terms).filter(isClaiming)
    return [it, read.flatMap(claimsOf).slice(0, MOST_CLAIMS_OF_A_PARAGRAPH)] as const
  })
  return new Map(rows)
}

function linksOf(evidence: readonly Evidence[], edges: readonly Edge[]): readonly Link[] {
  const byId = new Map(evidence.map((it) => [it.id, it]))
  return edges.flatMap(({ from, to }) => {
    const [one, other] = [byId.get(from), byId.get(to)]
    return one === undefined || other === undefined ? [] : [[one, other] as const]
  })
}
