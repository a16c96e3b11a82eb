import { truncate } from "#ground/base"
import type { Config, PackLeft, PackSource, TaskAnalysis } from "#ground/contract"
import type { Content, IndexedFile, IndexedTree } from "#know/map"
import {
  type LiftWeights,
  type PostingsOf,
  type Query,
  type Ranker,
  rarityIn,
  type SemanticScores,
  scoreFileSymbols,
} from "#know/search"
import { isSecretBearing } from "#see/repo"
import { PackWeightsInvalid, TargetDenied } from "./errors.ts"
import { LEAST_PROBABILITY } from "./fit/expected-need.ts"
import { MOST_WEIGHED_FILES } from "./limits.ts"
import { type Candidate, gatherCandidates, type Signals } from "./rank/candidates.ts"
import { type PathFinder, pathFinderOf } from "./rank/path-finder.ts"
import { denyRule, type PathRule, roleRule } from "./rank/path-rules.ts"
import { graphOf } from "./rank/per-tree-cache.ts"

type RankRequest = {
  readonly task: string
  readonly analysis: TaskAnalysis
  readonly budgetTokens: number
  readonly fill?: boolean
  readonly role?: string | undefined
  readonly targets?: readonly string[]
  readonly dropped?: readonly string[]
  readonly settings: Config["pack"]
}

export type RankDeps = {
  readonly ranker: Ranker
  readonly meaning?: SemanticScores | undefined
  readonly lift?: LiftWeights | undefined
  /** Makes a path from the user relative to the root; undefined outside the repository. */
  place(path: string): string | undefined
}

export type RankedFiles = {
  readonly analysis: TaskAnalysis
  readonly signals: Signals
  readonly weighed: WeighedFiles
  readonly scored: readonly ScoredFile[]
  /** The highest probability, if it is so low that the task is about something else. */
  readonly unrelated: number | undefined
  /** A pasted issue, or anything shorter. */
  readonly taskKind: "issue" | "task"
  readonly left: readonly PackLeft[]
  readonly rules: FilterRules
  /** The path in the tree for a path from the user; undefined if no file matches. */
  pathOf(given: string): string | undefined
}

/** Collects, scores and filters candidates, then reads the best ones and scores their segments. */
export async function rankFiles(
  tree: IndexedTree,
  request: RankRequest,
  deps: RankDeps,
): Promise<RankedFiles> {
  const { task, analysis, settings, budgetTokens } = request
  const finder = pathFinderOf(tree)
  // Several steps look up the same paths, each time of thousands of characters at worst.
  const located = new Map<string, string | undefined>()
  const pathOf = (path: string) => {
    if (!located.has(path)) located.set(path, finder.locate(path, deps.place)?.path)
    return located.get(path)
  }
  const rules = rulesOf(request, pathOf)
  const targets = request.targets?.map((path) => {
    const denial = denialOf(path, { isAllowed: () => true, isDenied: rules.isDenied })
    if (denial !== undefined) throw TargetDenied({ path: path, reason: denial })
    return finder.demand(path, deps.place)
  })
  const candidates = await gatherCandidates(tree, {
    ...deps,
    task,
    analysis,
    finder,
    targets: unique(targets),
  })
  const { isIssue } = candidates
  const scored = scoreFiles(candidates.files, { ...settings, isIssue })
  const unrelated = request.fill === true ? undefined : unrelatedBest(scored)
  const { kept: remaining, left } = filterFiles(scored, {
    ...rules,
    ...(unrelated !== undefined && { minRelevance: LEAST_PROBABILITY }),
  })
  const unscored = droppedUnscored(scored, rules, finder)
  const weighed = await weighFiles(tree, remaining, { ...candidates, budgetTokens })
  return {
    analysis,
    signals: candidates.signals,
    weighed,
    scored,
    unrelated,
    taskKind: isIssue ? "issue" : "task",
    left: [...left, ...unscored],
    rules,
    pathOf,
  }
}

function unrelatedBest(scored: readonly ScoredFile[]): number | undefined {
  const best = scored.reduce((most, it) => Math.max(most, it.probability), 0)
  return scored.length > 0 && best < LEAST_PROBABILITY ? best : undefined
}

function droppedUnscored(
  scored: readonly ScoredFile[],
  { dropped }: FilterRules,
  finder: PathFinder,
): readonly PackLeft[] {
  const scoredPaths = new Set(scored.map((it) => it.file.path))
  const unknown = [...dropped].filter((it) => !scoredPaths.has(it))
  return unknown.flatMap((path) => finder.find(path) ?? []).map(droppedFile)
}

