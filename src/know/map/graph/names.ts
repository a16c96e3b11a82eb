import type { LinkConfidence } from "#ground/contract"
import type { LanguageName } from "../facts.ts"
import type { Content, IndexedFile } from "../tree/types.ts"
import type { FollowedImport, TreeGraph } from "./graph.ts"

const MOST_DOORS = 100

/** Longer re-export chains are rare. */
const MOST_DOORS_IN_A_ROW = 3

const MOST_COMPARED_DEFINERS = 20

const MOST_DEFINERS = 5

export type SymbolPlace = { readonly position: number; readonly symbol: number }

export type SymbolMeaning = SymbolPlace & { readonly confidence: LinkConfidence }

/**
 * In this order: symbols of the file, imports of that name, its package, files it imports, the
 * whole tree. A name that too many files define resolves to nothing.
 */
export async function resolveNames(
  graph: TreeGraph,
  namesByPosition: ReadonlyMap<number, readonly string[]>,
): Promise<ReadonlyMap<number, ReadonlyMap<string, readonly SymbolMeaning[]>>> {
  const definers = await graph.definers([...namesByPosition.values()].flat())
  await graph.imports([...namesByPosition.keys()])
  const doors = createDoors(graph, (name) => definers.get(name) ?? NOBODY)
  const choices: Choice[] = []
  for (const [from, own] of namesByPosition) {
    for (const name of new Set(own)) {
      const all = sameFamily(graph, from, definers.get(name) ?? NOBODY)
      if (all.length === 0) continue
      const candidates = all.filter((it) => mayCall(graph, from, it))
      choices.push({ from, name, candidates, ...(await importedBy(from, name, doors)) })
    }
  }
  const contents = await graph.contents(contentsOf(graph, choices))
  const meanings = new Map(
    [...namesByPosition.keys()].map((it) => [it, new Map<string, SymbolMeaning[]>()]),
  )
  for (const choice of choices) {
    const symbols = decide(choice, (position) => pieceAt(graph, contents, position))
    const isTelling = symbols.length > 0 && symbols[0]?.confidence !== "ambiguous"
    if (isTelling || (symbols.length > 0 && symbols.length <= MOST_DEFINERS)) {
      meanings.get(choice.from)?.set(choice.name, symbols.slice(0, MOST_DEFINERS))
    }
  }
  return meanings
}

const NOBODY: ReadonlySet<number> = new Set()

type Choice = {
  readonly from: number
  readonly name: string
  readonly candidates: readonly number[]
  readonly asked: readonly number[]
  readonly reached: readonly number[]
}

async function importedBy(from: number, name: string, doors: ReturnType<typeof createDoors>) {
  const imported = await doors.asked(from, name)
  return { asked: imported, reached: imported.length > 0 ? [] : await doors.reached(from, name) }
}

function sameFamily(
  { tree: { files } }: TreeGraph,
  from: number,
  definers: ReadonlySet<number>,
): readonly number[] {
  const family = familyOf(files[from]?.language)
  return [...definers].filter((it) => familyOf(files[it]?.language) === family)
}

/** Without an import, code uses no definition of a test or a document. */
function mayCall({ tree: { files } }: TreeGraph, from: number, to: number): boolean {
  const isBeside = (position: number) =>
    files[position]?.fileClass === "test" || files[position]?.fileClass === "docs"
  return from === to || isBeside(from) || !isBeside(to)
}

type Piece = { readonly file: IndexedFile; readonly content: Content }
type PieceAt = (position: number) => Piece | undefined

