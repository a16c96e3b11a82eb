import { LONGEST_NAME_UNITS, MOST_NAMED_WORDS } from "../limits.ts"
import { inside } from "../resolve.ts"
import type { IndexedTree } from "../tree/types.ts"

/** Positions of files that words name by their path, in the order of the words. */
export function namedPaths(tree: IndexedTree, words: string): readonly number[] {
  const { positionByPath } = tree.corpus()
  const positionOf = (path: string) =>
    positionByPath.get(path) ?? positionByPath.get(inside(path) ?? "")
  return [...new Set(writtenIn(words).flatMap((it) => positionOf(it) ?? []))]
}

/**
 * Positions of files that define a symbol of a name among the words, with the names. A name of one
 * letter, in another script, or that is a word such as `close`, is found here and nowhere else.
 */
export async function namedSymbols(
  tree: IndexedTree,
  words: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const names = writtenIn(words).filter((it) => it.length <= LONGEST_NAME_UNITS)
  const definers = await tree.definers(names)
  const { firstByContent, nextByPosition } = tree.corpus()
  const found = new Map<number, Set<string>>()
  for (const [name, contents] of definers) {
    for (const content of contents) {
      let position = firstByContent[content] ?? -1
      for (; position >= 0; position = nextByPosition[position] ?? -1) {
        found.set(position, (found.get(position) ?? new Set()).add(name))
      }
    }
  }
  return found
}

/** The words as they are written, whole and one by one, and without the marks around each. */
function writtenIn(words: string): readonly string[] {
  const parts = words.trim().split(/\s+/, MOST_NAMED_WORDS)
  const whole = words.length <= LONGEST_PATH_UNITS ? [words.trim()] : []
  const written = [...whole, ...parts].filter((it) => it.length <= LONGEST_PATH_UNITS)
  return [...new Set(written.flatMap((it) => [it, bare(it)]))].filter((it) => it !== "")
}

/** No system takes a longer path. */
const LONGEST_PATH_UNITS = 4_096

/** By hand: a pattern for the end of a text takes quadratic time on a text of marks alone. */
function bare(word: string): string {
  let start = 0
  let end = word.length
  while (start < end && MARKS.has(word[start] ?? "")) start++
  while (end > start && (MARKS.has(word[end - 1] ?? "") || word[end - 1] === ".")) end--
  return word.slice(start, end)
}

const MARKS = new Set("`'\"“”‘’()[]{}<>,;:?!")
