import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { z } from "zod"
import { openBench } from "#choose/proof"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { createTokens } from "#ground/tokens"
import {
  calledFrom,
  commitTree,
  createGraphs,
  type IndexedTree,
  resolveNames,
  type TreeGraph,
} from "#know/map"
import { type Bench, type BenchContext, makeRow, type Row } from "./frame.ts"

/** A call or an import, and what a person found it to mean: `path:line`, a path, or nothing. */
const Edge = z.object({
  family: z.string(),
  repo: z.string(),
  commit: z.string(),
  kind: z.enum(["call", "import"]),
  path: z.string(),
  line: z.int().positive(),
  name: z.string(),
  targets: z.array(z.string()),
})
type Edge = z.infer<typeof Edge>

/** Precision and recall of the version that the edges were first compared with. */
const FIRST: Readonly<Record<string, readonly [number, number]>> = {
  ecmascript: [0.936, 0.875],
  python: [0.889, 0.941],
  go: [0.627, 0.917],
  jvm: [0.514, 0.862],
  rust: [0.703, 0.684],
  all: [0.699, 0.854],
}

export const bench: Bench = {
  name: "edges",
  about:
    "precision and recall of the map on hand-checked calls and imports (bench/map/edges.jsonl; --data is the folder of the repositories)",
  async run(context) {
    if (context.data === undefined) {
      context.note("edges need --data, a folder of git repositories (bench/README.md)")
      return []
    }
    const edges = readFileSync(path.join(context.root, "bench/map/edges.jsonl"), "utf8")
      .split("\n")
      .filter((it) => it !== "")
      .map((it) => Edge.parse(JSON.parse(it)))
    const counts = new Map<string, Counts>()
    for (const [repo, ofRepo] of Map.groupBy(edges, (it) => it.repo)) {
      const folder = repositoryIn(context.data, repo)
      if (folder === undefined) context.note(`${repo} is missing`)
      else await compare(folder, ofRepo, { counts, context })
    }
    return [...counts].flatMap(([family, it]) => rowsOf(family, it))
  },
}

function repositoryIn(folder: string, repo: string): string | undefined {
  const name = repo.replace("/", "+")
  return [repo, name, `${name}/repo`].map((it) => path.join(folder, it)).find(isRepository)
}

function isRepository(folder: string): boolean {
  return existsSync(path.join(folder, ".git")) || existsSync(path.join(folder, "objects"))
}

type Counts = { edges: number; targets: number; right: number; inside: number; matched: number }

async function compare(
  folder: string,
  edges: readonly Edge[],
  { counts, context }: { readonly counts: Map<string, Counts>; readonly context: BenchContext },
): Promise<void> {
  const { signal } = new AbortController()
  const deps = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    environment: { PATH: process.env["PATH"] },
    counter: createTokens({ encoding: "claude" }).counter,
  }
  await using opened = await openBench(folder, deps, signal)
  if ("problem" in opened.git) return context.note(`${folder}: ${opened.git.problem}`)
  await using fresh = await opened.freshIndex()
  const commit = edges[0]?.commit ?? ""
  const source = commitTree({ git: opened.git, commit })
  const { tree } = await fresh.index.scan(source, { mode: "full", signal })
  const graph = createGraphs().of(tree)
  for (const edge of edges) {
    const targets = new Set(await resolvedBy(graph, edge))
    const isRight = (it: string) =>
      edge.targets.some((one) => it === one || it.startsWith(`${one}:`))
    const right = [...targets].filter(isRight).length
    for (const family of [edge.family, "all"]) {
      const sum = counts.get(family) ?? { edges: 0, targets: 0, right: 0, inside: 0, matched: 0 }
      counts.set(family, sum)
      sum.edges++
      sum.targets += targets.size
      sum.right += right
      if (edge.targets.length > 0) sum.inside++
      if (right > 0) sum.matched++
    }
  }
}

async function resolvedBy(graph: TreeGraph, edge: Edge): Promise<readonly string[]> {
  const { tree } = graph
  const from = graph.positionOf(edge.path)
  if (from === undefined) return []
  if (edge.kind === "import") {
    const imports = (await graph.imports([from])).get(from) ?? []
    return imports
      .filter((it) => it.specifier === edge.name || it.line === edge.line)
      .flatMap((it) => it.positions.flatMap((to) => tree.files[to]?.path ?? []))
  }
  const content = await contentAt(tree, from)
  const isUse = content?.references.some((it) => it.name === edge.name && it.line === edge.line)
  if (content === undefined || isUse !== true) return []
  const around = content.symbols.findLastIndex(
    (it) => it.fromLine <= edge.line && edge.line <= it.toLine,
  )
  const ends =
    around < 0
      ? ((await resolveNames(graph, new Map([[from, [edge.name]]]))).get(from)?.get(edge.name) ??
        [])
      : (await calledFrom(graph, { position: from, symbol: around }, 1)).links.map((it) => it.end)
  const places: string[] = []
  for (const { position, symbol } of ends) {
    const target = (await contentAt(tree, position))?.symbols[symbol ?? -1]
    if (target?.name !== edge.name) continue
    places.push(`${tree.files[position]?.path}:${target.fromLine}`)
  }
  return places
}

async function contentAt(tree: IndexedTree, position: number) {
  const number = tree.files[position]?.content ?? -1
  return (await tree.contents([number])).get(number)
}

function rowsOf(
  family: string,
  { edges, targets, right, inside, matched }: Counts,
): readonly Row[] {
  const [precision = 0, recall = 0] = FIRST[family] ?? []
  const row = (what: string, measured: number, floor: number) =>
    makeRow({
      what: `${family}: ${what}`,
      measured,
      unit: "",
      against: "first comparison",
      floor,
      bar: { words: "not lower", holds: (value, least) => value >= least - 0.0005 },
    })
  return [
    row(
      `precision of ${targets} targets on ${edges} edges`,
      right / Math.max(1, targets),
      precision,
    ),
    row(`recall of ${inside} edges`, matched / Math.max(1, inside), recall),
  ]
}
