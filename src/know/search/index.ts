// Asking: files and symbols for a task.

export type { Bm25fWeights, FieldWeight, ScoredSymbol, SymbolLengths } from "./bm25f.ts"
export { BM25F_WEIGHTS, measureSymbols, scoreSymbols } from "./bm25f.ts"
export { cleanMessage } from "./clean.ts"
export type { SearchedFile, SearchedSegment, SearchedSymbol, TermRarity } from "./file-symbols.ts"
export { rarityIn, scoreFileSymbols } from "./file-symbols.ts"
export { matcherOf } from "./matcher.ts"
export type { Query } from "./query.ts"
export { readQuery } from "./query.ts"
export type { FoundFile, FoundFiles, Search } from "./search.ts"
export { createSearch } from "./search.ts"
export { shareOf } from "./share.ts"

// The index: what a text gives to it, and the tables that hold it.

export type { FileTerms, SymbolField, SymbolTerms, SymbolText } from "./index-terms.ts"
export {
  FILE_FIELDS,
  fileCounts,
  indexFile,
  indexSymbol,
  SYMBOL_FIELDS,
} from "./index-terms.ts"
export type { Postings, PostingsOf, PostingsTable } from "./postings.ts"
export { createPostings } from "./postings.ts"
export type { TermCounts } from "./words.ts"

// The ranker: its numbers, what is prepared once for a tree, and the ranking itself.

export type { Corpus, FileEntry } from "./ranker/corpus.ts"
export { prepareCorpus } from "./ranker/corpus.ts"
export type { Head } from "./ranker/fusion.ts"
export { HEADS } from "./ranker/fusion.ts"
export type { Commit, History } from "./ranker/history.ts"
export { prepareHistory } from "./ranker/history.ts"
export type { Ranker } from "./ranker/load-ranker.ts"
export { loadRanker } from "./ranker/load-ranker.ts"
export type { Meaning } from "./ranker/meaning.ts"
export { meaningOf, prepareMeaning } from "./ranker/meaning.ts"
export type { Ranking, SearchedTree } from "./ranker/rank.ts"
export { rank } from "./ranker/rank.ts"
export type { WordTable } from "./ranker/word-table.ts"
export { reasonsFor } from "./reasons.ts"
export type { LiftedFile, LiftWeights, Tie } from "./second-stage.ts"
export { LIFT_WEIGHTS, lift, TIES } from "./second-stage.ts"

// What can go wrong.

export {
  DocumentInvalid,
  HeadNeedsTable,
  NothingToSearch,
  RankerDamaged,
  RankerMissing,
  WeightsInvalid,
} from "./errors.ts"
