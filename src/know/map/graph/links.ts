import type { Content } from "../tree/types.ts"
import type { TreeGraph } from "./graph.ts"
import { familyOf, resolveNames, type SymbolMeaning, type SymbolPlace } from "./names.ts"

const MOST_FOLLOWED_LINKS = 20

/** Also the number of first-hop links that are followed. */
const MOST_LINKS = 100

const MOST_FAR_REFERRERS = 30

/** Nearest first; each costs about 2 ms. */
const MOST_REFERRERS = 150

export type LinkEnd = { readonly position: number; readonly symbol: number | undefined }

export type Link = {
  readonly end: LinkEnd
  readonly line: number
  readonly hops: number
  readonly via?: SymbolPlace
  readonly confidence: SymbolMeaning["confidence"]
}

type Links = { readonly links: readonly Link[]; readonly isCut: boolean }

export function calledFrom(graph: TreeGraph, symbol: SymbolPlace, hops: number): Promise<Links> {
  return walk(symbol, hops, (it) => calledOnce(graph, it))
}

export function callersOf(graph: TreeGraph, symbol: SymbolPlace, hops: number): Promise<Links> {
  return walk(symbol, hops, (it, mostFiles) => callersOnce(graph, it, mostFiles))
}

type Step = Omit<Link, "hops">
type Steps = { readonly steps: readonly Step[]; readonly isCut: boolean }
type TakeStep = (from: SymbolPlace, mostFiles: number) => Promise<Steps>

async function walk(start: SymbolPlace, hops: number, step: TakeStep): Promise<Links> {
  const seenKeys = new Set([keyOf(start)])
  const first = await step(start, MOST_REFERRERS)
  const near = first.steps.filter((it) => markSeen(seenKeys, keyOf(it.end)))
  const far = hops === 1 ? NO_STEPS : await walkOn(near, { seen: seenKeys, step })
  const shown = near.slice(0, MOST_LINKS - far.steps.length)
  return {
    links: [
      ...shown.map((it) => ({ ...it, hops: 1 })),
      ...far.steps.map((it) => ({ ...it, hops: 2 })),
    ],
    isCut: first.isCut || far.isCut || near.length > shown.length,
  }
}

/** Reserves half of the links for the second hop. */
async function walkOn(
  near: readonly Step[],
  { seen: seenKeys, step }: { readonly seen: Set<string>; readonly step: TakeStep },
): Promise<Steps> {
  const leading = near.slice(0, MOST_LINKS / 2)
  const most = MOST_LINKS - leading.length
  const symbols = leading.flatMap(({ end: { position, symbol } }) =>
    symbol === undefined ? [] : [{ position, symbol }],
  )
  const steps: Step[] = []
  let isCut = leading.length < near.length || symbols.length > MOST_FOLLOWED_LINKS
  for (const via of symbols.slice(0, MOST_FOLLOWED_LINKS)) {
    const next = await step(via, MOST_FAR_REFERRERS)
    isCut ||= next.isCut
    const fresh = next.steps.filter((it) => markSeen(seenKeys, keyOf(it.end)))
    steps.push(...fresh.map((it) => ({ ...it, via })))
    // One more than shown is enough to report that there are more.
    if (steps.length > most) break
  }
  return { steps: steps.slice(0, most), isCut: isCut || steps.length > most }
}

function markSeen(seenKeys: Set<string>, key: string): boolean {
  const isNew = !seenKeys.has(key)
  seenKeys.add(key)
  return isNew
}

function keyOf({ position, symbol }: LinkEnd): string {
  return `${position} ${symbol ?? ""}`
}

async function calledOnce(graph: TreeGraph, { position, symbol }: SymbolPlace): Promise<Steps> {
  const content = await contentOf(graph, position)
  const own = content?.symbols[symbol]
  if (content === undefined || own === undefined) return NO_STEPS
  const uses = new Map<string, number>()
  for (const { name, line } of content.references) {
    const isInside = line >= own.fromLine && line <= own.toLine
    // `super().__init__`: the name alone does not identify the class.
    const isOfLanguage = name.startsWith("__") && name.endsWith("__")
    if (isInside && !isOfLanguage && !uses.has(name)) uses.set(name, line)
  }
  const meanings = await resolveNames(graph, new Map([[position, [...uses.keys()]]]))
  const steps = [...(meanings.get(position) ?? [])].flatMap(([name, targets]) => {
    const line = uses.get(name) ?? 1
    const visible = targets.filter(
      (it) => it.position !== position || isVisibleFrom(content, it.symbol, line),
    )
    return visible.map(({ confidence, ...end }) => ({ end, line, confidence }))
  })
  return { steps: steps.toSorted((a, b) => a.line - b.line), isCut: false }
}

const NO_STEPS: Steps = { steps: [], isCut: false }

