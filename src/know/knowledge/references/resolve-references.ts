import path from "node:path/posix"
import type { Library, StoredParagraph } from "../library.ts"
import type { DocumentRow, ReferenceRow } from "../queries.ts"
import { keysOfNumber, numberOfHeading } from "./section-numbers.ts"

type Resolve = (reference: ReferenceRow) => StoredParagraph | undefined

export function createResolver(library: Library): Resolve {
  const parts = new Map<string, Parts>()
  const partsOf = (document: DocumentRow): Parts => {
    const made = parts.get(document.id) ?? readParts(library.byDocument.get(document.id) ?? [])
    parts.set(document.id, made)
    return made
  }
  const byPlace = new Map(library.documents.map((it) => [path.join(homeOf(it), it.path), it]))
  const byTitle = Map.groupBy(library.documents, (it) => plain(it.title))
  const documentsById = new Map(library.documents.map((it) => [it.id, it]))
  const house: LibraryIndex = { library, partsOf, byPlace, byTitle }
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
  readonly byTitle: ReadonlyMap<string, readonly DocumentRow[]>
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
 * In the document itself, or in the only neighbour with such a part. With `of` the title must be known;
 * with `in` the preceding words may be a title.
 */
function findSection(
  target: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const [, number = "", how, title = ""] = /^(.+?)(?: (of|in) ([^]+))?$/.exec(target) ?? []
  const named = how === undefined ? undefined : documentOfTitle(title, from, { how, house })
  if (named !== undefined) return partOf(number, house.partsOf(named))
  if (how === "of" && !isOwnTitle(title, from)) return undefined
  return partOf(number, house.partsOf(from)) ?? onlyNeighbour(number, from, house)
}

/** `this Handbook`, `these Rules`: the corpus that contains the document. */
function isOwnTitle(title: string, from: DocumentRow): boolean {
  const words = plain(title)
  return words !== "" && plain(from.title).includes(words)
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

function documentOfTitle(
  title: string,
  from: DocumentRow,
  { how, house }: { readonly how: string; readonly house: LibraryIndex },
): DocumentRow | undefined {
  const words = plain(title).split(" ")
  // Tries fewer and fewer words, because words of the sentence may precede (`in`) or follow (`of`) the
  // title.
  const shorter = words.map((_, at) =>
    (how === "in" ? words.slice(at) : words.slice(0, words.length - at)).join(" "),
  )
  for (const title of shorter) {
    const documents = house.byTitle.get(title) ?? []
    const near = documents.find((document) => document.folder === from.folder) ?? documents[0]
    if (near !== undefined) return near
  }
  return undefined
}

function findWiki(
  target: string,
  from: DocumentRow,
  house: LibraryIndex,
): StoredParagraph | undefined {
  const [name = "", heading = ""] = target.split("#", 2)
  const document = name === "" ? from : documentOfName(name, from, house)
  if (document === undefined) return house.partsOf(from).byAnchor.get(slugOf(name))
  const { first, byAnchor } = house.partsOf(document)
  return heading === "" ? first : byAnchor.get(slugOf(heading))
}

function documentOfName(
  name: string,
  from: DocumentRow,
  house: LibraryIndex,
): DocumentRow | undefined {
  const titled = house.byTitle.get(plain(name))?.[0]
  if (titled !== undefined) return titled
  const title = plain(name)
  return house.library.documents.find((document) => {
    const file =
      document.path
        .split("/")
        .at(-1)
        ?.replace(/\.[a-z]+$/i, "") ?? ""
    return document.folder === from.folder && plain(file.replace(/[-_]/g, " ")) === title
  })
}

function plain(title: string): string {
  const words =
    title
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return (words[0] === "the" ? words.slice(1) : words).join(" ")
}
