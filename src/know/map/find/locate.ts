import { compareText, nearest, withoutHiddenCharacters } from "#ground/base"
import { readQuery } from "#know/search"
import { SKIP_REASONS } from "#see/repo"
import { MapFileLeftOut, MapNameUnknown, MapPathOutside } from "../errors.ts"
import type { TreeGraph } from "../graph/graph.ts"
import type { SymbolPlace } from "../graph/names.ts"
import { LONGEST_NAME_UNITS } from "../limits.ts"
import { inside } from "../resolve.ts"
import type { Content, IndexedFile, IndexedTree, UnreadFile } from "../tree/types.ts"

const MOST_NEAR_CONTENTS = 50

/** A hint has 160 characters. */
const MOST_NEAR_NAMES = 3

export function pathIn(written: string): string {
  const path = inside(written.replace(/^\.\/+/, "") || ".")
  if (path === undefined) throw MapPathOutside({ path: written })
  return path === "." ? "" : path
}

type LocatedPath =
  | { readonly kind: "file"; readonly position: number }
  | { readonly kind: "unread"; readonly file: UnreadFile }
  | { readonly kind: "folder"; readonly folder: string }
  | {
      readonly kind: "symbol"
      readonly found: SymbolPlace
      readonly others: readonly SymbolPlace[]
    }

/** A symbol has precedence over a folder of the same name; `name/` is always the folder. */
export async function placeOf(graph: TreeGraph, what: string): Promise<LocatedPath> {
  const position = graph.positionOf(what) ?? graph.positionOf(pathIn(what))
  if (position !== undefined) return { kind: "file", position }
  const [best, ...others] = await symbolsMeant(graph, what)
  if (best !== undefined) return { kind: "symbol", found: best, others }
  const path = pathIn(what)
  const unread = unreadAt(graph.tree, path)
  if (unread !== undefined) return { kind: "unread", file: unread }
  const isFolder = path === "" || graph.tree.files.some((it) => it.path.startsWith(`${path}/`))
  if (isFolder) return { kind: "folder", folder: path }
  throw MapNameUnknown({ name: what, near: await nearNames(graph.tree, what) })
}

async function symbolsMeant(graph: TreeGraph, what: string): Promise<readonly SymbolPlace[]> {
  if (what.indexOf("#", 1) < 0) return symbolsCalled(graph, what)
  for (const { path, name } of splitsOf(what)) {
    const own = graph.positionOf(path) ?? graph.positionOf(pathIn(path))
    if (own === undefined) continue
    const symbols = (await symbolsCalled(graph, name)).filter((it) => it.position === own)
    if (symbols.length > 0) return symbols
  }
  return []
}

/** Paths may contain `#`, so the last one is tried first. */
function* splitsOf(what: string): Generator<{ readonly path: string; readonly name: string }> {
  for (let at = what.lastIndexOf("#"); at > 0; at = what.lastIndexOf("#", at - 1)) {
    yield { path: what.slice(0, at), name: what.slice(at + 1) }
  }
}

/** Listed but unindexed files. Files that the scan skipped throw with its reason. */
function unreadAt({ unread, skipped }: IndexedTree, path: string): UnreadFile | undefined {
  const skip = skipped.find((it) => it.path === path)
  if (skip !== undefined) throw MapFileLeftOut({ path, reason: SKIP_REASONS[skip.reason] })
  return unread.find((it) => it.path === path)
}

