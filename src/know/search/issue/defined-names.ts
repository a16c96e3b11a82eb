import { LONGEST_TERM_UNITS } from "../limits.ts"
import type { PostingsOf } from "../postings.ts"
import type { Corpus } from "../ranker/corpus.ts"
import type { IssueTask } from "./parse-issue.ts"

/**
 * Names with case are rows of the word table under this prefix, which no word begins with: one
 * lookup per name of a task instead of a second table.
 */
const NAME_PREFIX = "="

/** Stored as tenths: a definition, and a name bound at the beginning of a line. */
const DEFINED_TENTHS = 10
const ASSIGNED_TENTHS = 6

const ASSIGNED = /^([A-Za-z_]\w{2,})[ \t]*(?::[^=\n]{1,60})?=(?!=)/gm

/** Rows for the word table, by term. */
export function definedNameTerms(
  text: string,
  defined: Iterable<string>,
): ReadonlyMap<string, number> {
  const terms = new Map<string, number>()
  for (const [, name = ""] of text.matchAll(ASSIGNED)) put(terms, name, ASSIGNED_TENTHS)
  for (const name of defined) put(terms, name, DEFINED_TENTHS)
  return terms
}

function put(terms: Map<string, number>, name: string, tenths: number): void {
  if (name.length < LONGEST_TERM_UNITS) terms.set(NAME_PREFIX + name, tenths)
}

/** The rows that `definersOf` looks up for this issue. */
export function nameTerms(issue: IssueTask): readonly string[] {
  const names = new Set([
    ...issue.identifiers.keys(),
    ...[...issue.dottedNames.keys()].flatMap((it) => it.split(".")),
    ...issue.imports.map((it) => it.name),
    ...issue.pythonFrames.map((it) => it.name),
  ])
  return [...names].slice(0, MOST_NAMES).map((it) => NAME_PREFIX + it)
}

/** A pasted log has thousands of identifiers; those of title and prose come first. */
const MOST_NAMES = 1_024

/** A content number and two counts. */
const STRIDE = 3

/** The files that define a name, each with 1 or 0.6. */
export function definersOf({
  corpus,
  postingsOf,
}: {
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
}): (name: string) => ReadonlyMap<number, number> {
  const definersByName = new Map<string, ReadonlyMap<number, number>>()
  return (name) => {
    const earlier = definersByName.get(name)
    if (earlier !== undefined) return earlier
    const files = new Map<number, number>()
    const row = postingsOf(NAME_PREFIX + name)
    for (let at = 0; at < row.length; at += STRIDE) {
      let position = corpus.firstByContent[row[at] ?? -1] ?? -1
      for (; position >= 0; position = corpus.nextByPosition[position] ?? -1) {
        files.set(position, (row[at + 1] ?? 0) / 10)
      }
    }
    definersByName.set(name, files)
    return files
  }
}
