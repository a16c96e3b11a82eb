import type { Clock, Log } from "#ground/base"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { Judge } from "./verify/citation-accuracy.ts"

/** What makes a vector of a text; its name says which, since vectors of two are not compared. */
export type Embedder = {
  readonly name: string
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
}

export type KnowledgeDeps = {
  db(): Promise<Db<"knowledge">>
  readonly clock: Clock
  readonly log: Log
  /** Counts tokens. */
  count(): Promise<(text: string) => number>
  /** When it throws or rejects, nothing is kept. */
  secrets(): Promise<Pick<Secrets, "redact">>
  /** Undefined when none is configured: then words alone are searched. */
  embedder(): Promise<Embedder | undefined>
  /** A model that says whether a text supports a sentence; undefined when there is none. */
  judge?(): Promise<Judge | undefined>
}
