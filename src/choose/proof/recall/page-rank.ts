/** With a damping of 0.85, later rounds change less than 0.001. */
const MOST_RANK_ROUNDS = 40

export type FileNames = {
  readonly defines: readonly string[]
  readonly uses: ReadonlyMap<string, number>
}

/**
 * Baseline: files that define what others use rank first. Words of the task count as names and in
 * paths. No file counts as open.
 */
export function rankByLeaning(
  files: readonly (FileNames & { readonly path: string })[],
  task: string,
): readonly number[] {
  const words = new Set(task.match(/\w+/g))
  const edges = edgesOf(files, words)
  const mentioned = Float64Array.from(files, ({ path }) => (isMentioned(path, words) ? 1 : 0))
  const ranks = settle(edges, mentioned)
  return [...files.keys()].toSorted((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b)
}

const LOUD = 10
const QUIET = 0.1
const COMMON_DEFINERS = 5
const SHORTEST_TELLING_NAME = 8

type Edge = { readonly from: number; readonly to: number; readonly weight: number }

function edgesOf(files: readonly FileNames[], words: ReadonlySet<string>): readonly Edge[] {
  const definers = new Map<string, number[]>()
  for (const [position, { defines }] of files.entries()) {
    for (const name of new Set(defines)) {
      const positions = definers.get(name)
      if (positions === undefined) definers.set(name, [position])
      else positions.push(position)
    }
  }
  const edges: Edge[] = []
  for (const [from, { uses }] of files.entries()) {
    for (const [name, times] of uses) {
      const targets = definers.get(name) ?? []
      const weight = loudness(name, targets.length, words) * Math.sqrt(times)
      edges.push(...targets.filter((to) => to !== from).map((to) => ({ from, to, weight })))
    }
  }
  return edges
}

function loudness(name: string, definerCount: number, words: ReadonlySet<string>): number {
  const isCompound = /_|-|[a-z][A-Z]/.test(name) && name.length >= SHORTEST_TELLING_NAME
  return (
    (words.has(name) ? LOUD : 1) *
    (isCompound ? LOUD : 1) *
    (name.startsWith("_") ? QUIET : 1) *
    (definerCount > COMMON_DEFINERS ? QUIET : 1)
  )
}

function isMentioned(path: string, words: ReadonlySet<string>): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return [...path.split("/"), name.split(".")[0] ?? ""].some((part) => words.has(part))
}

function settle(edges: readonly Edge[], mentioned: Float64Array): Float64Array {
  const size = mentioned.length
  const total = mentioned.reduce((sum, it) => sum + it, 0)
  const start = mentioned.map((it) => (total === 0 ? 1 / size : it / total))
  const leaning = new Float64Array(size)
  for (const { from, weight } of edges) leaning[from] = (leaning[from] ?? 0) + weight
  let ranks = start
  for (let round = 0; round < MOST_RANK_ROUNDS; round++) {
    const next = new Float64Array(size)
    for (const { from, to, weight } of edges) {
      const share = (weight / (leaning[from] ?? 1)) * (ranks[from] ?? 0)
      next[to] = (next[to] ?? 0) + DAMPING * share
    }
    const nextSum = next.reduce((sum, it) => sum + it, 0)
    const before = ranks
    ranks = next.map((it, position) => it + (1 - nextSum) * (start[position] ?? 0))
    if (distance(ranks, before) < SETTLED) break
  }
  return ranks
}

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, it, position) => sum + Math.abs(it - (b[position] ?? 0)), 0)
}

const DAMPING = 0.85
const SETTLED = 1e-6