/** The first source with a symbol wins. Only a package sees its hidden symbols. */
function decide(choice: Choice, at: PieceAt): readonly SymbolMeaning[] {
  const { from, name, candidates } = choice
  const named = (positions: readonly number[]) =>
    positions.flatMap((position) => symbolsNamed(at(position)?.content, name, position))
  const beside = candidates.filter((it) => isSamePackage(at(from), at(it)))

  if (candidates.includes(from)) return sure(named([from]), "package")
  if (choice.asked.length > 0) return sure(shownOf(named(choice.asked)), "import")
  // `x.get()` is seldom the `get` of a neighbour, even if a file defines one.
  if (isEveryday(name)) return beside.length === 1 ? sure(named(beside), "package") : []
  if (beside.length > 0) return sure(named(beside), "package")
  if (choice.reached.length > 0) return sure(shownOf(named(choice.reached)), "import")
  const isCommon = candidates.length > MOST_COMPARED_DEFINERS
  const shown = isCommon ? [] : named(candidates).filter((it) => it.isExported)
  const files = new Set(shown.map((it) => it.position)).size
  if (files > MOST_DEFINERS) return []
  return sure(shown, files === 1 ? "unique" : "ambiguous")
}

function sure(
  symbols: readonly NamedSymbol[],
  confidence: LinkConfidence,
): readonly SymbolMeaning[] {
  return symbols.map(({ position, symbol }) => ({ position, symbol, confidence }))
}

function shownOf(symbols: readonly NamedSymbol[]): readonly NamedSymbol[] {
  const shown = symbols.filter((it) => it.isExported)
  return shown.length > 0 ? shown : symbols
}

/** A package is a folder; tests and parts elsewhere declare it. */
function isSamePackage(own: Piece | undefined, other: Piece | undefined): boolean {
  if (own === undefined || other === undefined || !seesItsPackage(own.file.language)) return false
  if (folderOf(own.file) === folderOf(other.file)) return true
  // In Go the name says little: every program is `main`.
  const isNamed = own.file.language !== "go"
  return isNamed && other.content.packages.some((it) => own.content.packages.includes(it))
}

type NamedSymbol = SymbolPlace & { readonly isExported: boolean }

function symbolsNamed(
  content: Content | undefined,
  name: string,
  position: number,
): readonly NamedSymbol[] {
  return (content?.symbols ?? []).flatMap((it, symbol) =>
    it.name === name ? [{ position, symbol, isExported: it.isExported }] : [],
  )
}

function contentsOf({ tree: { files } }: TreeGraph, choices: readonly Choice[]): readonly number[] {
  const positions = choices.flatMap(({ from, candidates, asked: imported, reached }) => {
    if (candidates.includes(from)) return [from]
    if (imported.length > 0) return imported
    if (candidates.length <= MOST_COMPARED_DEFINERS) return [from, ...candidates]
    const folder = folderOf(files[from])
    return [from, ...reached, ...candidates.filter((it) => folderOf(files[it]) === folder)]
  })
  return [...new Set(positions.flatMap((it) => files[it]?.content ?? []))]
}

function pieceAt(
  { tree: { files } }: TreeGraph,
  contents: ReadonlyMap<number, Content>,
  position: number,
): Piece | undefined {
  const file = files[position]
  const content = contents.get(file?.content ?? -1)
  return file === undefined || content === undefined ? undefined : { file, content }
}

function folderOf(file: IndexedFile | undefined): string {
  return file?.path.slice(0, Math.max(0, file.path.lastIndexOf("/"))) ?? ""
}

/**
 * Many packages have an index that re-exports names from other files; an import of such a name
 * leads to those files.
 */
function createDoors(graph: TreeGraph, definersOf: (name: string) => ReadonlySet<number>) {
  const reached = new Map<number, Promise<ReadonlySet<number>>>()
  const importsOf = async (from: number) => (await graph.imports([from])).get(from) ?? []

  async function reach(from: number): Promise<ReadonlySet<number>> {
    const own = await importsOf(from)
    const files = new Set(positionsOf(own))
    const handed = await handedOn(graph, own)
    const definers = await graph.definers(handed.map((it) => it.name))
    for (const { name, positions } of handed) {
      const defining = definers.get(name) ?? new Set()
      for (const it of await behind(graph, positions, { name, defining })) files.add(it)
    }
    return files
  }

  return {
    async asked(from: number, name: string): Promise<readonly number[]> {
      const asking = (await importsOf(from)).filter((it) => asksFor(it, name))
      return behind(graph, positionsOf(asking), { name, defining: definersOf(name) })
    },
    async reached(from: number, name: string): Promise<readonly number[]> {
      const defining = definersOf(name)
      const reaching = reached.get(from) ?? reach(from)
      reached.set(from, reaching)
      const files = await reaching
      const direct = [...files].filter((it) => defining.has(it)).toSorted((a, b) => a - b)
      if (direct.length > 0) return direct
      return behind(graph, positionsOf(await importsOf(from)), { name, defining })
    },
  }
}

