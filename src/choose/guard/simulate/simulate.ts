import { compareText, withoutHiddenCharacters } from "#ground/base"
import type { IndexedTree, TreeGraph } from "#know/map"
import { NothingToSimulate, SimulatedOutside, TooManyToSimulate } from "../errors.ts"
import type { ReachedFile, RiskReason, SimulatedFile } from "../receipts.ts"
import type { RiskPaths } from "../risk-paths.ts"
import { type ReachedPosition, type ResolveNames, reachOf } from "./reach.ts"
import { type Evidence, riskOf } from "./risk.ts"

export const MOST_LISTED_REACH = 200

const MOST_LISTED_TESTS = 100

export type OpenClaim = { readonly path: string; readonly session: string }

type SimulateDeps = {
  readonly resolveNames: ResolveNames
  claimsOn(paths: readonly string[]): Promise<readonly OpenClaim[]>
  /** Names may contain secrets. */
  readonly redact: (text: string) => string
  readonly riskPaths: RiskPaths
}

export type HashedTarget = Target & Pick<SimulatedFile, "blobId">

export type ForeseenReach = {
  readonly reach: readonly ReachedFile[]
  readonly reachCount: number
  readonly tests: readonly ReachedFile[]
  readonly testCount: number
  readonly changedWith: readonly ChangedTogether[]
  readonly claims: readonly OpenClaim[]
  readonly risk: number
  readonly reasons: readonly RiskReason[]
  readonly notes: readonly string[]
}

/** Deterministic: the same tree, history and claims give the same result. */
export async function simulate(
  graph: TreeGraph,
  targets: readonly HashedTarget[],
  deps: SimulateDeps,
): Promise<ForeseenReach> {
  const { tree } = graph
  const paths = new Set(targets.map((it) => it.path))
  const positions = targets.flatMap((it) => it.position ?? [])
  const { files, own, isCut } = await reachOf(graph, positions, deps.resolveNames)
  const isTest = (it: ReachedPosition) => tree.files[it.position]?.fileClass === "test"
  const [tests, reach] = [files.filter(isTest), files.filter((it) => !isTest(it))]
  const changedWith = changedTogether(tree, paths)
  const near = reach.filter((it) => it.hops === 1).map((it) => it.path)
  const claims = await deps.claimsOn([...paths, ...near])
  // A test that changes with the code still covers it.
  const testing = [...tests, ...own.filter(isTest)]
  const evidence = { targets, reach, testing, changedWith, claims, isCut }
  const { ranks } = await graph.whole()
  return {
    reach: reach.slice(0, MOST_LISTED_REACH).map((it) => shown(it, deps.redact)),
    reachCount: reach.length,
    tests: tests.slice(0, MOST_LISTED_TESTS).map((it) => shown(it, deps.redact)),
    testCount: tests.length,
    changedWith,
    claims,
    ...riskOf({
      ...evidenceOf(graph, evidence),
      highest: highestOf(targets, ranks),
      riskPath: riskPathOf(targets, deps.riskPaths),
    }),
    notes: notesOf(graph, evidence),
  }
}

type SimulationFacts = Pick<ForeseenReach, "changedWith" | "claims"> & {
  readonly targets: readonly HashedTarget[]
  readonly reach: readonly ReachedPosition[]
  readonly testing: readonly ReachedPosition[]
  readonly isCut: boolean
}

function evidenceOf(
  { tree }: TreeGraph,
  { targets, reach, testing, changedWith, claims }: SimulationFacts,
): Omit<Evidence, "highest" | "riskPath"> {
  const tested = new Set(testing.flatMap((it) => [...it.roots]))
  const code = targets.flatMap(({ position }) => {
    const file = position === undefined ? undefined : tree.files[position]
    const isCode = file?.language !== undefined && file.fileClass !== "test"
    return isCode && position !== undefined ? [position] : []
  })
  const claimed = claims.filter((it) => targets.some(({ path }) => path === it.path)).length
  return {
    reach,
    code: code.length,
    untested: code.filter((it) => !tested.has(it)).length,
    companions: changedWith,
    claimed,
    claimedNear: claims.length - claimed,
    unseen: targets.filter(isUnseen).length,
  }
}

