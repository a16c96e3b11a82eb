import { LONGEST_MESSAGE_UNITS, MOST_COMMITS } from "../limits.ts"
import { countMessageTerms } from "../words.ts"
import { type Corpus, dampersOf } from "./corpus.ts"
import { mean } from "./order.ts"

export type Commit = { readonly message: string; readonly files: readonly string[] }

/** A commit that touched files of the tree, and not too many. */
export type PastChange = {
  readonly positions: readonly number[]
  /** All files it touched, those that are gone too. */
  readonly fileCount: number
  readonly termCount: number
}

/** What past commits say, as far as it does not depend on the query. */
export type History = {
  readonly changes: readonly PastChange[]
  readonly changesByTerm: ReadonlyMap<string, readonly number[]>
  /** By position. */
  readonly changesByFile: readonly (readonly number[])[]
  /** By position: log of how often it was changed, commits further back counting less. */
  readonly touches: Float64Array
  /** By position: what the length of its messages costs it. */
  readonly messageDampers: Float64Array
  /** Share of the files that have a past. */
  readonly coverage: number
}

/** A commit of more files is a sweep, which says little about each of them. */
const MOST_COMMIT_FILES = 20

/** Half the weight is gone after about 350 commits. */
const DECAY_A_COMMIT = 0.998

/** Takes the commits newest first. */
export function prepareHistory(commits: readonly Commit[], corpus: Corpus): History {
  const changes: PastChange[] = []
  const changesByTerm = new Map<string, number[]>()
  const changesByFile: number[][] = corpus.paths.map(() => [])
  const touches = new Float64Array(corpus.size)
  // A wide commit shares its words out among its files.
  const messageLengths = new Float64Array(corpus.size)
  let freshness = 1
  for (const { message, files } of commits.slice(0, MOST_COMMITS)) {
    freshness *= DECAY_A_COMMIT
    const positions = files.length > MOST_COMMIT_FILES ? [] : positionsOf(files, corpus)
    if (positions.length === 0) continue
    const terms = [...countMessageTerms(message.slice(0, LONGEST_MESSAGE_UNITS)).keys()]
    const share = changeShare(files.length)
    for (const position of positions) {
      touches[position] = (touches[position] ?? 0) + freshness
      messageLengths[position] = (messageLengths[position] ?? 0) + terms.length * share
      changesByFile[position]?.push(changes.length)
    }
    for (const term of terms) listUnder(changesByTerm, term, changes.length)
    changes.push({ positions, fileCount: files.length, termCount: terms.length })
  }
  return {
    changes,
    changesByTerm,
    changesByFile,
    touches: touches.map((it) => Math.log1p(it)),
    messageDampers: dampersOf(messageLengths, { b: 0.5, mean: mean(messageLengths) }),
    coverage: mean(touches.map((it) => (it > 0 ? 1 : 0))),
  }
}

/** What one file gets of a commit's words. */
export function changeShare(fileCount: number): number {
  return 1 / Math.sqrt(fileCount)
}

function positionsOf(files: readonly string[], corpus: Corpus): readonly number[] {
  return files.flatMap((file) => corpus.positionByPath.get(file) ?? [])
}

function listUnder(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
