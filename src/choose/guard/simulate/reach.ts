import { compareText } from "#ground/base"
import type { LinkConfidence } from "#ground/contract"
import type { Content, resolveNames, TreeGraph } from "#know/map"
import type { ReachedFile } from "../receipts.ts"

export const MOST_FOLLOWED_NAMES = 1_000

/** Each costs about 2 ms. */
export const MOST_REFERRING_FILES = 300

const MOST_LISTED_NAMES = 5

/** Injected, because the map needs packages and hooks load this room without any. */
export type ResolveNames = typeof resolveNames

export type ReachedPosition = ReachedFile & {
  readonly position: number
  readonly roots: ReadonlySet<number>
}

type Reach = {
  readonly files: readonly ReachedPosition[]
  readonly own: readonly ReachedPosition[]
  readonly isCut: boolean
}

export async function reachOf(
  graph: TreeGraph,
  starts: readonly number[],
  resolve: ResolveNames,
): Promise<Reach> {
  const own = await symbolsOf(graph, starts)
  const near = await stepFrom(graph, { starts, wanted: own, resolve })
  const far = await stepFrom(graph, {
    starts: [...near.steps.keys()],
    wanted: near.users,
    resolve,
  })
  const reachedByPosition = new Map<number, ReachedPosition>()
  for (const [position, step] of near.steps) {
    reachedByPosition.set(
      position,
      reached(graph, position, { ...step, hops: 1, roots: step.froms }),
    )
  }
  for (const [position, step] of far.steps) {
    const before = near.steps.get(step.from)
    const roots = new Set([...step.froms].flatMap((it) => [...(near.steps.get(it)?.froms ?? [])]))
    const earlier = reachedByPosition.get(position)
    if (earlier !== undefined)
      reachedByPosition.set(position, { ...earlier, roots: earlier.roots.union(roots) })
    if (earlier !== undefined || before === undefined) continue
    const confidence = weaker(before.confidence, step.confidence)
    reachedByPosition.set(
      position,
      reached(graph, position, { ...step, confidence, hops: 2, roots }),
    )
  }
  const all = [...reachedByPosition.values()].toSorted(bySureness)
  const isOwn = (it: ReachedPosition) => starts.includes(it.position)
  return {
    files: all.filter((it) => !isOwn(it)),
    own: all.filter(isOwn),
    isCut: near.isCut || far.isCut,
  }
}

type WantedSymbols = ReadonlyMap<number, ReadonlyMap<string, ReadonlySet<number>>>

type Step = {
  /** The file it depends on; of several, the one with the highest confidence. */
  readonly from: number
  readonly froms: ReadonlySet<number>
  readonly confidence: LinkConfidence
  readonly ways: ReadonlySet<"imports" | "calls">
  readonly names: ReadonlySet<string>
}

type ReachStep = {
  readonly starts: readonly number[]
  readonly wanted: WantedSymbols
  readonly resolve: ResolveNames
}

async function stepFrom(graph: TreeGraph, { starts, wanted: symbols, resolve }: ReachStep) {
  const { importers } = await graph.whole()
  const steps = new Map<number, Step>()
  for (const from of starts) {
    for (const position of importers[from] ?? []) {
      add(steps, position, { from, confidence: "import", way: "imports" })
    }
  }
  const { uses, isCut } = await usesOf(graph, symbols, resolve)
  for (const { position, from, name, confidence } of uses) {
    if (position !== from) add(steps, position, { from, confidence, way: "calls", name })
  }
  return { steps, users: await usersIn(graph, uses), isCut }
}

type Link = {
  readonly from: number
  readonly confidence: LinkConfidence
  readonly way: "imports" | "calls"
  readonly name?: string
}

function add(steps: Map<number, Step>, position: number, link: Link): void {
  const before = steps.get(position)
  const isSurer = before === undefined || SURENESS[link.confidence] > SURENESS[before.confidence]
  const { from, confidence } = isSurer ? link : before
  const names = link.name === undefined ? [] : [link.name]
  steps.set(position, {
    from,
    froms: new Set([...(before?.froms ?? []), link.from]),
    confidence,
    ways: new Set([...(before?.ways ?? []), link.way]),
    names: new Set([...(before?.names ?? []), ...names]),
  })
}

type Use = {
  readonly position: number
  readonly from: number
  readonly name: string
  readonly confidence: LinkConfidence
}

