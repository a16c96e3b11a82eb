import { type Bm25fWeights, type ScoredSymbol, type SymbolLengths, scoreSymbols } from "./bm25f.ts"
import { NothingToSearch } from "./errors.ts"
import type { PostingsOf } from "./postings.ts"
import type { Head } from "./ranker/fusion.ts"
import type { Ranker } from "./ranker/load-ranker.ts"
import { type Ranking, rank, type SearchedTree } from "./ranker/rank.ts"
import { reasonsFor } from "./reasons.ts"
import { type LiftedFile, type LiftWeights, lift } from "./second-stage.ts"
import { readTask, type SearchTask } from "./task.ts"
import { matcherOf, shareOf } from "./words/match-share.ts"

export type Search = ReturnType<typeof createSearch>

export type FoundFile = {
  readonly position: number
  readonly path: string
  readonly score: number
  readonly share: number
  readonly reasons: readonly string[]
  readonly isMatch: boolean
}

export type FileGroup = "files" | "tests" | "documents"

export type FoundFiles = { readonly head: Head } & Readonly<Record<FileGroup, readonly FoundFile[]>>

/** Tests and documents of a task have lists of their own, because they crowd out source files. */
const MOST_BESIDE = 5

export function createSearch(deps: { readonly ranker: Ranker }) {
  return {
    files(task: string, tree: SearchedTree, options: FilesOptions): FoundFiles {
      const { head, most, groupOf = () => "files" } = options
      const { query, issue } = searchable(task)
      const ranking = rank(deps.ranker, tree, { query, issue, ...(head !== undefined && { head }) })
      const ordered = secondLook(ranking, tree, options.lift)
      const shares = shareOf(ranking)
      const isMatch = matcherOf(ranking)
      const inGroup = (group: FileGroup, count: number) =>
        take(ordered, count, (it) => groupOf(it.position) === group).map((file) => ({
          position: file.position,
          path: tree.corpus.paths[file.position] ?? "",
          score: ranking.scores[file.position] ?? 0,
          share: shares[file.position] ?? 0,
          reasons: reasonsFor(ranking, file),
          isMatch: isMatch(file.position),
        }))
      return {
        head: ranking.head,
        files: inGroup("files", most),
        tests: inGroup("tests", Math.min(most, MOST_BESIDE)),
        documents: inGroup("documents", Math.min(most, MOST_BESIDE)),
      }
    },

    symbols(
      task: string,
      index: { readonly postingsOf: PostingsOf; readonly lengths: SymbolLengths },
      options: { readonly most: number; readonly weights?: Bm25fWeights },
    ): readonly ScoredSymbol[] {
      return scoreSymbols(searchable(task).query, index, options.weights).slice(0, options.most)
    },
  }
}

type FilesOptions = {
  readonly most: number
  readonly head?: Head
  readonly lift?: LiftWeights
  groupOf?(position: number): FileGroup
}

function searchable(text: string): SearchTask {
  const task = readTask(text)
  if (task.query.terms.length === 0) throw NothingToSearch({})
  return task
}

function take<Item>(
  items: readonly Item[],
  most: number,
  isWanted: (item: Item) => boolean,
): readonly Item[] {
  const chosenItems: Item[] = []
  for (const item of items) {
    if (chosenItems.length >= most) break
    if (isWanted(item)) chosenItems.push(item)
  }
  return chosenItems
}

function secondLook(
  ranking: Ranking,
  tree: SearchedTree,
  weights: LiftWeights | undefined,
): readonly LiftedFile[] {
  const lifted = weights === undefined ? [] : lift(ranking, tree, weights)
  const rest = [...ranking.order.subarray(lifted.length)]
  return [
    ...lifted,
    ...rest.map((position, at) => ({ position, rankBefore: lifted.length + at, ties: NO_TIES })),
  ]
}

const NO_TIES = { coChange: 0, folder: 0, stem: 0 }
