import { compareText } from "#ground/base"
import { DEEPEST_WALKED_LEVELS } from "../limits.ts"
import type { GitProgram } from "./ask.ts"
import { readTrees, type Trees } from "./objects.ts"
import { type DifferingEntry, differingEntries } from "./parse.ts"

/** Changed folders of one level over all commits of a round: some megabytes of memory. */
const MOST_OPEN_FOLDERS = 500_000

/** Two trees of some kilobytes each, in one response. */
const PAIRS_A_ROUND = 8_192

export type Change =
  | { readonly kind: "added" | "modified" | "deleted"; readonly path: string }
  | { readonly kind: "renamed"; readonly path: string; readonly from: string }

export type TreePair = {
  readonly before: string | undefined
  readonly after: string | undefined
}

/**
 * Undefined for a pair with more than `maxChanges` different files, or with unreadable trees. Git's
 * own comparison holds a whole commit in memory before it prints: a hostile tree of 70 equal
 * entries took 2.6 GB in 8 seconds. Here trees are read level by level, for all pairs together, and
 * equal trees are not read.
 */
export async function compareTrees(
  program: GitProgram,
  pairs: readonly TreePair[],
  limits: { readonly maxChanges: number },
): Promise<readonly (readonly Change[] | undefined)[]> {
  const changes = pairs.map((): PairChanges => ({ files: [], pending: 0, isGivenUp: false }))
  let open: readonly OpenPair[] = pairs.map((pair, at) => ({ ...pair, at, path: "" }))
  for (let level = 0; open.length > 0; level++) {
    const below: OpenPair[] = []
    for await (const { pair, differing } of compareLevel(program, open)) {
      const of = changes[pair.at]
      if (of === undefined || of.isGivenUp) continue
      const size = of.files.length + of.pending + (differing?.length ?? 0)
      of.isGivenUp = size > limits.maxChanges || below.length > MOST_OPEN_FOLDERS
      of.isGivenUp ||= differing === undefined || level > DEEPEST_WALKED_LEVELS
      if (of.isGivenUp) continue
      for (const entry of differing ?? []) sortIn(entry, { pair, of, below })
    }
    open = below.filter((it) => changes[it.at]?.isGivenUp === false)
  }
  return changes.map((it) => (it.isGivenUp ? undefined : changesOf(it.files)))
}

type OpenPair = TreePair & { readonly at: number; readonly path: string }
type File = {
  readonly path: string
  readonly was: string | undefined
  readonly is: string | undefined
}
type PairChanges = { readonly files: File[]; pending: number; isGivenUp: boolean }

type TreeComparison = {
  readonly pair: OpenPair
  readonly differing: readonly DifferingEntry[] | undefined
}

async function* compareLevel(
  program: GitProgram,
  open: readonly OpenPair[],
): AsyncGenerator<TreeComparison> {
  for (let at = 0; at < open.length; ) {
    const round = open.slice(at, at + PAIRS_A_ROUND)
    // The newer tree first: it is the older one of the previous pair.
    const needed = round.flatMap((it) => [it.after, it.before]).filter((it) => it !== undefined)
    const trees = await readTrees(program, [...new Set(needed)])
    const cut = round.findIndex((it) => !isReached(it, trees))
    const reached = cut === -1 ? round : round.slice(0, cut)
    for (const pair of reached) yield { pair, differing: compared(pair, trees) }
    const [first] = round
    // A pair that does not fit into one response is not read.
    if (reached.length === 0 && first !== undefined) yield { pair: first, differing: undefined }
    at += Math.max(1, reached.length)
  }
}

function isReached({ before, after }: TreePair, trees: Trees): boolean {
  return [before, after].every((it) => it === undefined || trees.has(it))
}

function compared({ before, after }: TreePair, trees: Trees) {
  const was = before === undefined ? NO_TREE : trees.get(before)
  const is = after === undefined ? NO_TREE : trees.get(after)
  const idBytes = (before ?? after ?? "").length / 2
  return was === undefined || is === undefined ? undefined : differingEntries(was, is, idBytes)
}

const NO_TREE = Buffer.alloc(0)

function sortIn(
  { name, isFolder, was, is }: DifferingEntry,
  to: { readonly pair: OpenPair; readonly of: PairChanges; readonly below: OpenPair[] },
): void {
  if (name === undefined) return
  const { pair, of, below } = to
  const path = pair.path === "" ? name : `${pair.path}/${name}`
  if (!isFolder) return void of.files.push({ path, was, is })
  of.pending++
  below.push({ before: was, after: is, at: pair.at, path })
}

function changesOf(files: readonly File[]): readonly Change[] {
  const sorted = withoutTwins(files.toSorted((a, b) => compareText(a.path, b.path)))
  const gone = goneById(sorted)
  const renamedFrom = new Set<string>()
  const changes = sorted.flatMap(({ path, was, is }): Change[] => {
    if (is === undefined) return [{ kind: "deleted", path }]
    if (was !== undefined) return [{ kind: "modified", path }]
    const from = takeNearest(gone.get(is) ?? [], path)
    if (from === undefined) return [{ kind: "added", path }]
    renamedFrom.add(from)
    return [{ kind: "renamed", path, from }]
  })
  return changes.filter((it) => it.kind !== "deleted" || !renamedFrom.has(it.path))
}

/** A damaged tree may contain a name twice. */
function withoutTwins(sorted: readonly File[]): readonly File[] {
  return sorted.filter((it, at) => it.path !== sorted[at - 1]?.path)
}

/** Deleted paths by content. Empty files are all equal, so they are left out. */
function goneById(files: readonly File[]): ReadonlyMap<string, string[]> {
  const paths = new Map<string, string[]>()
  for (const { path, was, is } of files) {
    if (was === undefined || is !== undefined || EMPTY_BLOBS.has(was)) continue
    paths.set(was, [...(paths.get(was) ?? []), path])
  }
  return paths
}

/** Prefers the same file name; each candidate is used once. */
function takeNearest(candidates: string[], path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const same = candidates.findIndex((it) => it.endsWith(`/${name}`) || it === name)
  return candidates.splice(Math.max(0, same), 1)[0]
}

const EMPTY_BLOBS: ReadonlySet<string> = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
])
