import type { Clock, Log } from "#ground/base"
import type { PrepareRedaction, Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { WordVectors } from "#know/search"
import type { CodeReader } from "./readers/code.ts"
import type { Judge } from "./verify/citation-accuracy.ts"

/** Vectors of two embedders are not comparable, so `name` identifies them. */
export type Embedder = {
  readonly name: string
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

export type KnowledgeDeps = {
  db(): Promise<Db<"knowledge">>
  readonly clock: Clock
  readonly log: Log
  count(): Promise<(text: string) => number>
  /** When it throws or rejects, nothing is stored. */
  secrets(): Promise<Pick<Secrets, "redact"> & { readonly prepare?: PrepareRedaction }>
  embedder(): Promise<Embedder | undefined>
  /** Vectors of words, for related words. Undefined: only the words themselves are searched. */
  wordVectors?(): Promise<WordVectors | undefined>
  /** Whether names that the documents define for one thing count too, with `wordVectors`; default true. */
  readonly synonyms?: boolean
  /** Reads source files for `add` with `code`; closed after it. */
  code?(): Promise<CodeReader>
  judge?(): Promise<Judge | undefined>
}