function rulesOf(
  { settings, role, dropped = [] }: RankRequest,
  pathOf: (given: string) => string | undefined,
): FilterRules {
  return {
    minRelevance: settings.minRelevance,
    isAllowed: roleRule(settings.roles, role),
    isDenied: denyRule(settings.deny),
    dropped: new Set(dropped.flatMap((it) => pathOf(it) ?? [])),
  }
}

function unique(files: readonly IndexedFile[] = []): readonly IndexedFile[] {
  return [...new Map(files.map((it) => [it.path, it])).values()]
}

export type ScoredFile = Candidate & {
  readonly score: number
  /** That the task needs the file; equals `score` unless the file is named. */
  readonly probability: number
  readonly astScore: number | null
  readonly semanticScore: number | null
  readonly source: PackSource
}

type ScoringOptions = {
  readonly scoring: "learned" | "weighted"
  readonly astWeight: number
  readonly semanticWeight: number
  /** A pasted issue names many symbols, which its ranker weighs itself. */
  readonly isIssue?: boolean
}

export function scoreFiles(
  candidates: readonly Candidate[],
  scoring: ScoringOptions,
): readonly ScoredFile[] {
  checkWeights(scoring)
  const scored = candidates.map((it) => scoreFile(it, scoring))
  return scored.toSorted(
    (a, b) =>
      namingPlace(a, scoring) - namingPlace(b, scoring) ||
      Number(isDefiner(b, scoring)) - Number(isDefiner(a, scoring)) ||
      b.score - a.score ||
      (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER) ||
      comparePaths(a, b),
  )
}

function scoreFile(candidate: Candidate, scoring: ScoringOptions): ScoredFile {
  const astScore = structuralScore(candidate)
  const semanticScore = candidate.share
  const probability = probabilityOf(candidate, astScore, scoring)
  return {
    ...candidate,
    astScore,
    semanticScore,
    score: namingPlace(candidate, scoring) < 2 ? 1 : probability,
    probability,
    source: sourceOf(candidate, astScore, semanticScore),
    reasons: reasonsOf(candidate),
  }
}

function structuralScore({ naming, defines, uses }: Candidate): number | null {
  if (naming !== undefined) return NAMED
  if (defines.length > 0) return DEFINES_NAMED
  return uses.length > 0 ? USES_NAMED : null
}

const NAMED = 1
const DEFINES_NAMED = 0.95
const USES_NAMED = 0.5

/** Share of the files that define a name of a short task and were changed by its fix. */
const DEFINER_PROBABILITY = 0.2

/** The same share for files whose path is in a task. Stack frames and logs contain many paths. */
const NAMED_PROBABILITY = { task: 0.7, issue: 0.3 }

function isDefiner({ defines }: Candidate, { scoring, isIssue }: ScoringOptions): boolean {
  return scoring === "learned" && isIssue !== true && defines.length > 0
}

function probabilityOf(candidate: Candidate, ast: number | null, scoring: ScoringOptions): number {
  const { naming, share } = candidate
  if (naming === "target") return 1
  const named = scoring.isIssue === true ? NAMED_PROBABILITY.issue : NAMED_PROBABILITY.task
  if (naming === "task") return Math.max(named, share ?? 0)
  if (scoring.scoring === "weighted") return combined(ast, share, scoring)
  return Math.max(isDefiner(candidate, scoring) ? DEFINER_PROBABILITY : 0, share ?? 0)
}

function combined(ast: number | null, semantic: number | null, scoring: ScoringOptions): number {
  const { astWeight, semanticWeight } = scoring
  if (ast === null || astWeight === 0) return semanticWeight === 0 ? 0 : (semantic ?? 0)
  if (semantic === null || semanticWeight === 0) return ast
  return (ast * astWeight + semantic * semanticWeight) / (astWeight + semanticWeight)
}

function sourceOf(candidate: Candidate, ast: number | null, semantic: number | null): PackSource {
  if (candidate.naming !== undefined) return "target"
  if (ast === null) return "semantic"
  return semantic === null || semantic === 0 ? "ast" : "both"
}

function reasonsOf({ naming, defines, uses, reasons }: Candidate): readonly string[] {
  const own = [
    ...(naming === "target" ? ["target of this package"] : []),
    ...(naming === "task" ? ["named in the task"] : []),
    ...(defines[0] === undefined ? [] : [`defines ${truncate(defines[0], 40)}`]),
    ...(uses[0] === undefined || defines.length > 0 ? [] : [`uses ${truncate(uses[0], 40)}`]),
  ]
  return [...own, ...reasons].slice(0, 4)
}

function checkWeights({ astWeight, semanticWeight }: ScoringOptions): void {
  const isGood = (weight: number) => Number.isFinite(weight) && weight >= 0
  const areGood = isGood(astWeight) && isGood(semanticWeight) && astWeight + semanticWeight > 0
  if (!areGood) throw PackWeightsInvalid({ ast: astWeight, semantic: semanticWeight })
}