async function usesOf(graph: TreeGraph, symbols: WantedSymbols, resolve: ResolveNames) {
  const all = [...new Set([...symbols.values()].flatMap((it) => [...it.keys()]))]
  const names = all.slice(0, MOST_FOLLOWED_NAMES)
  const referrers = await graph.tree.referrers(names)
  const namesByPosition = new Map<number, string[]>()
  for (const [name, contents] of referrers) {
    for (const position of contents.flatMap((it) => graph.positionsWith(it))) {
      namesByPosition.set(position, [...(namesByPosition.get(position) ?? []), name])
    }
  }
  const positions = await likeliestFirst(graph, [...symbols.keys()], [...namesByPosition.keys()])
  const searchedPositions = positions.slice(0, MOST_REFERRING_FILES).toSorted((a, b) => a - b)
  const meanings = await resolve(
    graph,
    new Map(searchedPositions.map((it) => [it, namesByPosition.get(it) ?? []])),
  )
  const uses: Use[] = []
  for (const [position, meantByName] of meanings) {
    for (const [name, candidates] of meantByName) {
      const [meaning] = candidates.filter((it) =>
        symbols.get(it.position)?.get(name)?.has(it.symbol),
      )
      if (meaning === undefined) continue
      uses.push({ position, from: meaning.position, name, confidence: meaning.confidence })
    }
  }
  return { uses, isCut: all.length > names.length || positions.length > searchedPositions.length }
}

/**
 * If hundreds of files use a name, those that import its definition, directly or re-exported, come
 * first.
 */
async function likeliestFirst(
  graph: TreeGraph,
  definers: readonly number[],
  positions: readonly number[],
): Promise<readonly number[]> {
  const { importers } = await graph.whole()
  const direct = new Set(definers.flatMap((it) => importers[it] ?? []))
  const behindDoor = new Set([...direct].flatMap((it) => importers[it] ?? []))
  const rankOf = (it: number) => Number(direct.has(it)) * 2 + Number(behindDoor.has(it))
  return positions.toSorted((a, b) => rankOf(b) - rankOf(a) || a - b)
}

async function symbolsOf(graph: TreeGraph, positions: readonly number[]): Promise<WantedSymbols> {
  const contents = await contentsAt(graph, positions)
  return new Map(
    [...contents].map(([position, { symbols }]) => {
      const order = [...symbols.keys()].toSorted(
        (a, b) => Number(symbols[b]?.isExported) - Number(symbols[a]?.isExported),
      )
      return [position, placesByName(symbols, order)]
    }),
  )
}

/** The symbols that contain the uses; their users are second-hop dependents. */
async function usersIn(graph: TreeGraph, uses: readonly Use[]): Promise<WantedSymbols> {
  const byFile = Map.groupBy(uses, (it) => it.position)
  const contents = await contentsAt(graph, [...byFile.keys()])
  return new Map(
    [...contents].map(([position, { symbols, references }]) => {
      const names = new Set(byFile.get(position)?.map((it) => it.name))
      const lines = references.filter((it) => names.has(it.name)).map((it) => it.line)
      const around = [...symbols.keys()].filter((it) =>
        lines.some((line) => isAround(symbols[it], line)),
      )
      return [position, placesByName(symbols, around)]
    }),
  )
}

function isAround(symbol: Content["symbols"][number] | undefined, line: number): boolean {
  return symbol !== undefined && symbol.fromLine <= line && line <= symbol.toLine
}

function placesByName(symbols: Content["symbols"], places: readonly number[]) {
  const byName = Map.groupBy(places, (it) => symbols[it]?.name ?? "")
  return new Map([...byName].map(([name, its]) => [name, new Set(its)]))
}

async function contentsAt(
  graph: TreeGraph,
  positions: readonly number[],
): Promise<ReadonlyMap<number, Content>> {
  const numberAt = (it: number) => graph.tree.files[it]?.content ?? -1
  const contents = await graph.contents([...new Set(positions.map(numberAt))])
  return new Map(
    positions.flatMap((position) => {
      const content = contents.get(numberAt(position))
      return content === undefined ? [] : [[position, content] as const]
    }),
  )
}

function reached(
  { tree: { files } }: TreeGraph,
  position: number,
  { ways, hops, from, confidence, names, roots }: Step & Pick<ReachedPosition, "hops" | "roots">,
): ReachedPosition {
  return {
    position,
    roots,
    path: files[position]?.path ?? "",
    ways: [...ways].toSorted(compareText).toReversed(),
    hops,
    via: hops === 1 ? null : (files[from]?.path ?? null),
    confidence,
    names: [...names].toSorted(compareText).slice(0, MOST_LISTED_NAMES),
  }
}

const SURENESS: Readonly<Record<LinkConfidence, number>> = {
  import: 3,
  package: 2,
  unique: 1,
  ambiguous: 0,
}

function weaker(a: LinkConfidence, b: LinkConfidence): LinkConfidence {
  return SURENESS[a] < SURENESS[b] ? a : b
}

function bySureness(a: ReachedFile, b: ReachedFile): number {
  return (
    a.hops - b.hops ||
    SURENESS[b.confidence] - SURENESS[a.confidence] ||
    compareText(a.path, b.path)
  )
}
