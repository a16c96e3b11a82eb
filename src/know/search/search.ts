import { type Bm25fWeights, type ScoredSymbol, type SymbolLengths, scoreSymbols } from "./bm25f.ts"
import { NothingToSearch } from "./errors.ts"
import { matcherOf, shareOf } from "./match-share.ts"
import type { PostingsOf } from "./postings.ts"
import type { Head } from "./ranker/fusion.ts"
import type { Ranker } from "./ranker/load-ranker.ts"
import { type Ranking, rank, type SearchedTree } from "./ranker/rank.ts"
import { reasonsFor } from "./reasons.ts"
import { type LiftedFile, type LiftWeights, lift } from "./second-stage.ts"
import { type Query, readQuery } from "./words.ts"

export type Search = ReturnType<typeof createSearch>

export type FoundFile = {
  readonly position: number
  readonly path: string
  readonly score: number
  readonly share: number
  readonly reasons: readonly string[]
  readonly isMatch: boolean
}

export type FoundFiles = { readonly head: Head; readonly files: readonly FoundFile[] }

export function createSearch(deps: { readonly ranker: Ranker }) {
  return {
    files(
      task: string,
      tree: SearchedTree,
      options: { readonly most: number; readonly head?: Head; readonly lift?: LiftWeights },
    ): FoundFiles {
      const { head, most } = options
      const query = queryOf(task)
      const ranking = rank(deps.ranker, tree, { query, ...(head !== undefined && { head }) })
      const ordered = secondLook(ranking, tree, options.lift).slice(0, most)
      const shares = shareOf(ranking)
      const isMatch = matcherOf(ranking)
      const files = ordered.map((file) => ({
        position: file.position,
        path: tree.corpus.paths[file.position] ?? "",
        score: ranking.scores[file.position] ?? 0,
        share: shares[file.position] ?? 0,
        reasons: reasonsFor(ranking, file),
        isMatch: isMatch(file.position),
      }))
      return { head: ranking.head, files }
    },

    symbols(
      task: string,
      index: { readonly postingsOf: PostingsOf; readonly lengths: SymbolLengths },
      options: { readonly most: number; readonly weights?: Bm25fWeights },
    ): readonly ScoredSymbol[] {
      return scoreSymbols(queryOf(task), index, options.weights).slice(0, options.most)
    },
  }
}

function queryOf(task: string): Query {
  const query = readQuery(task)
  if (query.terms.length === 0) throw NothingToSearch({})
  return query
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