function isUnseen({ position, blobId }: HashedTarget): boolean {
  return position === undefined && blobId !== null
}

function highestOf(targets: readonly Target[], ranks: Float64Array): Evidence["highest"] {
  const ranked = targets.map(({ path, position }) => ({ path, rank: ranks[position ?? -1] ?? 0 }))
  return ranked.toSorted((a, b) => b.rank - a.rank)[0]
}

function riskPathOf(targets: readonly Target[], riskPaths: RiskPaths): Evidence["riskPath"] {
  for (const { path } of targets) {
    const pattern = riskPaths.patternFor(path)
    if (pattern !== undefined) return { path, pattern }
  }
  return undefined
}

function notesOf({ tree }: TreeGraph, { targets, isCut }: SimulationFacts): readonly string[] {
  const isMade = targets.filter((it) => it.blobId === null)
  return [
    ...isMade.map((it) => `${it.path} does not exist yet, so no file depends on it`),
    ...targets.filter(isUnseen).map((it) => `the map does not parse ${it.path}`),
    ...(isCut ? ["too many names or files to follow; more files may depend on it"] : []),
    ...(tree.historyProblem === undefined
      ? []
      : [`co-changed files are unknown: ${tree.historyProblem}`]),
  ]
}

function shown(reached: ReachedPosition, redact: (text: string) => string): ReachedFile {
  const { path, ways, hops, via, confidence } = reached
  const names = reached.names.map((it) => redact(withoutHiddenCharacters(it)))
  return { path, ways, hops, via, confidence, names }
}

const MOST_COMPANIONS = 10

/** A larger commit is a mass edit and says little about each file; as in the map. */
const MOST_COMMIT_FILES = 20

export type ChangedTogether = {
  readonly path: string
  readonly times: number
  readonly of: number
}

function changedTogether(
  { commits, files }: Pick<IndexedTree, "commits" | "files">,
  paths: ReadonlySet<string>,
): readonly ChangedTogether[] {
  const own = commits.filter(
    (it) => it.files.length <= MOST_COMMIT_FILES && it.files.some((path) => paths.has(path)),
  )
  const counts = new Map<string, number>()
  for (const path of own.flatMap((it) => [...new Set(it.files)])) {
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  const present = new Set(files.map((it) => it.path))
  return [...counts]
    .filter(([path]) => present.has(path) && !paths.has(path))
    .map(([path, times]) => ({ path, times, of: own.length }))
    .toSorted((a, b) => b.times - a.times || compareText(a.path, b.path))
    .slice(0, MOST_COMPANIONS)
}

/** A larger change is too large to review. */
export const MOST_SIMULATED_FILES = 200

type Target = {
  readonly path: string
  readonly position: number | undefined
}

export function targetsOf(
  graph: TreeGraph,
  inputs: readonly string[],
  toRelative: (path: string) => string | undefined,
): readonly Target[] {
  if (inputs.length === 0) throw NothingToSimulate({})
  const positions = inputs.flatMap((written) => {
    const path = toRelative(written)
    if (path === undefined || /^\.\.(?:\/|$)/.test(path)) throw SimulatedOutside({ path: written })
    const below = graph.positionOf(path) === undefined ? filesBelow(graph.tree, path) : []
    return below.length > 0 ? below : [path]
  })
  const paths = [...new Set(positions)].toSorted(compareText)
  const most = MOST_SIMULATED_FILES
  if (paths.length > most) throw TooManyToSimulate({ files: paths.length, most })
  return paths.map((path) => ({ path, position: graph.positionOf(path) }))
}

function filesBelow({ files, unread }: IndexedTree, folder: string): readonly string[] {
  const start = folder === "" || folder === "." ? "" : `${folder.replace(/\/$/, "")}/`
  return [...files, ...unread].map((it) => it.path).filter((path) => path.startsWith(start))
}
