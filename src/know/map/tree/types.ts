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
  /** At the same indexes as `commits`. */
  readonly commitTimesMs: readonly number[]
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

/** A path whose change may change the list of files; it has no stamp if it changed just before. */
export type TreeProbe = {
  readonly path: string
  readonly stamp?: string | undefined
  readonly isFolder?: boolean | undefined
}

/** The stored part of an earlier result of `list`. */
export type ListedBefore = {
  readonly probes: readonly TreeProbe[]
  readonly skipped: readonly Skip[]
  readonly files: readonly TreeProbe[]
  readonly unread: readonly TreeProbe[]
  readonly refused: readonly TreeProbe[]
}

export type SourceState = {
  readonly gitSha: string | undefined
  readonly paths: Iterable<TreeProbe>
}

export type TreeSource = {
  readonly key: string
  readonly format: ObjectFormat
  /** Among the probes: while it is the same, one commit has one history. */
  readonly historyProbe?: string
  /** With `before` it may look only at the paths listed then, if no other path can have changed. */
  list(
    signal: AbortSignal,
    before?: ListedBefore,
  ): Promise<{
    readonly entries: readonly SourceEntry[]
    readonly skipped: readonly Skip[]
    readonly probes: readonly TreeProbe[]
    readonly gitSha: string | undefined
  }>
  /** True only if a scan would give the same tree; reads no file and lists no folder. */
  isUnchanged(state: SourceState, signal: AbortSignal): Promise<boolean>
  /** In the given order; a reason where there are no bytes. Use the bytes before reading the next. */
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

/** Newest first, with ids and commit times at the same indexes. */
export type CommitHistory = {
  readonly ids: readonly string[]
  readonly timesMs: readonly number[]
  readonly commits: readonly Commit[]
}

export type ScanOptions = {
  readonly mode: ScanMode
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

export type ScannedTree = { readonly result: ScanResult; readonly tree: IndexedTree }

export type TreeIndex = {
  /**
   * True only if a scan would give the stored tree. With `depth` "git" only the commit and git's
   * own files are compared, for a caller that knows the others to be unchanged.
   */
  isCurrent(
    source: TreeSource,
    options: { readonly signal: AbortSignal; readonly depth?: "git" | "all" },
  ): Promise<boolean>
  scan(source: TreeSource, options: ScanOptions): Promise<ScannedTree>
  open(source: TreeSource): Promise<IndexedTree | undefined>
}