async function callersOnce(
  graph: TreeGraph,
  symbol: SymbolPlace,
  mostFiles: number,
): Promise<Steps> {
  const name = (await contentOf(graph, symbol.position))?.symbols[symbol.symbol]?.name
  if (name === undefined) return NO_STEPS
  const all = await referringFiles(graph, symbol.position, name)
  const files = all.slice(0, mostFiles).toSorted((a, b) => a - b)
  const meanings = await resolveNames(graph, new Map(files.map((it) => [it, [name]])))
  const using = files.flatMap((position) => {
    const ownMeanings = meanings
      .get(position)
      ?.get(name)
      ?.find((it) => isSame(it, symbol))
    return ownMeanings === undefined ? [] : [{ position, confidence: ownMeanings.confidence }]
  })
  const contents = await graph.contents([...new Set(using.map((it) => numberOf(graph, it)))])
  const steps = using.flatMap(({ position, confidence }) => {
    const content = contents.get(numberOf(graph, { position }))
    const isOwn = position === symbol.position
    const lines = (content?.references ?? [])
      .filter((it) => it.name === name)
      .map((it) => it.line)
      .filter((line) => !isOwn || isVisibleFrom(content, symbol.symbol, line))
    return lines.map((line) => ({
      end: { position, symbol: innermost(content, line) },
      line,
      confidence,
    }))
  })
  return { steps, isCut: all.length > mostFiles }
}

export type Use = {
  /** Index in `targets`. */
  readonly target: number
  readonly end: LinkEnd
  readonly line: number
  readonly confidence: SymbolMeaning["confidence"]
}

/** Uses of several symbols at once, in other files only. */
export async function usesOf(
  graph: TreeGraph,
  targets: readonly SymbolPlace[],
): Promise<{ readonly uses: readonly Use[]; readonly isCut: boolean }> {
  const own = await graph.contents(targets.map((it) => numberOf(graph, it)))
  const named = targets.flatMap((position, target) => {
    const name = own.get(numberOf(graph, position))?.symbols[position.symbol]?.name
    return name === undefined ? [] : [{ ...position, target, name }]
  })
  const namesByFile = new Map<number, string[]>()
  let isCut = false
  for (const { position, name } of uniqueByName(named)) {
    const all = await referringFiles(graph, position, name)
    isCut ||= all.length > MOST_REFERRERS
    for (const file of all.slice(0, MOST_REFERRERS)) {
      namesByFile.set(file, [...(namesByFile.get(file) ?? []), name])
    }
  }
  const meanings = await resolveNames(graph, namesByFile)
  const contents = await graph.contents(
    [...namesByFile.keys()].map((it) => numberOf(graph, { position: it })),
  )
  const uses = named.flatMap(({ target, name, ...symbol }) =>
    [...namesByFile.keys()].flatMap((position): readonly Use[] => {
      const meaning = meanings
        .get(position)
        ?.get(name)
        ?.find((it) => isSame(it, symbol))
      if (meaning === undefined || position === symbol.position) return []
      const content = contents.get(numberOf(graph, { position }))
      const lines = content?.references.filter((it) => it.name === name) ?? []
      return lines.map(({ line }) => ({
        target,
        end: { position, symbol: innermost(content, line) },
        line,
        confidence: meaning.confidence,
      }))
    }),
  )
  return { uses, isCut }
}

function uniqueByName<Item extends { readonly name: string; readonly position: number }>(
  items: readonly Item[],
): readonly Item[] {
  const byKey = new Map(items.map((it) => [`${it.position} ${it.name}`, it]))
  return [...byKey.values()]
}

/** Nearest first: if thousands of files use a name, neighbours are most likely meant. */
async function referringFiles(
  graph: TreeGraph,
  position: number,
  name: string,
): Promise<readonly number[]> {
  const { files } = graph.tree
  const family = familyOf(files[position]?.language)
  const contents = (await graph.tree.referrers([name])).get(name) ?? []
  const own = files[position]?.path.split("/") ?? []
  return contents
    .flatMap((it) => graph.positionsWith(it))
    .filter((it) => familyOf(files[it]?.language) === family)
    .map((it) => ({ it, shared: sharedFolders(own, files[it]?.path.split("/") ?? []) }))
    .toSorted((a, b) => b.shared - a.shared || a.it - b.it)
    .map(({ it }) => it)
}

function sharedFolders(a: readonly string[], b: readonly string[]): number {
  let shared = 0
  while (shared < a.length - 1 && a[shared] === b[shared]) shared++
  return shared
}

/** A function inside a function can be named only there; several may have the same name. */
function isVisibleFrom(content: Content | undefined, symbol: number, line: number): boolean {
  const symbols = content?.symbols ?? []
  const own = symbols[symbol]
  if (own === undefined) return true
  const around = symbols.filter(
    (it, index) =>
      index !== symbol &&
      (it.kind === "function" || it.kind === "method") &&
      it.fromLine <= own.fromLine &&
      own.toLine <= it.toLine,
  )
  return around.every((it) => it.fromLine <= line && line <= it.toLine)
}

function innermost(content: Content | undefined, line: number): number | undefined {
  let innermostSymbol: number | undefined
  let from = 0
  for (const [index, it] of (content?.symbols ?? []).entries()) {
    const isAround = it.fromLine <= line && line <= it.toLine
    if (!isAround || it.fromLine < from) continue
    innermostSymbol = index
    from = it.fromLine
  }
  return innermostSymbol
}

async function contentOf(graph: TreeGraph, position: number): Promise<Content | undefined> {
  const number = numberOf(graph, { position })
  return (await graph.contents([number])).get(number)
}

function numberOf(graph: TreeGraph, { position }: Pick<LinkEnd, "position">): number {
  return graph.tree.files[position]?.content ?? -1
}

function isSame(a: SymbolPlace, b: SymbolPlace): boolean {
  return a.position === b.position && a.symbol === b.symbol
}
