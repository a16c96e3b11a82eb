import type { Config, PackLeft, TaskAnalysis } from "#ground/contract"
import type { IndexedFile, IndexedTree } from "#know/map"
import type { LiftWeights, Meaning, Ranker } from "#know/search"
import { analyzeTask } from "./analyze/analyze.ts"
import { readDomains } from "./analyze/domains.ts"
import { TargetDenied } from "./errors.ts"
import { denialOf, droppedFile, type FilterRules, filterFiles } from "./filter.ts"
import { gather, type Signals } from "./gather.ts"
import { type PathFinder, pathFinderOf } from "./resolve.ts"
import { denyRule, roleRule } from "./roles.ts"
import { type ScoredFile, scoreFiles } from "./score.ts"
import { type Weighed, weighFiles } from "./weigh.ts"

export type PackRequest = {
  readonly task: string
  /** The largest budget it will be fitted into. */
  readonly budgetTokens: number
  readonly role?: string | undefined
  readonly domain?: string | undefined
  /** Paths as the person gave them. */
  readonly targets?: readonly string[]
  readonly dropped?: readonly string[]
  readonly settings: Config["pack"]
}

export type PrepareDeps = {
  readonly ranker: Ranker
  /** Only where the table of words is switched on. */
  readonly meaning?: Meaning | undefined
  /** Why there is none, where it is switched on. */
  readonly meaningProblem?: string | undefined
  readonly lift?: LiftWeights | undefined
  /** A path as a person gave it, from the root; undefined outside of the repository. */
  place(path: string): string | undefined
}

/** All that is known before anything is fitted into a budget. */
export type Prepared = {
  readonly analysis: TaskAnalysis
  readonly signals: Signals
  readonly weighed: Weighed
  /** All that were scored, those that stay out too. */
  readonly scored: readonly ScoredFile[]
  readonly left: readonly PackLeft[]
  readonly rules: FilterRules
  /** A path of the tree for one that a person gave; undefined where it names nothing. */
  pathOf(given: string): string | undefined
}

/** The first four steps: analyze, gather, score, filter; then the best files are read and weighed. */
export async function prepare(
  tree: IndexedTree,
  request: PackRequest,
  deps: PrepareDeps,
): Promise<Prepared> {
  const { task, settings, budgetTokens } = request
  const analysis = analyzeTask(task, {
    domains: readDomains(settings.domains),
    domain: request.domain,
  })
  const finder = pathFinderOf(tree)
  const pathOf = (given: string) => finder.locate(given, deps.place)?.path
  const rules = rulesOf(request, pathOf)
  const targets = request.targets?.map((given) => {
    const denial = denialOf(given, { isAllowed: () => true, isDenied: rules.isDenied })
    if (denial !== undefined) throw TargetDenied({ path: given, reason: denial })
    return finder.demand(given, deps.place)
  })
  const found = await gather(tree, { ...deps, task, analysis, finder, targets: unique(targets) })
  const scored = scoreFiles(found.files, settings)
  const { kept, left } = filterFiles(scored, rules)
  const unscored = droppedUnscored(scored, rules, finder)
  const weighed = await weighFiles(tree, kept, { ...found, budgetTokens })
  return {
    analysis,
    signals: found.signals,
    weighed,
    scored,
    left: [...left, ...unscored],
    rules,
    pathOf,
  }
}

/** Who dropped a file finds it among those that stayed out, also where nothing speaks for it. */
function droppedUnscored(
  scored: readonly ScoredFile[],
  { dropped }: FilterRules,
  finder: PathFinder,
): readonly PackLeft[] {
  const known = new Set(scored.map((it) => it.file.path))
  const unknown = [...dropped].filter((it) => !known.has(it))
  return unknown.flatMap((path) => finder.find(path) ?? []).map(droppedFile)
}

function rulesOf(
  { settings, role, dropped = [] }: PackRequest,
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
