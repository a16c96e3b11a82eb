import type { Clock, Log, Random } from "#ground/base"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { HashOf } from "./files/citations.ts"

export type MemoryDeps = {
  db(): Promise<Db<"memory">>
  root(): string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  count(): Promise<(text: string) => number>
  /** When it throws or rejects, nothing is written or returned. */
  secrets(): Promise<Pick<Secrets, "redact">>
  readonly hashOf: HashOf
  commit(): Promise<string | null>
  /** Where hooks read pitfalls; without it none are written. */
  stateDirectory?(): string
  isUntrusted(sessionId: string): Promise<boolean>
}

export { isHuman as isPerson } from "#ground/contract"