async function symbolsCalled(graph: TreeGraph, written: string): Promise<readonly SymbolPlace[]> {
  const whole = await symbolsNamed(graph, written, undefined)
  if (whole.length > 0) return whole
  const [, parent, name] = /^(.+)(?:\.|::|#)([^.:#]+)$/.exec(written) ?? []
  if (name === undefined || parent === undefined) return []
  for (const type of parentTypes(parent)) {
    const members = await symbolsNamed(graph, name, type)
    if (members.length > 0) return members
  }
  return []
}

/** `Reply.prototype.send` and `this.reply.send` are written for `Reply.send`. */
function parentTypes(written: string): ReadonlySet<string> {
  const constructor = written.replace(/\.prototype$/, "")
  const last = constructor.slice(constructor.lastIndexOf(".") + 1)
  return new Set([written, constructor, last, last.charAt(0).toUpperCase() + last.slice(1)])
}

async function symbolsNamed(
  graph: TreeGraph,
  name: string,
  parent: string | undefined,
): Promise<readonly SymbolPlace[]> {
  const { tree } = graph
  const numbers = (await tree.definers([name])).get(name) ?? []
  const contents = await graph.contents(numbers)
  const places = [...contents.values()].flatMap((content) =>
    placesIn(content, name, parent).flatMap((it) =>
      graph.positionsWith(content.number).map((position) => ({ ...it, position })),
    ),
  )
  const classOf = (it: SymbolPlace) => classPlace(tree.files[it.position])
  return places
    .toSorted(
      (a, b) =>
        classOf(a) - classOf(b) ||
        a.hidden - b.hidden ||
        a.position - b.position ||
        a.symbol - b.symbol,
    )
    .map(({ position, symbol }) => ({ position, symbol }))
}

/** Tests last; a declaration file repeats what another file defines. */
function classPlace(file: IndexedFile | undefined): number {
  if (file?.fileClass !== "source") return 2
  return /\.d\.[cm]?ts$/.test(file.path) ? 1 : 0
}

function placesIn(content: Content, name: string, parent: string | undefined) {
  return content.symbols.flatMap((candidate, symbol) => {
    const isMeant = candidate.name === name && (parent === undefined || candidate.parent === parent)
    return isMeant ? [{ symbol, hidden: candidate.isExported ? 0 : 1 }] : []
  })
}

export async function nearNames(tree: IndexedTree, query: string): Promise<readonly string[]> {
  const paths = new Set(tree.files.map((it) => it.path))
  const splits = splitsOf(query)
  const { path, name } = splits.find((it) => paths.has(it.path)) ?? {
    path: undefined,
    name: query.slice(query.indexOf("#", 1) + 1),
  }
  if (name.length > LONGEST_NAME_UNITS) return []
  const own = path === undefined ? [] : await namesOf(tree, path)
  const symbols = own.length > 0 ? own : await namesSharingWords(tree, name)
  const byBaseName = new Map(tree.files.map(({ path }) => [baseNameOf(path), path]))
  const file = nearest(baseNameOf(name), [...byBaseName.keys()])
  const near = [nearest(name, symbols), byBaseName.get(file ?? ""), ...symbols]
  const isPlain = (it: string) => it === withoutHiddenCharacters(it)
  const plain = [...new Set(near)].flatMap((it) => it ?? []).filter(isPlain)
  return plain.slice(0, MOST_NEAR_NAMES)
}

function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

async function namesOf(tree: IndexedTree, path: string): Promise<readonly string[]> {
  const file = tree.files.find((it) => it.path === path)
  const contents = await tree.contents(file === undefined ? [] : [file.content])
  return [...contents.values()].flatMap((it) => it.symbols.map((symbol) => symbol.name))
}

async function namesSharingWords(tree: IndexedTree, name: string): Promise<readonly string[]> {
  const { terms } = readQuery(name)
  if (terms.length === 0) return []
  const postingsOf = await tree.postings(terms)
  const { firstByContent } = tree.corpus()
  const counts = new Map<number, number>()
  for (const row of terms.map(postingsOf)) {
    for (let at = 0; at < row.length; at += ROW_STRIDE) {
      const number = row[at] ?? 0
      const isOfTree = (firstByContent[number] ?? -1) >= 0
      const isDefined = (row[at + DEFINITIONS_AT] ?? 0) > 0
      if (isOfTree && isDefined) counts.set(number, (counts.get(number) ?? 0) + 1)
    }
  }
  const best = [...counts].toSorted(([a, x], [b, y]) => y - x || a - b).slice(0, MOST_NEAR_CONTENTS)
  const contents = await tree.contents(best.map(([number]) => number))
  const termSet = new Set(terms)
  const shared = (it: string) => readQuery(it).terms.filter((term) => termSet.has(term)).length
  const names = new Set([...contents.values()].flatMap((it) => it.symbols.map((own) => own.name)))
  return [...names]
    .map((it) => ({ name: it, shared: shared(it) }))
    .filter((it) => it.shared > 0)
    .toSorted((a, b) => b.shared - a.shared || compareText(a.name, b.name))
    .map((it) => it.name)
}

const ROW_STRIDE = 3
const DEFINITIONS_AT = 2
