import { compareText, invariant } from "#ground/base"
import type { MapLink, MapShow, MapSymbol, MapUsers } from "#ground/contract"
import type { TreeGraph } from "../graph/graph.ts"
import { calledFrom, callersOf, type Link, usesOf } from "../graph/links.ts"
import type { SymbolPlace } from "../graph/names.ts"
import type { AgentReads } from "../handlers.ts"
import type { Content, IndexedTree, UnreadFile } from "../tree/types.ts"
import {
  describeEnd,
  describeProblem,
  describeSymbol,
  describeUnread,
  type Redact,
} from "./describe.ts"
import { describeFolder } from "./folder.ts"
import { placeOf } from "./locate.ts"

const MOST_NAMESAKES = 50

/** A larger commit is a mass edit. */
const MOST_COMMIT_FILES = 20

const MOST_COMPANIONS = 10

type ShowInput = {
  readonly what: string
  readonly hops: number
  readonly redact: Redact
  agentReads(): Promise<AgentReads | undefined>
}

export async function show(graph: TreeGraph, shown: ShowInput): Promise<MapShow> {
  const located = await placeOf(graph, shown.what)
  switch (located.kind) {
    case "unread":
      return showUnread(graph, located.file)
    case "file":
      return showFile(graph, located.position, shown.redact)
    case "symbol":
      return showSymbol(graph, located, shown)
    case "folder":
      return showFolder(graph, located.folder, shown)
  }
}

async function showFolder(
  graph: TreeGraph,
  folder: string,
  { redact, agentReads }: ShowInput,
): Promise<MapShow> {
  const described = await describeFolder(graph, { folder, redact, reads: await agentReads() })
  return { kind: "folder", ...described }
}

function showUnread({ tree }: TreeGraph, { path, fileClass }: UnreadFile): MapShow {
  return {
    kind: "file",
    path,
    language: null,
    fileClass,
    tokens: 0,
    lines: 0,
    rank: 0,
    symbols: [],
    imports: [],
    importedBy: [],
    changedWith: [...changedWith(tree, path)],
    problems: [describeUnread(fileClass)],
  }
}

async function showFile(graph: TreeGraph, position: number, redact: Redact): Promise<MapShow> {
  const { tree } = graph
  const file = tree.files[position]
  const { path = "", content: number = -1 } = file ?? {}
  const [{ imports, importers, ranks }, contents] = await Promise.all([
    graph.whole(),
    graph.contents([number]),
  ])
  const pathAt = (it: number) => tree.files[it]?.path ?? ""
  const content = contents.get(number)
  return {
    kind: "file",
    path,
    language: file?.language ?? null,
    fileClass: file?.fileClass ?? "",
    tokens: file?.tokens ?? 0,
    lines: file?.lines ?? 0,
    rank: ranks[position] ?? 0,
    symbols: (content?.symbols ?? []).map((it) => describeSymbol(path, it, redact)),
    imports: (imports[position] ?? []).map((it) => ({
      specifier: redact(it.specifier),
      line: it.line,
      paths: it.positions.map(pathAt),
    })),
    importedBy: (importers[position] ?? []).map(pathAt),
    changedWith: [...changedWith(tree, path)],
    problems: (content?.problems ?? []).map(describeProblem),
  }
}

async function showSymbol(
  graph: TreeGraph,
  {
    found: symbolPlace,
    others,
  }: { readonly found: SymbolPlace; readonly others: readonly SymbolPlace[] },
  { hops, redact }: ShowInput,
): Promise<MapShow> {
  const [callers, called] = await Promise.all([
    callersOf(graph, symbolPlace, hops),
    calledFrom(graph, symbolPlace, hops),
  ])
  const namesakes = others.slice(0, MOST_NAMESAKES)
  const ends = [
    symbolPlace,
    ...namesakes,
    ...[...callers.links, ...called.links].map((it) => it.end),
  ]
  const describe = await describer(graph, ends, redact)
  const linkOf = ({ end, line, hops: far, via, confidence }: Link): readonly MapLink[] => {
    const [between] = via === undefined ? [] : describe(via)
    const viaField = between === undefined ? {} : { via: placeText(between) }
    return describe(end).map((symbol) => ({ symbol, line, hops: far, ...viaField, confidence }))
  }
  const [symbol] = describe(symbolPlace)
  invariant(symbol !== undefined, "a found symbol is in a file")
  return {
    kind: "symbol",
    symbol,
    others: namesakes.flatMap(describe),
    callers: callers.links.flatMap(linkOf),
    called: called.links.flatMap(linkOf),
    isCut: callers.isCut || called.isCut || others.length > namesakes.length,
  }
}

const MOST_USERS = 300

export async function showUsers(
  graph: TreeGraph,
  { path, redact }: { readonly path: string; readonly redact: Redact },
): Promise<MapUsers> {
  const located = await placeOf(graph, path)
  if (located.kind !== "file") return { path, users: [], isCut: false }
  const { position } = located
  const file = graph.tree.files[position]
  const contents = await graph.contents([file?.content ?? -1])
  const symbols = contents.get(file?.content ?? -1)?.symbols ?? []
  const { uses, isCut } = await usesOf(
    graph,
    symbols.map((_, symbol) => ({ position, symbol })),
  )
  const describe = await describer(
    graph,
    uses.map((it) => it.end),
    redact,
  )
  const users = uses
    .flatMap(({ target, end, line, confidence }) =>
      describe(end).map((by) => ({
        name: redact(symbols[target]?.name ?? ""),
        by,
        line,
        confidence,
      })),
    )
    .toSorted((a, b) => compareText(a.by.path, b.by.path) || a.line - b.line)
  const isLong = users.length > MOST_USERS
  return { path: file?.path ?? path, users: users.slice(0, MOST_USERS), isCut: isCut || isLong }
}

function placeText({ path, name, parent }: MapSymbol): string {
  return `${path}#${parent === undefined ? name : `${parent}.${name}`}`
}

async function describer(graph: TreeGraph, ends: readonly Link["end"][], redact: Redact) {
  const { tree } = graph
  const numbers = new Set(ends.flatMap((it) => tree.files[it.position]?.content ?? []))
  const contents: ReadonlyMap<number, Content> = await graph.contents([...numbers])
  return (end: Link["end"]): readonly MapSymbol[] => {
    const file = tree.files[end.position]
    return file === undefined
      ? []
      : [describeEnd(file, contents.get(file.content), { end, redact })]
  }
}

type Companion = { readonly path: string; readonly times: number }

export function changedWith(
  { commits, files }: Pick<IndexedTree, "commits" | "files">,
  path: string,
): readonly Companion[] {
  const counts = new Map<string, number>()
  for (const { files: changed } of commits) {
    if (changed.length > MOST_COMMIT_FILES || !changed.includes(path)) continue
    for (const other of changed) counts.set(other, (counts.get(other) ?? 0) + 1)
  }
  counts.delete(path)
  const present = new Set(files.map((it) => it.path))
  return [...counts]
    .map(([other, times]) => ({ path: other, times }))
    .filter((it) => present.has(it.path))
    .toSorted((a, b) => b.times - a.times || compareText(a.path, b.path))
    .slice(0, MOST_COMPANIONS)
}
