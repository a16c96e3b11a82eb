import type { ScanMode, ScanResult } from "#ground/contract"
import type { Commit, Corpus, History, PostingsOf } from "#know/search"
import type { FileClass, ObjectFormat, Skip, SkipReason } from "#see/repo"
import type { ImportFact, LanguageName, Problem, ReferenceFact, SymbolFact } from "../facts.ts"

/** A file of the tree. Its content has a number, which it shares with all files that are equal. */
export type IndexedFile = {
  readonly path: string
  readonly content: number
  readonly blobId: string
  readonly fileClass: FileClass
  readonly sizeBytes: number
  /** Undefined for what takes part by path and text only. */
  readonly language: LanguageName | undefined
  readonly lines: number
  /** Of the whole text: the sum of its segments. */
  readonly tokens: number
  readonly symbolCount: number
  readonly importCount: number
  /** Why it could be read in part only; how many reasons there are. */
  readonly problemCount: number
  /** Terms of its text, for ranking. */
  readonly bodyLength: number
}

export type ContentSymbol = SymbolFact & {
  /** All its lines: the sum of its parts. */
  readonly tokens: number
  /** Its line in a list of signatures, as `signatureLine` writes it. */
  readonly signatureTokens: number
}

/**
 * A part of a text, from line to line. The segments of a text follow each other without a gap; one
 * is a function, a method, the head of a class, or what stands between.
 */
export type Segment = {
  readonly fromLine: number
  readonly toLine: number
  readonly tokens: number
  /** Index of the innermost symbol it is part of. */
  readonly symbol: number | undefined
}

/** What is known of a content, wherever it lies. */
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

/** A file that is there and takes no part: generated, minified, vendored, or a list of versions. */
export type UnreadFile = {
  readonly path: string
  readonly fileClass: FileClass
  readonly sizeBytes: number
}

/** A tree as it was scanned: what searching and choosing stand on. */
export type IndexedTree = {
  /** Of all paths and contents; equal trees have equal ones. */
  readonly digest: string
  /** Another one means another tree, another past, or contents under other numbers. */
  readonly revision: number
  readonly gitSha: string | undefined
  readonly scannedAtMs: number
  /** Sorted by path. */
  readonly files: readonly IndexedFile[]
  /** Sorted by path. */
  readonly unread: readonly UnreadFile[]
  /** The position of a file is its place in `files`. Made at the first call, then kept. */
  corpus(): Corpus
  /** Undefined without a past. Made at the first call, then kept. */
  history(): History | undefined
  /** Newest first; messages are cleaned. */
  readonly commits: readonly Commit[]
  /** Why there is no past, in words. */
  readonly historyProblem: string | undefined
  readonly skipped: readonly Skip[]
  postings(terms: readonly string[]): Promise<PostingsOf>
  /** Facts of contents by their numbers. */
  contents(numbers: readonly number[]): Promise<ReadonlyMap<number, Content>>
  /** Contents of this tree that define a symbol of exactly this name. */
  definers(names: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>
  /** Contents of this tree that use exactly this name. */
  referrers(names: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>
  /** Texts of files as they were scanned; undefined where the file has changed or is gone. */
  texts(paths: readonly string[]): Promise<ReadonlyMap<string, string | undefined>>
}

/** A file as its source lists it. */
export type SourceEntry = {
  readonly path: string
  readonly sizeBytes: number
  /** Where it is known without reading, as in a commit. */
  readonly blobId?: string
  /** Changes whenever the file does, as far as can be told without reading it. */
  readonly stamp?: string
}

/** A file that was read, or why it was not. */
export type SourceText =
  | { readonly path: string; readonly bytes: Uint8Array; readonly fileClass: FileClass }
  | { readonly path: string; readonly skip: SkipReason }

/** Where the files of a tree come from: a working tree, or a commit. */
export type TreeSource = {
  /** Tells the trees of one store apart. */
  readonly key: string
  /** In what its blob ids are written. */
  readonly format: ObjectFormat
  list(signal: AbortSignal): Promise<{
    readonly entries: readonly SourceEntry[]
    readonly skipped: readonly Skip[]
    readonly gitSha: string | undefined
  }>
  /** Bytes in the order asked for; a reason instead where there are none. */
  read(entries: readonly SourceEntry[], signal: AbortSignal): AsyncIterable<SourceText>
  /** What lies before a commit, or why there is no past; commits that are known are not read again. */
  past(
    given: {
      readonly gitSha: string | undefined
      readonly known: Past | undefined
      readonly redact: (text: string) => string
    },
    signal: AbortSignal,
  ): Promise<Past | { readonly problem: string }>
}

/** Commits newest first, with their ids at the same places; messages are cleaned. */
export type Past = { readonly ids: readonly string[]; readonly commits: readonly Commit[] }

export type ScanOptions = {
  readonly mode: ScanMode
  readonly signal: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

export type Scanned = { readonly result: ScanResult; readonly tree: IndexedTree }

/** The index of a store: trees that were scanned, and contents that they share. */
export type TreeIndex = {
  scan(source: TreeSource, options: ScanOptions): Promise<Scanned>
  /** The tree as the last scan left it; undefined when there was none. */
  open(source: TreeSource): Promise<IndexedTree | undefined>
}
