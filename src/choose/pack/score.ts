import type { PackSource } from "#ground/contract"
import { PackWeightsInvalid } from "./errors.ts"
import type { FoundFile } from "./gather.ts"
import { MOST_REASONS } from "./limits.ts"

export type ScoredFile = FoundFile & {
  readonly score: number
  readonly astScore: number | null
  readonly semanticScore: number | null
  readonly source: PackSource
}

export type Scoring = {
  readonly scoring: "learned" | "weighted"
  readonly astWeight: number
  readonly semanticWeight: number
}

/** Scores from 0 to 1 with their reasons; named files first, then best first. */
export function scoreFiles(found: readonly FoundFile[], scoring: Scoring): readonly ScoredFile[] {
  checkWeights(scoring)
  const scored = found.map((it) => scoreFile(it, scoring))
  return scored.toSorted(
    (a, b) =>
      namingPlace(a) - namingPlace(b) ||
      b.score - a.score ||
      (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER) ||
      comparePaths(a, b),
  )
}

function scoreFile(found: FoundFile, scoring: Scoring): ScoredFile {
  const astScore = structuralScore(found)
  const semanticScore = found.share
  return {
    ...found,
    astScore,
    semanticScore,
    score: found.naming === undefined ? combined(astScore, semanticScore, scoring) : 1,
    source: sourceOf(found, astScore, semanticScore),
    reasons: reasonsOf(found),
  }
}

/** Of what stands in no relation to anything the task names, structure knows nothing. */
function structuralScore({ naming, defines, uses }: FoundFile): number | null {
  if (naming !== undefined) return NAMED
  if (defines.length > 0) return DEFINES_NAMED
  return uses.length > 0 ? USES_NAMED : null
}

const NAMED = 1
const DEFINES_NAMED = 0.95
const USES_NAMED = 0.5

/** A signal that is missing is unknown, not zero: the other one then counts alone. */
function combined(ast: number | null, semantic: number | null, scoring: Scoring): number {
  if (scoring.scoring === "learned") {
    const structural = ast === DEFINES_NAMED ? ast : 0
    return Math.max(structural, semantic ?? ast ?? 0)
  }
  const { astWeight, semanticWeight } = scoring
  if (ast === null || astWeight === 0) return semanticWeight === 0 ? 0 : (semantic ?? 0)
  if (semantic === null || semanticWeight === 0) return ast
  return (ast * astWeight + semantic * semanticWeight) / (astWeight + semanticWeight)
}

function sourceOf(found: FoundFile, ast: number | null, semantic: number | null): PackSource {
  if (found.naming !== undefined) return "target"
  if (ast === null) return "semantic"
  return semantic === null || semantic === 0 ? "ast" : "both"
}

function reasonsOf({ naming, defines, uses, reasons }: FoundFile): readonly string[] {
  const own = [
    ...(naming === "target" ? ["a target of this package"] : []),
    ...(naming === "task" ? ["named in the task"] : []),
    ...(defines[0] === undefined ? [] : [`defines ${shortName(defines[0])}`]),
    ...(uses[0] === undefined || defines.length > 0 ? [] : [`uses ${shortName(uses[0])}`]),
  ]
  return [...own, ...reasons].slice(0, MOST_REASONS)
}

function shortName(name: string): string {
  return name.length <= 40 ? name : `${name.slice(0, 39)}…`
}

function checkWeights({ astWeight, semanticWeight }: Scoring): void {
  const isGood = (weight: number) => Number.isFinite(weight) && weight >= 0
  const areGood = isGood(astWeight) && isGood(semanticWeight) && astWeight + semanticWeight > 0
  if (!areGood) throw PackWeightsInvalid({ ast: astWeight, semantic: semanticWeight })
}

function namingPlace({ naming }: FoundFile): number {
  if (naming === "target") return 0
  return naming === "task" ? 1 : 2
}

function comparePaths(a: FoundFile, b: FoundFile): number {
  if (a.file.path === b.file.path) return 0
  return a.file.path < b.file.path ? -1 : 1
}
