import type { LinkConfidence, PackDependency } from "#ground/contract"
import {
  type Content,
  type IndexedFile,
  type IndexedTree,
  resolveNames,
  type TreeGraph,
} from "#know/map"
import { cachePerTree, graphOf } from "../rank/per-tree-cache.ts"

export type SentLines = {
  readonly file: IndexedFile
  readonly content: Content
  readonly ranges: readonly { readonly fromLine: number; readonly toLine: number }[]
}

export type Edge = {
  readonly from: string
  readonly to: IndexedFile
  readonly names: readonly string[]
  readonly confidence: LinkConfidence
}

export async function followNames(
  tree: IndexedTree,
  sent: readonly SentLines[],
): Promise<readonly Edge[]> {
  const graph = graphOf(tree)
  const meanings = await resolveNames(graph, namesToFollow(graph, sent))
  return [...meanings].flatMap(([position, meantByName]) => {
    const from = tree.files[position]?.path ?? ""
    const edges = new Map<number, Edge & { readonly names: string[] }>()
    for (const [name, candidates] of meantByName) {
      const [best] = candidates
      const to = tree.files[best?.position ?? -1]
      if (best === undefined || to === undefined || best.confidence === "ambiguous") continue
      const edge = edges.get(best.position)
      if (edge !== undefined) edge.names.push(name)
      else edges.set(best.position, { from, to, names: [name], confidence: best.confidence })
    }
    return [...edges.values()]
  })
}

function namesToFollow(
  graph: TreeGraph,
  sent: readonly SentLines[],
): ReadonlyMap<number, readonly string[]> {
  const namesByPosition = new Map<number, readonly string[]>()
  let room = 400
  for (const file of sent) {
    const position = graph.positionOf(file.file.path)
    const names = namesUsed(file).slice(0, room)
    if (position === undefined || names.length === 0) continue
    namesByPosition.set(position, names)
    room -= names.length
  }
  return namesByPosition
}

function namesUsed({ content, ranges }: SentLines): readonly string[] {
  const own = new Set(content.symbols.map((it) => it.name))
  const names = new Set<string>()
  for (const { name, line } of content.references) {
    if (own.has(name) || names.has(name)) continue
    if (ranges.some((it) => line >= it.fromLine && line <= it.toLine)) names.add(name)
  }
  return [...names]
}

export type ClosureFile = { readonly file: IndexedFile; readonly names: readonly string[] }

export function closureFiles(
  tree: IndexedTree,
  edges: readonly Edge[],
  sent: readonly SentLines[],
): readonly ClosureFile[] {
  const inside = new Set(sent.map((it) => it.file.path))
  const byPath = new Map<string, { file: IndexedFile; names: Set<string>; weight: number }>()
  for (const { to, names, confidence } of edges) {
    if (inside.has(to.path)) continue
    const entry = byPath.get(to.path) ?? { file: to, names: new Set<string>(), weight: 0 }
    byPath.set(to.path, entry)
    for (const name of names) entry.names.add(name)
    entry.weight += CONFIDENCE_WEIGHT[confidence] * names.length
  }
  const leantUpon = [...byPath.values()].toSorted(
    (a, b) => b.weight - a.weight || (a.file.path < b.file.path ? -1 : 1),
  )
  const tests = nearestTests(tree, sent).filter((it) => !inside.has(it.path))
  return [
    ...leantUpon.map((it) => ({
      file: it.file,
      names: [...it.names].slice(0, 8),
    })),
    ...tests.map((file) => ({ file, names: [] })),
  ].slice(0, 20)
}

const CONFIDENCE_WEIGHT: Readonly<Record<LinkConfidence, number>> = {
  import: 1,
  package: 0.6,
  unique: 0.4,
  ambiguous: 0,
}

/** `bill.ts` has `bill.test.ts`, `test_bill.py`, `BillTest.java`; the nearest one wins. */
function nearestTests(tree: IndexedTree, sent: readonly SentLines[]): readonly IndexedFile[] {
  const byStem = testsByStem(tree)
  const tests = sent
    .filter((it) => it.file.fileClass !== "test")
    .flatMap(({ file }) => {
      const named = byStem.get(stemOf(file.path)) ?? []
      return named.toSorted((a, b) => near(b.path, file.path) - near(a.path, file.path))[0] ?? []
    })
  return [...new Set(tests)]
}

const testsByStem = cachePerTree(({ files }: IndexedTree) =>
  Map.groupBy(
    files.filter((it) => it.fileClass === "test"),
    (it) => stemOf(it.path),
  ),
)

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const base = name.replace(/(?:\.[a-z0-9]{1,5}){1,2}$/, (ending) =>
    /^\.(?:test|spec)\./.test(ending) ? "" : ending.replace(/\.[a-z0-9]{1,5}$/, ""),
  )
  return base.replace(/^test_?|_?(?:tests?|spec)$/g, "")
}

function near(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")]
  let shared = 0
  while (shared < left.length - 1 && left[shared] === right[shared]) shared++
  return shared
}

export function dependenciesIn(
  edges: readonly Edge[],
  paths: ReadonlySet<string>,
): readonly PackDependency[] {
  return edges
    .filter((it) => paths.has(it.from) && paths.has(it.to.path))
    .slice(0, 100)
    .map(({ from, to, names }) => ({ from, to: to.path, names: names.slice(0, 8) }))
}
