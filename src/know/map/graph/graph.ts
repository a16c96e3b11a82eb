import { createRecentCache, giveOthersATurn, onceUnlessRejected } from "#ground/base"
import type { ImportFact } from "../facts.ts"
import { MOST_CONTENTS_AT_ONCE } from "../limits.ts"
import { LANGUAGES } from "../parse/languages.ts"
import type { Content, IndexedFile, IndexedTree } from "../tree/types.ts"
import { type Edge, rankNodes } from "./page-rank.ts"
import { createSources, type Sources } from "./sources.ts"

const MOST_KEPT_NAMES = 200_000

const MOST_KEPT_FACTS = 500_000

const MOST_KEPT_GRAPHS = 2

export type FollowedImport = ImportFact & { readonly positions: readonly number[] }

export type FileGraph = {
  readonly imports: readonly (readonly FollowedImport[])[]
  readonly importers: readonly (readonly number[])[]
  readonly ranks: Float64Array
}

export type TreeGraph = Lookups & {
  readonly tree: IndexedTree
  positionOf(path: string): number | undefined
  /** Of these files only, without building the whole graph. */
  imports(positions: readonly number[]): Promise<ReadonlyMap<number, readonly FollowedImport[]>>
  whole(): Promise<FileGraph>
}

export type Graphs = ReturnType<typeof createGraphs>

export function createGraphs() {
  const graphs = new Map<string, TreeGraph>()
  return {
    of(tree: IndexedTree): TreeGraph {
      const before = graphs.get(tree.digest)
      const graph = before === undefined ? createTreeGraph(tree) : renewed(before, tree)
      graphs.delete(tree.digest)
      graphs.set(tree.digest, graph)
      const [oldest] = graphs.keys()
      if (graphs.size > MOST_KEPT_GRAPHS && oldest !== undefined) graphs.delete(oldest)
      return graph
    },
  }
}

/** A newer tree has another history, and after a full scan other content numbers. */
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

  async function imports(requested: readonly number[]) {
    const missing = requested.filter((it) => !followed.has(it))
    // Reading the whole tree would evict the working set.
    const read = missing.length > MOST_CONTENTS_AT_ONCE ? tree.contents : lookups.contents
    for (let from = 0; from < missing.length; from += MOST_CONTENTS_AT_ONCE) {
      const some = missing.slice(from, from + MOST_CONTENTS_AT_ONCE)
      const contents = await read([...new Set(some.flatMap((it) => contentAt(tree, it)))])
      for (const position of some) {
        const file = tree.files[position]
        const content = file === undefined ? undefined : contents.get(file.content)
        const followedImports = file === undefined ? [] : await follow(file, content)
        followed.set(position, followedImports)
      }
      await giveOthersATurn()
    }
    return new Map(requested.map((it) => [it, followed.get(it) ?? []]))
  }

  return {
    ...lookups,
    tree,
    positionOf: (path) => positions.get(path),
    imports,
    whole: onceUnlessRejected(async () => {
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
    return content.imports.map((imported) => {
      const paths = resolveImport(imported, path, index).filter((target) => target !== path)
      return { ...imported, positions: paths.flatMap((target) => positionOf(target) ?? []) }
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

/** An import of a package divides its weight among the files. */
function edgesOf(imports: readonly FollowedImport[]): readonly Edge[] {
  const weights = new Map<number, number>()
  for (const { positions } of imports) {
    for (const to of positions) weights.set(to, (weights.get(to) ?? 0) + 1 / positions.length)
  }
  return [...weights].map(([to, weight]) => ({ to, weight }))
}

type Lookups = {
  positionsWith(content: number): readonly number[]
  contents(numbers: readonly number[]): Promise<ReadonlyMap<number, Content>>
  definers(names: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>>
}

function createLookups(tree: IndexedTree): Lookups {
  const byContent = Map.groupBy(tree.files.keys(), (it) => tree.files[it]?.content ?? -1)
  const positionsWith = (content: number) => byContent.get(content) ?? []
  const positionsOf = (contents: readonly number[]): ReadonlySet<number> =>
    new Set(contents.flatMap(positionsWith).toSorted((a, b) => a - b))
  return {
    positionsWith,
    contents: remembering((it) => tree.contents(it), {
      maxSize: MOST_KEPT_FACTS,
      sizeOf: ({ symbols, references }) => 1 + symbols.length + references.length,
    }),
    definers: remembering(
      async (names) => {
        const contentsByName = await tree.definers(names)
        return new Map([...contentsByName].map(([name, contents]) => [name, positionsOf(contents)]))
      },
      { maxSize: MOST_KEPT_NAMES, sizeOf: (positions) => 1 + positions.size },
    ),
  }
}

type ReadMany<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

function remembering<Key extends string | number, Value extends object>(
  ask: ReadMany<Key, Value>,
  bounds: { maxSize: number; sizeOf(value: Value): number },
): ReadMany<Key, Value> {
  const recent = createRecentCache<Key, Value>(bounds)
  return async (keys) => {
    const values = new Map<Key, Value>()
    const missing: Key[] = []
    for (const key of new Set(keys)) {
      const value = recent.get(key)
      if (value === undefined) missing.push(key)
      else values.set(key, value)
    }
    if (missing.length === 0) return values
    for (const [key, value] of await ask(missing)) {
      recent.set(key, value)
      values.set(key, value)
    }
    return values
  }
}
