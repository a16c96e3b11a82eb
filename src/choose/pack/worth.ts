import { type Draft, type FitFile, newSegments, sum } from "./draft.ts"
import { type FitWeights, PIECE_TOKENS } from "./fit-weights.ts"

/** Segments that are taken together or not at all. */
export type FitOption = {
  readonly draft: Draft
  readonly segments: readonly number[]
  readonly tokens: number
}

/** What can be chosen, the most worth per token first; a small file is one option. */
export function optionsByWorth(
  drafts: readonly Draft[],
  weights: FitWeights,
): readonly FitOption[] {
  const most = drafts.reduce((best, it) => Math.max(best, bestScore(it.file)), 0)
  const options = drafts.flatMap((draft) => optionsOf(draft, { weights, most }))
  return options.toSorted(
    (a, b) =>
      b.density - a.density ||
      a.draft.place - b.draft.place ||
      (a.segments[0] ?? 0) - (b.segments[0] ?? 0),
  )
}

type Scale = { readonly weights: FitWeights; readonly most: number }

function optionsOf(draft: Draft, scale: Scale): readonly (FitOption & { density: number })[] {
  const { file } = draft
  const fileWeight = weightOf(draft, scale.weights)
  const fresh = newSegments(file)
  const isSmall = tokensOf(file, fresh) <= scale.weights.wholeTokens
  const telling = fresh.filter((it) => file.segments[it]?.isBare === false)
  const groups = isSmall && fresh.length > 0 ? [fresh] : telling.map((it) => [it])
  const best = bestScore(file)
  return groups.map((segments) => {
    const tokens = tokensOf(file, segments)
    const shares = segments.map((it) => shareOf(file, it, { ...scale, best }))
    const worth = fileWeight * Math.max(...shares) * Math.max(1, tokens) ** scale.weights.sizePower
    return { draft, segments, tokens, density: worth / (tokens + PIECE_TOKENS) }
  })
}

/** How likely a file is one that the task is about, by its place and by what names it. */
function weightOf({ file, place }: Draft, weights: FitWeights): number {
  const byPlace = (1 + place / weights.rankScale) ** -weights.rankPower
  const byScore = weights.scorePower === 0 ? 1 : file.score ** weights.scorePower
  const byName = file.naming === undefined ? classWeight(file, weights) : weights.named
  return byPlace * byScore * byName * (file.isDefiner ? weights.definer : 1)
}

function classWeight({ fileClass }: FitFile, { test, docs }: FitWeights): number {
  if (fileClass === "source") return 1
  return fileClass === "test" ? test : docs
}

/** How likely a segment is the one, beside the others of its file and of all files. */
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
