import { giveOthersATurn } from "#ground/base"
import type { ImportFact } from "../facts.ts"
import { LANGUAGES } from "../languages.ts"
import { MOST_CONTENTS_AT_ONCE, MOST_KEPT_GRAPHS } from "../limits.ts"
import type { Content, IndexedFile, IndexedTree } from "../tree/types.ts"
import { createLookups, type Lookups } from "./lookups.ts"
import { once } from "./once.ts"
import { type Edge, rankNodes } from "./page-rank.ts"
import { createSources, type Sources } from "./sources.ts"

/** An import, and the files of the tree it leads to, by their positions. */
export type FollowedImport = ImportFact & { readonly positions: readonly number[] }

/** All imports of a tree. Everything is by position. */
export type FileGraph = {
  readonly imports: readonly (readonly FollowedImport[])[]
  readonly importers: readonly (readonly number[])[]
  /** How much the rest leans on a file; 1 for the most leant on. */
  readonly ranks: Float64Array
}

/** How the files of one tree hang together. */
export type TreeGraph = Lookups & {
  readonly tree: IndexedTree
  positionOf(path: string): number | undefined
  /** Of these files alone: for questions that cannot wait for the whole. */
  imports(positions: readonly number[]): Promise<ReadonlyMap<number, readonly FollowedImport[]>>
  /** Made at the first call, then kept. */
  whole(): Promise<FileGraph>
}

export type Graphs = ReturnType<typeof createGraphs>

/** Graphs of the last trees that were asked for; trees of equal files share what was made. */
export function createGraphs() {
  const kept = new Map<string, TreeGraph>()
  return {
    of(tree: IndexedTree): TreeGraph {
      const before = kept.get(tree.digest)
      const graph = before === undefined ? createTreeGraph(tree) : renewed(before, tree)
      kept.delete(tree.digest)
      kept.set(tree.digest, graph)
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT_GRAPHS && oldest !== undefined) kept.delete(oldest)
      return graph
    },
  }
}

/** A later look has another past, and after a full scan its contents have other numbers. */
function renewed(before: TreeGraph, tree: IndexedTree): TreeGraph {
  if (before.tree === tree) return before
  const { files } = before.tree
  const isSame =
    files.length === tree.files.length &&
    files.every((it, position) => it.content === tree.files[position]?.content)
  return isSame ? { ...before, tree } : createTreeGraph(tree)
}

function createTreeGraph(tree: IndexedTree): TreeGraph {
  const positions = new Map(tree.files.map((it, position) => [it.path, position]))
  const lookups = createLookups(tree)
  const follow = createFollower(createSources(tree), (path) => positions.get(path))
  const followed = new Map<number, readonly FollowedImport[]>()

  async function imports(asked: readonly number[]) {
    const missing = asked.filter((it) => !followed.has(it))
    // The whole tree would push out what somebody works with.
    const read = missing.length > MOST_CONTENTS_AT_ONCE ? tree.contents : lookups.contents
    for (let from = 0; from < missing.length; from += MOST_CONTENTS_AT_ONCE) {
      const some = missing.slice(from, from + MOST_CONTENTS_AT_ONCE)
      const contents = await read([...new Set(some.flatMap((it) => contentAt(tree, it)))])
      for (const position of some) {
        const file = tree.files[position]
        const content = file === undefined ? undefined : contents.get(file.content)
        const found = file === undefined ? [] : await follow(file, content)
        followed.set(position, found)
      }
      await giveOthersATurn()
    }
    return new Map(asked.map((it) => [it, followed.get(it) ?? []]))
  }

  return {
    ...lookups,
    tree,
    positionOf: (path) => positions.get(path),
    imports,
    whole: once(async () => {
      const all = await imports([...tree.files.keys()])
      return wholeOf(tree.files.map((_, position) => all.get(position) ?? []))
    }),
  }
}

function contentAt(tree: IndexedTree, position: number): readonly number[] {
  const file = tree.files[position]
  return file === undefined || file.importCount === 0 ? [] : [file.content]
}

function createFollower(sources: Sources, positionOf: TreeGraph["positionOf"]) {
  return async (
    { path }: IndexedFile,
    content: Content | undefined,
  ): Promise<readonly FollowedImport[]> => {
    if (content?.language === undefined || content.imports.length === 0) return []
    const index = await sources(content.language)
    const { resolveImport } = LANGUAGES[content.language]
    return content.imports.map((it) => {
      const paths = resolveImport(it, path, index).filter((found) => found !== path)
      return { ...it, positions: paths.flatMap((found) => positionOf(found) ?? []) }
    })
  }
}

function wholeOf(imports: readonly (readonly FollowedImport[])[]): FileGraph {
  const importers: Set<number>[] = imports.map(() => new Set())
  for (const [from, own] of imports.entries()) {
    for (const to of own.flatMap((it) => it.positions)) importers[to]?.add(from)
  }
  return {
    imports,
    importers: importers.map((it) => [...it]),
    ranks: rankNodes(imports.map(edgesOf)),
  }
}

/** An import of a package of many files leans on each of them a little. */
function edgesOf(imports: readonly FollowedImport[]): readonly Edge[] {
  const weights = new Map<number, number>()
  for (const { positions } of imports) {
    for (const to of positions) weights.set(to, (weights.get(to) ?? 0) + 1 / positions.length)
  }
  return [...weights].map(([to, weight]) => ({ to, weight }))
}
