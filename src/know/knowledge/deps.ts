import type { Clock, Log } from "#ground/base"
import type { PrepareRedaction, Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
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
  judge?(): Promise<Judge | undefined>
}