type ForwardedName = { readonly name: string; readonly positions: readonly number[] }

/** Follows re-exports for imported names only; following all names would be most of the work. */
async function handedOn(
  graph: TreeGraph,
  own: readonly FollowedImport[],
): Promise<readonly ForwardedName[]> {
  const doors = await graph.imports(positionsOf(own))
  return own.flatMap(({ names = [], positions }) => {
    const behindThem = positions.flatMap((it) => doors.get(it) ?? [])
    return [...new Set(names)]
      .filter((name) => behindThem.some((it) => handsOn(it, name)))
      .map((name) => ({ name, positions }))
  })
}

/** `import { Tug } from "quay"`, or `import quay.Tug`. */
function asksFor({ names, specifier }: FollowedImport, name: string): boolean {
  return names?.includes(name) ?? specifier.split(/[.:/\\]+/).at(-1) === name
}

async function behind(
  graph: TreeGraph,
  start: readonly number[],
  { name, defining }: { readonly name: string; readonly defining: ReadonlySet<number> },
): Promise<readonly number[]> {
  if (defining.size === 0) return []
  let front = start
  const visited = new Set(front)
  for (let step = 0; step <= MOST_DOORS_IN_A_ROW && front.length > 0; step++) {
    const definers = front.filter((it) => defining.has(it))
    if (definers.length > 0) return definers
    if (visited.size > MOST_DOORS) return []
    const imports = await graph.imports(front)
    const next = [...imports.values()].flat().filter((it) => handsOn(it, name))
    front = positionsOf(next).filter((it) => !visited.has(it))
    for (const it of front) visited.add(it)
  }
  return []
}

function positionsOf(imports: readonly FollowedImport[]): readonly number[] {
  return [...new Set(imports.flatMap((it) => it.positions))]
}

function handsOn({ names }: FollowedImport, name: string): boolean {
  return names?.some((it) => it === name || it === "*") ?? false
}

const FAMILIES: Partial<Readonly<Record<LanguageName, string>>> = {
  typescript: "ecmascript",
  tsx: "ecmascript",
  javascript: "ecmascript",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
  c: "c",
  cpp: "c",
}

export function familyOf(language: LanguageName | undefined): string | undefined {
  return language === undefined ? undefined : (FAMILIES[language] ?? language)
}

/** Files of one folder or package see each other without an import. */
const UNASKED: ReadonlySet<LanguageName | undefined> = new Set([
  "go",
  "java",
  "kotlin",
  "scala",
  "csharp",
  "php",
  "swift",
  "c",
  "cpp",
])

function seesItsPackage(language: LanguageName | undefined): boolean {
  return UNASKED.has(language)
}

/**
 * Members of built-in collections, strings and promises. A call of one hardly ever means the file
 * that defines the same name.
 */
const EVERYDAY: ReadonlySet<string> = new Set(
  `
  add all any append apply at catch clear close concat contains copy count delete each emplace
  empty end entries equals every extend filter finally find findIndex first flat flatMap flush
  forEach format from get getattr has hasNext hash hashCode includes index indexOf insert isEmpty
  items iter iterator join keys last len length log lower map match max merge min next of on open
  parse pop print push put read reduce remove replace resolve reverse run select send set size
  slice some sort splice split start stop str strip sub substring super test then title toArray
  toList toLowerCase toString trim type unwrap update upper values write zip
`
    .trim()
    .split(/\s+/),
)

function isEveryday(name: string): boolean {
  return EVERYDAY.has(name)
}
