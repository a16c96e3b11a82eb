import type { LinkConfidence } from "#ground/contract"
import { MOST_COMPARED_DEFINERS, MOST_DEFINERS } from "../limits.ts"
import type { Content, IndexedFile } from "../tree/types.ts"
import { createDoors } from "./doors.ts"
import { familyOf, isEveryday, seesItsPackage } from "./families.ts"
import type { TreeGraph } from "./graph.ts"

/** A symbol of the tree: its file's position, and its place among the symbols of the content. */
export type SymbolPlace = { readonly position: number; readonly symbol: number }

/** What a name means in a file, and how sure that is. */
export type Meaning = SymbolPlace & { readonly confidence: LinkConfidence }

/**
 * What names mean in files: those of the file itself, else what it imports by that name, else what
 * its package has, else what lies in files it imports, else whatever the tree has of that name. A
 * name that too many files define means nothing.
 */
export async function resolveNames(
  graph: TreeGraph,
  asked: ReadonlyMap<number, readonly string[]>,
): Promise<ReadonlyMap<number, ReadonlyMap<string, readonly Meaning[]>>> {
  const definers = await graph.definers([...asked.values()].flat())
  await graph.imports([...asked.keys()])
  const doors = createDoors(graph, (name) => definers.get(name) ?? NOBODY)
  const choices: Choice[] = []
  for (const [from, own] of asked) {
    for (const name of new Set(own)) {
      const candidates = sameFamily(graph, from, definers.get(name) ?? NOBODY)
      if (candidates.length === 0) continue
      choices.push({ from, name, candidates, ...(await importedBy(from, name, doors)) })
    }
  }
  const contents = await graph.contents(contentsOf(graph, choices))
  const meanings = new Map([...asked.keys()].map((it) => [it, new Map<string, Meaning[]>()]))
  for (const choice of choices) {
    const found = decide(choice, (position) => pieceAt(graph, contents, position))
    const isTelling = found.length > 0 && found[0]?.confidence !== "ambiguous"
    if (isTelling || (found.length > 0 && found.length <= MOST_DEFINERS)) {
      meanings.get(choice.from)?.set(choice.name, found.slice(0, MOST_DEFINERS))
    }
  }
  return meanings
}

const NOBODY: ReadonlySet<number> = new Set()

type Choice = {
  readonly from: number
  readonly name: string
  readonly candidates: readonly number[]
  /** Those of them that the file imports by this name, and those it reaches at all. */
  readonly asked: readonly number[]
  readonly reached: readonly number[]
}

async function importedBy(from: number, name: string, doors: ReturnType<typeof createDoors>) {
  const asked = await doors.asked(from, name)
  return { asked, reached: asked.length > 0 ? [] : await doors.reached(from, name) }
}

function sameFamily(
  { tree: { files } }: TreeGraph,
  from: number,
  definers: ReadonlySet<number>,
): readonly number[] {
  const family = familyOf(files[from]?.language)
  return [...definers].filter((it) => familyOf(files[it]?.language) === family)
}

/** A file with what is known of its content. */
type Piece = { readonly file: IndexedFile; readonly content: Content }
type PieceAt = (position: number) => Piece | undefined

/** The first of these ways that leads to a symbol. Only a package shows what it hides. */
function decide(choice: Choice, at: PieceAt): readonly Meaning[] {
  const { from, name, candidates } = choice
  const named = (positions: readonly number[]) =>
    positions.flatMap((position) => symbolsNamed(at(position)?.content, name, position))
  const beside = candidates.filter((it) => isSamePackage(at(from), at(it)))

  if (candidates.includes(from)) return sure(named([from]), "package")
  if (choice.asked.length > 0) return sure(shownOf(named(choice.asked)), "import")
  if (beside.length > 0) return sure(named(beside), "package")
  if (choice.reached.length > 0) return sure(shownOf(named(choice.reached)), "import")
  const isCommon = candidates.length > MOST_COMPARED_DEFINERS || isEveryday(name)
  const shown = isCommon ? [] : named(candidates).filter((it) => it.isExported)
  const files = new Set(shown.map((it) => it.position)).size
  if (files > MOST_DEFINERS) return []
  return sure(shown, files === 1 ? "unique" : "ambiguous")
}

function sure(found: readonly Named[], confidence: LinkConfidence): readonly Meaning[] {
  return found.map(({ position, symbol }) => ({ position, symbol, confidence }))
}

/** What is imported though it is hidden is still meant. */
function shownOf(found: readonly Named[]): readonly Named[] {
  const shown = found.filter((it) => it.isExported)
  return shown.length > 0 ? shown : found
}

/** A package is a folder; tests and parts that lie elsewhere say that they are of it. */
function isSamePackage(own: Piece | undefined, other: Piece | undefined): boolean {
  if (own === undefined || other === undefined || !seesItsPackage(own.file.language)) return false
  if (folderOf(own.file) === folderOf(other.file)) return true
  // In Go the name says little: every program is `main`.
  const isNamed = own.file.language !== "go"
  return isNamed && other.content.packages.some((it) => own.content.packages.includes(it))
}

type Named = SymbolPlace & { readonly isExported: boolean }

function symbolsNamed(
  content: Content | undefined,
  name: string,
  position: number,
): readonly Named[] {
  return (content?.symbols ?? []).flatMap((it, symbol) =>
    it.name === name ? [{ position, symbol, isExported: it.isExported }] : [],
  )
}

/** Of many candidates only those of the folder can be meant, and they alone are read. */
function contentsOf({ tree: { files } }: TreeGraph, choices: readonly Choice[]): readonly number[] {
  const positions = choices.flatMap(({ from, candidates, asked, reached }) => {
    if (candidates.includes(from)) return [from]
    if (asked.length > 0) return asked
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
