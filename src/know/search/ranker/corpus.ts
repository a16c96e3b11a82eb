import { DocumentInvalid } from "../errors.ts"
import { LARGEST_CONTENT_NUMBER } from "../limits.ts"
import { type CountedTerms, countTerms, type TermCounts } from "../words/words.ts"
import { mean } from "./order.ts"

type FileEntry = {
  readonly path: string
  readonly content: number
  readonly bodyLength: number
}

type PathPosting = {
  readonly position: number
  readonly count: number
  readonly isBase: boolean
}

/** Independent of the query. Columns are by position in the tree. */
export type Corpus = {
  readonly size: number
  readonly paths: readonly string[]
  readonly positionByPath: ReadonlyMap<string, number>
  /**
   * By content: the first file with it, or -1; by position: the next file with the same content, or
   * -1.
   */
  readonly firstByContent: Int32Array
  readonly nextByPosition: Int32Array
  readonly pathPostings: ReadonlyMap<string, readonly PathPosting[]>
  readonly lengths: Float64Array
  readonly meanLength: number
  readonly pathTermCounts: Float64Array
  readonly baseTermCounts: Float64Array
  readonly folders: Int32Array
  readonly folderSizes: Float64Array
  readonly depths: Float64Array
  readonly logLengths: Float64Array
  readonly dampers: Readonly<Record<"bm25" | "bm25f" | "defs", Float64Array>>
}

export function prepareCorpus(entries: readonly FileEntry[]): Corpus {
  for (const entry of entries) checkEntry(entry)
  const paths = entries.map((it) => it.path)
  const positionByPath = new Map(paths.map((path, position) => [path, position]))
  const twice = paths.find((path, position) => positionByPath.get(path) !== position)
  if (twice !== undefined) throw DocumentInvalid({ path: twice, wrong: "it is listed twice" })

  const described = paths.map(createPathReader())
  const lengths = Float64Array.from(
    entries,
    (it, position) => it.bodyLength + (described[position]?.emitted ?? 0),
  )
  const meanLength = mean(lengths)
  const damper = (b: number) => dampersOf(lengths, { b, mean: meanLength })
  return {
    size: entries.length,
    paths,
    positionByPath,
    ...chainByContent(entries),
    pathPostings: postPaths(described),
    lengths,
    meanLength,
    logLengths: lengths.map((it) => Math.log1p(it)),
    dampers: { bm25: damper(0.75), bm25f: damper(0.4), defs: damper(0.3) },
    pathTermCounts: Float64Array.from(described, (it) => it.counts.size),
    baseTermCounts: Float64Array.from(described, (it) => it.base.size),
    ...groupByFolder(paths),
    depths: Float64Array.from(paths, (path) => path.split("/").length - 1),
  }
}

export function dampersOf(
  lengths: Float64Array,
  { b, mean: middle }: { readonly b: number; readonly mean: number },
): Float64Array {
  const scale = Math.max(middle, 1e-9)
  return lengths.map((length) => 1.2 * (1 - b + (b * length) / scale))
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")))
}

export function baseNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  return dot < 0 ? name : name.slice(0, dot)
}

function checkEntry({ path, content, bodyLength }: FileEntry): void {
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0
  if (!isCount(bodyLength)) throw DocumentInvalid({ path, wrong: `its length is ${bodyLength}` })
  if (!isCount(content) || content > LARGEST_CONTENT_NUMBER) {
    throw DocumentInvalid({ path, wrong: `its number is ${content}` })
  }
}

type DescribedPath = {
  readonly counts: TermCounts
  readonly emitted: number
  readonly base: TermCounts
}

/** Slashes and dots separate words, so the terms of a path are those of its parts. */
function createPathReader(): (path: string) => DescribedPath {
  const foldersRead = new Map<string, CountedTerms>()
  const read = (folder: string) => {
    const terms = foldersRead.get(folder) ?? countTerms(folder)
    foldersRead.set(folder, terms)
    return terms
  }
  return (path) => {
    const base = baseNameOf(path)
    const ending = path.slice(path.lastIndexOf("/") + 1 + base.length)
    const baseTerms = countTerms(base)
    const parts = [read(folderOf(path)), baseTerms, countTerms(ending)]
    const counts = new Map<string, number>()
    for (const [term, count] of parts.flatMap((it) => [...it.counts])) {
      counts.set(term, (counts.get(term) ?? 0) + count)
    }
    const emitted = parts.reduce((sum, it) => sum + it.emitted, 0)
    return { counts, emitted, base: baseTerms.counts }
  }
}

/** Plain arrays, because one lookup per posting is most of the work of a query. */
function chainByContent(
  entries: readonly FileEntry[],
): Pick<Corpus, "firstByContent" | "nextByPosition"> {
  const most = entries.reduce((all, it) => Math.max(all, it.content), -1)
  const firstByContent = new Int32Array(most + 1).fill(-1)
  const nextByPosition = new Int32Array(entries.length)
  for (const [back, { content }] of entries.toReversed().entries()) {
    const position = entries.length - 1 - back
    nextByPosition[position] = firstByContent[content] ?? -1
    firstByContent[content] = position
  }
  return { firstByContent, nextByPosition }
}

function postPaths(
  described: readonly DescribedPath[],
): ReadonlyMap<string, readonly PathPosting[]> {
  const rows = new Map<string, PathPosting[]>()
  for (const [position, { counts, base }] of described.entries()) {
    for (const [term, count] of counts) {
      const posting = { position, count, isBase: base.has(term) }
      const row = rows.get(term)
      if (row === undefined) rows.set(term, [posting])
      else row.push(posting)
    }
  }
  return rows
}

function groupByFolder(paths: readonly string[]): Pick<Corpus, "folders" | "folderSizes"> {
  const numbers = new Map<string, number>()
  const folders = Int32Array.from(paths, (path) => {
    const folder = folderOf(path)
    const number = numbers.get(folder) ?? numbers.size
    numbers.set(folder, number)
    return number
  })
  const folderSizes = new Float64Array(numbers.size)
  for (const folder of folders) folderSizes[folder] = (folderSizes[folder] ?? 0) + 1
  return { folders, folderSizes }
}
