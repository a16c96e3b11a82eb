import { withoutHiddenSigns } from "#ground/base"
import type { TreeGraph } from "#know/map"
import { MOST_LISTED_REACH, MOST_LISTED_TESTS } from "../limits.ts"
import type { ReachedFile, RiskReason, SimulatedFile } from "../receipts/receipt.ts"
import type { RiskPaths } from "../risk-paths.ts"
import { type ChangedTogether, changedTogether } from "./companions.ts"
import { type Reached, type ResolveNames, reachOf } from "./reach.ts"
import { type Evidence, riskOf } from "./risk.ts"
import type { Target } from "./targets.ts"

/** A claim of another session on a file that was asked about. */
export type OpenClaim = { readonly path: string; readonly session: string }

export type SimulateDeps = {
  readonly resolveNames: ResolveNames
  /** Claims of others on some of these files, each under the path that was asked for. */
  claimsOn(paths: readonly string[]): Promise<readonly OpenClaim[]>
  /** Names of a repository may have secrets in them. */
  readonly redact: (text: string) => string
  readonly riskPaths: RiskPaths
}

/** A file that would change, with the hash it has now. */
export type HashedTarget = Target & Pick<SimulatedFile, "blobId">

/** What a change would reach, without a name and a time: the same tree gives the same. */
export type Foreseen = {
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

/** Who leans on some files, which tests reach them, what changed with them, who works on them. */
export async function simulate(
  graph: TreeGraph,
  targets: readonly HashedTarget[],
  deps: SimulateDeps,
): Promise<Foreseen> {
  const { tree } = graph
  const paths = new Set(targets.map((it) => it.path))
  const positions = targets.flatMap((it) => it.position ?? [])
  const { files, own, isCut } = await reachOf(graph, positions, deps.resolveNames)
  const isTest = (it: Reached) => tree.files[it.position]?.fileClass === "test"
  const [tests, reach] = [files.filter(isTest), files.filter((it) => !isTest(it))]
  const changedWith = changedTogether(tree, paths)
  const near = reach.filter((it) => it.hops === 1).map((it) => it.path)
  const claims = await deps.claimsOn([...paths, ...near])
  // A test that would change with the code still reaches it.
  const testing = [...tests, ...own.filter(isTest)]
  const seen = { targets, reach, testing, changedWith, claims, isCut }
  const { ranks } = await graph.whole()
  return {
    reach: reach.slice(0, MOST_LISTED_REACH).map((it) => shown(it, deps.redact)),
    reachCount: reach.length,
    tests: tests.slice(0, MOST_LISTED_TESTS).map((it) => shown(it, deps.redact)),
    testCount: tests.length,
    changedWith,
    claims,
    ...riskOf({
      ...evidenceOf(graph, seen),
      highest: highestOf(targets, ranks),
      riskPath: riskPathOf(targets, deps.riskPaths),
    }),
    notes: notesOf(graph, seen),
  }
}

type Seen = Pick<Foreseen, "changedWith" | "claims"> & {
  readonly targets: readonly HashedTarget[]
  readonly reach: readonly Reached[]
  readonly testing: readonly Reached[]
  readonly isCut: boolean
}

function evidenceOf(
  { tree }: TreeGraph,
  { targets, reach, testing, changedWith, claims }: Seen,
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

/** It is there, and the map does not read it. */
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

function notesOf({ tree }: TreeGraph, { targets, isCut }: Seen): readonly string[] {
  const isMade = targets.filter((it) => it.blobId === null)
  return [
    ...isMade.map((it) => `${it.path} is not there yet, so nothing leans on it`),
    ...targets.filter(isUnseen).map((it) => `the map does not read ${it.path}`),
    ...(isCut ? ["more names or files than are followed: others may lean on it too"] : []),
    ...(tree.historyProblem === undefined
      ? []
      : [`what changed together is not known: ${tree.historyProblem}`]),
  ]
}

function shown(reached: Reached, redact: (text: string) => string): ReachedFile {
  const { path, ways, hops, via, confidence } = reached
  const names = reached.names.map((it) => redact(withoutHiddenSigns(it)))
  return { path, ways, hops, via, confidence, names }
}
