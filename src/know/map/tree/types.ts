import type { ScanMode, ScanResult } from "#ground/contract"
import type { Commit, Corpus, History, PostingsOf } from "#know/search"
import type { FileClass, ObjectFormat, Skip, SkipReason } from "#see/repo"
import type { ImportFact, LanguageName, Problem, ReferenceFact, SymbolFact } from "../facts.ts"

export type IndexedFile = {
  readonly path: string
  readonly content: number
  readonly blobId: string
  readonly fileClass: FileClass
  readonly sizeBytes: number
  readonly language: LanguageName | undefined
  readonly lines: number
  readonly tokens: number
  readonly symbolCount: number
  readonly importCount: number
  readonly problemCount: number
  readonly bodyLength: number
}

export type ContentSymbol = SymbolFact & {
  readonly tokens: number
  readonly signatureTokens: number
}

/** Contiguous: a function, a method, the head of a class, or the code in between. */
export type Segment = {
  readonly fromLine: number
  readonly toLine: number
  readonly tokens: number
  readonly symbol: number | undefined
}

export type Content = {
  readonly number: number
  readonly blobId: string
  readonly language: LanguageName | undefined
  readonly symbols: readonly ContentSymbol[]
  readonly segments: readonly Segment[]
  readonly references: readonly ReferenceFact[]
  readonly imports: readonly ImportFact[]
  readonly packages: readonly string[]
  readonly problems: readonly Problem[]
}

/** Generated, minified, vendored, or a lock file. */
export type UnreadFile = {
  readonly path: string
  readonly fileClass: FileClass
  readonly sizeBytes: number
}

export type IndexedTree = {
  readonly digest: string
  readonly revision: number
  readonly gitSha: string | undefined
  readonly scannedAtMs: number
  readonly files: readonly IndexedFile[]
  readonly unread: readonly UnreadFile[]
  /** Created at the first call, like `history`. Positions are indexes in `files`. */
  corpus(): Corpus
  history(): History | undefined
  /** Newest first; messages are cleaned. */
  readonly commits: readonly Commit[]
  readonly historyProblem: string | undefined
  readonly skipped: readonly Skip[]
  postings(terms: readonly string[]): Promise<PostingsOf>
  contents(numbers: readonly number[]): Promise<ReadonlyMap<number, Content>>
  definers(names: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>
  referrers(names: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>
  /** Undefined for a file that changed since the scan. */
  texts(paths: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>
}

export type SourceEntry = {
  readonly path: string
  readonly sizeBytes: number
  readonly blobId?: string
  /** Changes with the file, as far as can be determined without reading it. */
  readonly stamp?: string
}

export type SourceText =
  | { readonly path: string; readonly bytes: Uint8Array; readonly fileClass: FileClass }
  | { readonly path: string; readonly skip: SkipReason }

export type TreeSource = {
  readonly key: string
  readonly format: ObjectFormat
  list(signal: AbortSignal): Promise<{
    readonly entries: readonly SourceEntry[]
    readonly skipped: readonly Skip[]
    readonly gitSha: string | undefined
  }>
  /** In the given order; a reason where there are no bytes. */
  read(entries: readonly SourceEntry[], signal: AbortSignal): AsyncIterable<SourceText>
  past(
    given: {
      readonly gitSha: string | undefined
      readonly known: CommitHistory | undefined
      readonly redact: (text: string) => string
    },
    signal: AbortSignal,
  ): Promise<CommitHistory | { readonly problem: string }>
}

/** Newest first, with ids at the same indexes. */
export type CommitHistory = { readonly ids: readonly string[]; readonly commits: readonly Commit[] }

export type ScanOptions = {
  readonly mode: ScanMode
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

export type ScannedTree = { readonly result: ScanResult; readonly tree: IndexedTree }

export type TreeIndex = {
  scan(source: TreeSource, options: ScanOptions): Promise<ScannedTree>
  open(source: TreeSource): Promise<IndexedTree | undefined>
}