function namingPlace({ naming }: Candidate, scoring: ScoringOptions): number {
  if (naming === "target") return 0
  return naming === "task" && !isWeighedName(scoring) ? 1 : 2
}

/**
 * An issue names files that others wrote about, as in stack frames and logs, so its named files are
 * ordered by their probability: 1.2 points more at the first place than named files first (95 %
 * interval 0.0 to 2.4, 410 issues of 20 repositories).
 */
function isWeighedName({ scoring, isIssue }: ScoringOptions): boolean {
  return scoring === "learned" && isIssue === true
}

function comparePaths(a: Candidate, b: Candidate): number {
  if (a.file.path === b.file.path) return 0
  return a.file.path < b.file.path ? -1 : 1
}

type FilterRules = {
  readonly minRelevance: number
  readonly isAllowed: PathRule
  readonly isDenied: PathRule
  readonly dropped: ReadonlySet<string>
}

type FilteredFiles = {
  readonly kept: readonly ScoredFile[]
  readonly left: readonly PackLeft[]
}

/** A denial overrides everything; below `minRelevance` only named files stay. */
export function filterFiles(files: readonly ScoredFile[], rules: FilterRules): FilteredFiles {
  const remaining: ScoredFile[] = []
  const left: PackLeft[] = []
  for (const file of files) {
    const out = reasonAgainst(file, rules)
    if (out === undefined) remaining.push(file)
    else left.push(leftFile(file, out))
  }
  return { kept: remaining, left }
}

type LeftReason = Pick<PackLeft, "why" | "detail">

function reasonAgainst(file: ScoredFile, rules: FilterRules): LeftReason | undefined {
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

const DROPPED: LeftReason = { why: "dropped", detail: "dropped by you" }

function droppedFile({ path, tokens }: IndexedFile): PackLeft {
  return { path, score: 0, tokens, ...DROPPED, reasons: [] }
}

export function denialOf(
  path: string,
  { isAllowed, isDenied }: Pick<FilterRules, "isAllowed" | "isDenied">,
): string | undefined {
  if (isSecretBearing(path)) return "it usually contains secrets"
  if (isDenied(path)) return "listed in pack.deny"
  return isAllowed(path) ? undefined : "not allowed for the role"
}

export function leftFile(file: ScoredFile, out: LeftReason): PackLeft {
  return {
    path: file.file.path,
    score: file.score,
    tokens: file.file.tokens,
    ...out,
    reasons: [...file.reasons],
  }
}

export type WeighedFile = ScoredFile & {
  readonly content: Content
  readonly text: string
  readonly scores: readonly number[]
}

type WeighedFiles = {
  readonly files: readonly WeighedFile[]
  readonly beyond: readonly ScoredFile[]
  readonly stale: readonly string[]
}

type WeighOptions = {
  readonly query: Query
  readonly postingsOf: PostingsOf
  readonly budgetTokens: number
}

async function weighFiles(
  tree: IndexedTree,
  files: readonly ScoredFile[],
  options: WeighOptions,
): Promise<WeighedFiles> {
  const count = depthOf(files, options.budgetTokens)
  const near = files.slice(0, count)
  const [contents, texts] = await Promise.all([
    graphOf(tree).contents(near.map((it) => it.file.content)),
    tree.texts(near.map((it) => it.file.path)),
  ])
  const read = near.flatMap((file) => {
    const content = contents.get(file.file.content)
    const text = texts.get(file.file.path)
    return content === undefined || text === undefined ? [] : [{ ...file, content, text }]
  })
  const rarity = rarityIn(tree.corpus(), options.postingsOf)
  const readPaths = new Set(read.map((it) => it.file.path))
  const scores = await scoreFileSymbols(options.query, read.map(searchable), rarity)
  return {
    files: read.map((it, index) => ({ ...it, scores: scores[index] ?? [] })),
    beyond: files.slice(count),
    stale: near.map((it) => it.file.path).filter((it) => !readPaths.has(it)),
  }
}

/**
 * At least 50 files, then until their texts fill the budget three times; always all named files.
 */
function depthOf(files: readonly ScoredFile[], budgetTokens: number): number {
  let tokens = 0
  let count = 0
  for (const { file, naming } of files) {
    const isEnough = count >= 50 && tokens >= budgetTokens * 3
    if (naming === undefined && (isEnough || count >= MOST_WEIGHED_FILES)) break
    tokens += file.tokens
    count++
  }
  return count
}

function searchable({ file, content, text }: Omit<WeighedFile, "scores">) {
  const { path, tokens } = file
  const isData = tokens > 200_000
  return {
    path,
    text: isData ? "" : text,
    symbols: content.symbols,
    segments: content.segments,
  }
}
