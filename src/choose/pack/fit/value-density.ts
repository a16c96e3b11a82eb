import { type FileChoice, type FitFile, newSegments, PIECE_TOKENS, sum } from "./budget-board.ts"
import { isWorthSending, type TaskKind, worthOf } from "./expected-need.ts"

export type FitOption = {
  readonly choice: FileChoice
  readonly segments: readonly number[]
  readonly tokens: number
  /** The highest of its segments. */
  readonly chance: number
}

/**
 * The order in which a package without `fill` takes segments. Segments of an issue are ordered by
 * worth, which has a better F1; for a short text that order lost 7 points of the edited
 * hunks of commits in 4,000 tokens, so it only ends the package (docs/reference/issues.md).
 * Segments that are not worth sending come last: only a package beyond its end would have them.
 */
export function optionsInOrder(
  choices: readonly FileChoice[],
  { taskKind, weights }: { readonly taskKind: TaskKind; readonly weights: FitWeights },
): readonly FitOption[] {
  const options =
    taskKind === "issue" ? optionsByWorth(choices) : optionsByDensity(choices, weights)
  const isLate = (it: FitOption) => Number(!isWorthSending(it, taskKind))
  return options.toSorted((a, b) => isLate(a) - isLate(b))
}

/** Single segments, those worth most first. */
function optionsByWorth(choices: readonly FileChoice[]): readonly FitOption[] {
  const options = choices.flatMap((choice) => {
    const { segments } = choice.file
    return newSegments(choice.file).flatMap((index) => {
      const segment = segments[index]
      if (segment === undefined || segment.isBare) return []
      const { tokens, chance } = segment
      return [{ choice, segments: [index], tokens, chance, worth: worthOf(segment) }]
    })
  })
  return options.toSorted((a, b) => b.worth - a.worth || byPlace(a, b))
}

function byPlace(a: FitOption, b: FitOption): number {
  return a.choice.place - b.choice.place || (a.segments[0] ?? 0) - (b.segments[0] ?? 0)
}

export function optionsByDensity(
  choices: readonly FileChoice[],
  weights: FitWeights,
): readonly FitOption[] {
  const most = choices.reduce((best, it) => Math.max(best, bestScore(it.file)), 0)
  const options = choices.flatMap((choice) => optionsOf(choice, { weights, most }))
  return options.toSorted((a, b) => b.density - a.density || byPlace(a, b))
}

type Scale = { readonly weights: FitWeights; readonly most: number }

function optionsOf(choice: FileChoice, scale: Scale): readonly (FitOption & { density: number })[] {
  const { file } = choice
  const fileWeight = weightOf(choice, scale.weights)
  const fresh = newSegments(file)
  const isSmall = tokensOf(file, fresh) <= scale.weights.wholeTokens
  const ownSegments = fresh.filter((it) => file.segments[it]?.isBare === false)
  const groups = isSmall && fresh.length > 0 ? [fresh] : ownSegments.map((it) => [it])
  const best = bestScore(file)
  return groups.map((segments) => {
    const tokens = tokensOf(file, segments)
    const shares = segments.map((it) => shareOf(file, it, { ...scale, best }))
    const value = fileWeight * Math.max(...shares) * Math.max(1, tokens) ** scale.weights.sizePower
    const chance = Math.max(...segments.map((it) => file.segments[it]?.chance ?? 0))
    return { choice, segments, tokens, chance, density: value / (tokens + PIECE_TOKENS) }
  })
}

function weightOf({ file, place: rank }: FileChoice, weights: FitWeights): number {
  const byPlace = (1 + rank / weights.rankScale) ** -weights.rankPower
  const byScore = weights.scorePower === 0 ? 1 : file.score ** weights.scorePower
  const byName = file.naming === undefined ? classWeight(file, weights) : weights.named
  return byPlace * byScore * byName * (file.isDefiner ? weights.definer : 1)
}

function classWeight({ fileClass }: FitFile, { test, docs }: FitWeights): number {
  if (fileClass === "source") return 1
  return fileClass === "test" ? test : docs
}

function shareOf(
  file: FitFile,
  index: number,
  { weights, most, best }: Scale & { readonly best: number },
): number {
  const segment = file.segments[index]
  const score = segment?.score ?? 0
  const overall = most === 0 ? 0 : score / most
  const local = best === 0 ? 0 : score / best
  const relative = (1 - weights.localShare) * overall + weights.localShare * local
  const bonus = index === 0 ? weights.firstBonus : 0
  const named = segment?.isNamed === true ? weights.namedSymbol : 1
  return (weights.floor + relative + bonus) ** weights.symbolPower * named
}

function bestScore({ segments }: FitFile): number {
  return segments.reduce((best, it) => Math.max(best, it.score), 0)
}

function tokensOf({ segments }: FitFile, indexes: readonly number[]): number {
  return sum(indexes.map((it) => segments[it]?.tokens ?? 0))
}

export type FitWeights = {
  /** `(1 + place / rankScale) ** -rankPower` */
  readonly rankScale: number
  readonly rankPower: number
  /** `score ** scorePower` */
  readonly scorePower: number
  /** Value of a segment without a term of the task; the best segment has 1. */
  readonly floor: number
  /** Weight of the comparison within the file against the comparison over all files. */
  readonly localShare: number
  readonly symbolPower: number
  /** A longer segment is more likely to be edited: `tokens ** sizePower`. */
  readonly sizePower: number
  /** For the first segment, because imports change with the code. */
  readonly firstBonus: number
  /** Factors for a named file, for one that defines a named symbol, and for that segment. */
  readonly named: number
  readonly definer: number
  readonly namedSymbol: number
  readonly test: number
  readonly docs: number
  readonly wholeTokens: number
  readonly headTokens: number
  readonly roundUpShare: number
  readonly namedShare: number
  /**
   * Share of the budget for signatures of files without a selected segment, and the maximum per
   * file.
   */
  readonly signatureShare: number
  readonly mostSignatures: number
  readonly closureShare: number
}

/**
 * Tuned on commits that docs/reference/recall.md does not report on. Compared with the initial
 * guesses, the two powers and the bonus found 6 points more of the edited hunks in 8,000 tokens on
 * other commits; the other weights were not checked that way.
 */
export const FIT_WEIGHTS: FitWeights = {
  rankScale: 4,
  rankPower: 1,
  scorePower: 0,
  floor: 0.15,
  localShare: 0.3,
  symbolPower: 1.75,
  sizePower: 0.7,
  firstBonus: 0.05,
  named: 3,
  definer: 1.3,
  namedSymbol: 1.5,
  test: 0.5,
  docs: 0.5,
  wholeTokens: 300,
  headTokens: 40,
  roundUpShare: 0.2,
  namedShare: 0.6,
  signatureShare: 0.02,
  mostSignatures: 12,
  closureShare: 0.02,
}
