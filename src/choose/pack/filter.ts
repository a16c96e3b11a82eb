import type { PackLeft } from "#ground/contract"
import type { IndexedFile } from "#know/map"
import { isSecretBearing } from "#see/repo"
import { TargetDenied } from "./errors.ts"
import type { PathRule } from "./roles.ts"
import type { ScoredFile } from "./score.ts"

export type FilterRules = {
  readonly minRelevance: number
  readonly isAllowed: PathRule
  readonly isDenied: PathRule
  /** Paths that the person does not want. */
  readonly dropped: ReadonlySet<string>
}

export type Filtered = {
  readonly kept: readonly ScoredFile[]
  readonly left: readonly PackLeft[]
}

/** Deny beats everything; below the least relevance only what is named stays. */
export function filterFiles(files: readonly ScoredFile[], rules: FilterRules): Filtered {
  const kept: ScoredFile[] = []
  const left: PackLeft[] = []
  for (const file of files) {
    const out = reasonAgainst(file, rules)
    if (out === undefined) kept.push(file)
    else left.push(leftFile(file, out))
  }
  return { kept, left }
}

type Out = Pick<PackLeft, "why" | "detail">

function reasonAgainst(file: ScoredFile, rules: FilterRules): Out | undefined {
  const { path } = file.file
  const denial = denialOf(path, rules)
  if (denial !== undefined) {
    if (file.naming === "target") throw TargetDenied({ path, reason: denial })
    return { why: "denied", detail: denial }
  }
  if (rules.dropped.has(path)) return DROPPED
  const isBelow = file.naming === undefined && file.score < rules.minRelevance
  if (!isBelow) return undefined
  return { why: "below", detail: `relevance ${file.score.toFixed(2)}` }
}

const DROPPED: Out = { why: "dropped", detail: "left out by you" }

/** One that a person dropped though nothing spoke for it. */
export function droppedFile({ path, tokens }: IndexedFile): PackLeft {
  return { path, score: 0, tokens, ...DROPPED, reasons: [] }
}

/** Why a path may be in no package of this role, in words. */
export function denialOf(
  path: string,
  { isAllowed, isDenied }: Pick<FilterRules, "isAllowed" | "isDenied">,
): string | undefined {
  if (isSecretBearing(path)) return "it is there to hold secrets"
  if (isDenied(path)) return "pack.deny has it"
  return isAllowed(path) ? undefined : "the role may not see it"
}

export function leftFile(file: ScoredFile, out: Out): PackLeft {
  return {
    path: file.file.path,
    score: file.score,
    tokens: file.file.tokens,
    ...out,
    reasons: [...file.reasons],
  }
}
