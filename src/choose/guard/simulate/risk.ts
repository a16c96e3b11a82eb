import { plural } from "#ground/base"
import type { LinkConfidence } from "#ground/contract"
import type { ReachedFile, RiskReason } from "../receipts.ts"
import type { ChangedTogether } from "./simulate.ts"

export type Evidence = {
  readonly reach: readonly Pick<ReachedFile, "hops" | "confidence">[]
  readonly highest: { readonly path: string; readonly rank: number } | undefined
  readonly code: number
  readonly untested: number
  readonly companions: readonly ChangedTogether[]
  readonly claimed: number
  readonly claimedNear: number
  readonly riskPath: { readonly path: string; readonly pattern: string } | undefined
  readonly unseen: number
}

/**
 * The most that each reason adds alone. Set by hand so that no single reason exceeds 0.5, a foreign
 * claim weighs most, and three common ones (many dependents, no test, a risk path) add up to about
 * 0.75.
 */
const WEIGHTS = {
  reach: 0.5,
  rank: 0.2,
  untested: 0.3,
  companion: 0.25,
  claimed: 0.5,
  claimedNear: 0.2,
  riskPath: 0.35,
  unseen: 0.2,
} as const

/** This many certain direct dependents give half of `WEIGHTS.reach`. */
const HALF_REACH_FILES = 8

/** Indirect dependents and guesses count less. */
const HOP_SHARE = { first: 1, second: 0.3 } as const
const CONFIDENCE_SHARE: Readonly<Record<LinkConfidence, number>> = {
  import: 1,
  package: 0.8,
  unique: 0.6,
  ambiguous: 0.2,
}

/** Below this, the number of dependents says enough. */
const LEAST_TOLD_RANK = 0.25

/** A single common commit may be chance. */
const FEWEST_TIMES_TOGETHER = 2

/** `risk = 1 − Π(1 − rᵢ)`, with reasons taken as independent. */
export function riskOf(evidence: Evidence): {
  readonly risk: number
  readonly reasons: readonly RiskReason[]
} {
  const reasons = REASONS.flatMap((it) => it(evidence) ?? [])
    .map(({ text, number }) => ({ text, number: rounded(number) }))
    .filter((it) => it.number > 0)
    .toSorted((a, b) => b.number - a.number)
  const safe = reasons.reduce((product, it) => product * (1 - it.number), 1)
  return { risk: rounded(1 - safe), reasons }
}

const REASONS: readonly ((evidence: Evidence) => RiskReason | undefined)[] = [
  ofReach,
  ofRank,
  ofTests,
  ofCompanions,
  ofClaims,
  ofClaimsNear,
  ofRiskPath,
  ofUnseen,
]

function ofReach({ reach }: Evidence): RiskReason | undefined {
  if (reach.length === 0) return undefined
  const felt = reach.reduce((sum, { hops, confidence }) => {
    const share = hops === 1 ? HOP_SHARE.first : HOP_SHARE.second
    return sum + share * CONFIDENCE_SHARE[confidence]
  }, 0)
  const far = reach.filter((it) => it.hops === 2).length
  const second = far === 0 ? "" : `, ${far} of them indirectly`
  return {
    text: `${plural(reach.length, "file depends", "files depend")} on it${second}`,
    number: (WEIGHTS.reach * felt) / (felt + HALF_REACH_FILES),
  }
}

function ofRank({ highest }: Evidence): RiskReason | undefined {
  if (highest === undefined || highest.rank < LEAST_TOLD_RANK) return undefined
  const number = WEIGHTS.rank * highest.rank
  const share = Math.round(highest.rank * 100)
  return {
    text: `${highest.path} has ${share} % of the import rank of the most imported file`,
    number,
  }
}

function ofTests({ code, untested }: Evidence): RiskReason | undefined {
  if (untested === 0 || code === 0) return undefined
  const which = code === 1 ? "it" : `${untested} of ${code} files`
  return { text: `no test covers ${which}`, number: (WEIGHTS.untested * untested) / code }
}

function ofCompanions({ companions }: Evidence): RiskReason | undefined {
  const [closest] = companions
  if (closest === undefined || closest.times < FEWEST_TIMES_TOGETHER) return undefined
  const { path, times, of } = closest
  return {
    text: `${path} changed with it in ${times} of ${of} commits and is not part of this change`,
    number: (WEIGHTS.companion * times) / of,
  }
}

function ofClaims({ claimed }: Evidence): RiskReason | undefined {
  if (claimed === 0) return undefined
  const text = `${plural(claimed, "claim")} of other sessions on the changed files`
  return { text, number: WEIGHTS.claimed }
}

function ofClaimsNear({ claimedNear }: Evidence): RiskReason | undefined {
  if (claimedNear === 0) return undefined
  const text = `${plural(claimedNear, "claim")} of other sessions on dependent files`
  return { text, number: WEIGHTS.claimedNear }
}

function ofRiskPath({ riskPath }: Evidence): RiskReason | undefined {
  if (riskPath === undefined) return undefined
  const text = `${riskPath.path} is high-risk (pattern ${riskPath.pattern})`
  return { text, number: WEIGHTS.riskPath }
}

function ofUnseen({ unseen }: Evidence): RiskReason | undefined {
  if (unseen === 0) return undefined
  const text = `the map does not parse ${plural(unseen, "file")}, so dependents are unknown`
  return { text, number: WEIGHTS.unseen }
}

/** Two decimals, so that the displayed numbers reproduce the displayed risk. */
function rounded(number: number): number {
  return Math.round(number * 100) / 100
}
