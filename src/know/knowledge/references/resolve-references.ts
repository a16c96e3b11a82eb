import path from "node:path/posix"
import type { Library, StoredParagraph } from "../library.ts"
import type { DocumentRow, ReferenceRow } from "../queries.ts"
import { createDocumentNames, type DocumentNames, plainName } from "./document-names.ts"
import { keysOfNumber, numberOfHeading } from "./section-numbers.ts"

/** `none` is a text that only looks like a reference, such as TLS 1.3. */
type Resolve = (reference: ReferenceRow) => StoredParagraph | "none" | undefined

export function createResolver(library: Library): Resolve {
  const parts = new Map<string, Parts>()
  const partsOf = (document: DocumentRow): Parts => {
    const made = parts.get(document.id) ?? readParts(library.byDocument.get(document.id) ?? [])
    parts.set(document.id, made)
    return made
  }
  const byPlace = new Map(library.documents.map((it) => [path.join(homeOf(it), it.path), it]))
  const documentsById = new Map(library.documents.map((it) => [it.id, it]))
  const house: LibraryIndex = { library, partsOf, byPlace, names: createDocumentNames(library) }
  return (reference) => {
    const from = documentsById.get(reference.document)
    if (from === undefined) return undefined
    switch (reference.kind) {
      case "link":
        return followLink(reference.target, from, house)
      case "section":
        return findSection(reference.target, from, house)
      case "wiki":
        return findWiki(reference.target, from, house)
      default:
        return reference.kind satisfies never
    }
  }
}

type LibraryIndex = {
  readonly library: Library
  partsOf(document: DocumentRow): Parts
  readonly byPlace: ReadonlyMap<string, DocumentRow>
  readonly names: DocumentNames
}

type Parts = {
  readonly first: StoredParagraph | undefined
  readonly byNumber: ReadonlyMap<string, StoredParagraph>
  readonly byAnchor: ReadonlyMap<string, StoredParagraph>
}

function readParts(paragraphs: readonly StoredParagraph[]): Parts {
  const byNumber = new Map<string, StoredParagraph>()
  const byAnchor = new Map<string, StoredParagraph>()
  const put = (map: Map<string, StoredParagraph>, key: string, it: StoredParagraph): void => {
    if (!map.has(key)) map.set(key, it)
  }
  for (const paragraph of paragraphs) {
    const numbers = [...paragraph.body.headings.map(numberOfHeading), paragraph.body.number]
    for (const number of numbers) {
      const [key] = number === null ? [] : keysOfNumber(number)
      if (key !== undefined) put(byNumber, key, paragraph)
    }
    for (const anchor of paragraph.body.anchors) put(byAnchor, anchor.toLowerCase(), paragraph)
    for (const heading of paragraph.body.headings) put(byAnchor, slugOf(heading), paragraph)
  }
  return { first: paragraphs[0], byNumber, byAnchor }
}

/** As Markdown renderers name the anchor of a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-")
}

function followLink(
  target: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const [before = "", anchor = ""] = decoded(target).split("#", 2)
  const [way = ""] = before.split("?", 1)
  const document = way === "" ? from : documentAt(way, from, house)
  if (document === undefined) return undefined
  const { first, byAnchor } = house.partsOf(document)
  return anchor === "" ? first : byAnchor.get(anchor.toLowerCase())
}

function documentAt(way: string, from: DocumentRow, house: LibraryIndex): DocumentRow | undefined {
  const base = way.startsWith("/") ? "" : path.dirname(from.path)
  const file = path.join(homeOf(from), base, way).replace(/\/$/, "")
  const places = [file, `${file}.md`, `${file}/index.md`, `${file}/README.md`]
  const documents = places.map((it) => house.byPlace.get(it))
  return documents.find((it) => it !== undefined)
}

/** A document added as a file is in its parent folder. */
function homeOf({ folder, path: file }: DocumentRow): string {
  const home = folder.replaceAll("\\", "/")
  return home.endsWith(`/${file}`) ? path.dirname(home) : home
}

/** Malformed percent escapes stay as they are. */
function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/**
 * `4.2 of Pilot Guide` and `4.2 in Pilot Guide` are in that document or nowhere: a name that is not
 * known is not guessed. `4.2 near Late Arrival` (before it) and `4.2 by Late Arrival` (after it) may
 * name a document; `315.13 at ISA 315` is a reference only if the library has such documents. Without a name it is in the document itself, or
 * in the only neighbour with such a part.
 */
function findSection(
  target: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | "none" | undefined {
  const [, number = "", how, name = ""] =
    /^(.+?)(?: (of|in|near|by|at) ([^]+))?$/.exec(target) ?? []
  const end = how === "of" || how === "by" ? "first" : "last"
  const named = how === undefined ? undefined : house.names.find(name, from, end)
  if (named !== undefined) return partOfNamed(number, named, house)
  if (how === "at") return findPlainNumber(number, { name, from }, house)
  if (how === "by") return partOf(number, house.partsOf(from))
  if (how === "in" || (how === "of" && !isOwnTitle(name, from))) return undefined
  return partOf(number, house.partsOf(from)) ?? onlyNeighbour(number, from, house)
}

/** "Fee Rules 4.1": a name without a number of its own. "ISA 999.1" is reported, "TLS 1.3" is not. */
function findPlainNumber(
  number: string,
  { name, from }: { readonly name: string; readonly from: DocumentRow },
  house: LibraryIndex,
): StoredParagraph | "none" | undefined {
  const words = name.replace(/ \d+(?: \([^()]*\))?$/, "")
  const document = house.names.find(words, from, "last")
  const part = document === undefined ? undefined : partOf(number, house.partsOf(document))
  if (part !== undefined) return part
  return house.names.isSeries(words.split(" ").at(-1) ?? "") ? undefined : "none"
}

/** ISA 315 may number its parts 13 or 315.13, and a text may write either. */
function partOfNamed(
  number: string,
  document: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const parts = house.partsOf(document)
  const own: readonly string[] = plainName(document.title).match(/\d+/g) ?? []
  const [first = "", ...rest] = number.split(".")
  const variants = [
    number,
    ...(own.includes(first) && rest.length > 0 ? [rest.join(".")] : []),
    ...(/^\d/.test(number) ? own.map((it) => `${it}.${number}`) : []),
  ]
  return variants.map((it) => partOf(it, parts)).find((it) => it !== undefined)
}

/** `this Handbook`, `these Rules`: the corpus that contains the document. */
function isOwnTitle(title: string, from: DocumentRow): boolean {
  const words = plainName(title)
  return words !== "" && plainName(from.title).includes(words)
}

function partOf(number: string, { byNumber }: Parts): StoredParagraph | undefined {
  const parts = keysOfNumber(number).map((it) => byNumber.get(it))
  return parts.find((it) => it !== undefined)
}

/** A handbook in several files numbers its parts through all of them. */
function onlyNeighbour(
  number: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const home = homeOf(from)
  const neighbours = house.library.documents.filter(
    (it) => homeOf(it) === home && it.id !== from.id && it.tier === from.tier,
  )
  const parts = neighbours.flatMap((it) => partOf(number, house.partsOf(it)) ?? [])
  return parts.length === 1 ? parts[0] : undefined
}

function findWiki(
  target: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const [name = "", heading = ""] = target.split("#", 2)
  const document = name === "" ? from : house.names.find(name, from, "first")
  if (document === undefined) return house.partsOf(from).byAnchor.get(slugOf(name))
  const { first, byAnchor } = house.partsOf(document)
  return heading === "" ? first : byAnchor.get(slugOf(heading))
}
