import { FILE_FIELDS } from "../index-terms.ts"
import type { PostingsOf } from "../postings.ts"
import type { Corpus } from "./corpus.ts"

/** The files that contain one term, with its counts by field. Reused for all terms of a task. */
export type TermMatches = {
  readonly body: Float64Array
  readonly defs: Float64Array
  readonly path: Float64Array
  readonly isBase: Uint8Array
  readonly isListed: Uint8Array
  readonly positions: Int32Array
  count: number
}

export function createTermMatches(size: number): TermMatches {
  return {
    body: new Float64Array(size),
    defs: new Float64Array(size),
    path: new Float64Array(size),
    isBase: new Uint8Array(size),
    isListed: new Uint8Array(size),
    positions: new Int32Array(size),
    count: 0,
  }
}

const STRIDE = FILE_FIELDS.length + 1

export function findTerm(
  matches: TermMatches,
  { firstByContent, nextByPosition, pathPostings }: Corpus,
  { word, row }: { readonly word: string; readonly row: readonly number[] },
): void {
  for (let at = 0; at < row.length; at += STRIDE) {
    // The table also has contents of other trees, which have no position here.
    let position = firstByContent[row[at] ?? -1] ?? -1
    while (position >= 0) {
      list(matches, position)
      matches.body[position] = row[at + 1] ?? 0
      matches.defs[position] = row[at + 2] ?? 0
      position = nextByPosition[position] ?? -1
    }
  }
  for (const { position, count, isBase } of pathPostings.get(word) ?? NO_PATHS) {
    list(matches, position)
    matches.path[position] = count
    matches.isBase[position] = isBase ? 1 : 0
  }
}

const NO_PATHS: readonly never[] = []

function list(matches: TermMatches, position: number): void {
  if (matches.isListed[position] === 1) return
  matches.isListed[position] = 1
  matches.positions[matches.count++] = position
}

export function clearMatches(matches: TermMatches): void {
  for (let index = 0; index < matches.count; index++) {
    const position = matches.positions[index] ?? 0
    matches.body[position] = 0
    matches.defs[position] = 0
    matches.path[position] = 0
    matches.isBase[position] = 0
    matches.isListed[position] = 0
  }
  matches.count = 0
}

export function rarityOf(count: number, size: number): number {
  return count > 0 ? Math.log(1 + (size - count + 0.5) / (count + 0.5)) : 0
}

/** Counted in text or path, anywhere, in definitions, in the path. */
export function countFiles(matches: TermMatches) {
  const counts = { text: 0, any: matches.count, defs: 0, path: 0 }
  for (let index = 0; index < matches.count; index++) {
    const position = matches.positions[index] ?? 0
    const isInPath = (matches.path[position] ?? 0) > 0
    if (isInPath) counts.path++
    if (isInPath || (matches.body[position] ?? 0) > 0) counts.text++
    if ((matches.defs[position] ?? 0) > 0) counts.defs++
  }
  return counts
}

/** A word in the names of more files is not specific. */
const MOST_NAMED_FILES = 3

/** Positions of files whose path or definitions contain one of the words that name few files. */
export function filesNamedBy(
  words: readonly string[],
  { corpus, postingsOf }: { readonly corpus: Corpus; readonly postingsOf: PostingsOf },
): ReadonlySet<number> {
  const matches = createTermMatches(corpus.size)
  const files = new Set<number>()
  for (const word of words) {
    findTerm(matches, corpus, { word, row: postingsOf(word) })
    const named = [...matches.positions.subarray(0, matches.count)].filter(
      (position) => (matches.path[position] ?? 0) + (matches.defs[position] ?? 0) > 0,
    )
    if (named.length <= MOST_NAMED_FILES) for (const position of named) files.add(position)
    clearMatches(matches)
  }
  return files
}
