import type { Clock, Log, Random } from "#ground/base"
import type { Caller } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { HashOf } from "./cites.ts"

export type MemoryDeps = {
  db(): Promise<Db<"memory">>
  /** Of the repository, without links. Every row carries it; every query asks for it. */
  root(): string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Counts tokens. */
  count(): Promise<(text: string) => number>
  /** When it throws or rejects, nothing is written and nothing leaves. */
  secrets(): Promise<Pick<Secrets, "redact">>
  readonly hashOf: HashOf
  commit(): Promise<string | null>
  /** Where hooks find what they are told of; without it nothing is kept for them. */
  stateDirectory?(): string
  /** Whether a session has read a text that nobody here wrote. */
  isUntrusted(sessionId: string): Promise<boolean>
}

/** The person at the terminal has no caller; one at the console is the owner and no program. */
export function isPerson(caller: Caller | undefined): boolean {
  return caller === undefined || (caller.principal === "owner" && caller.client === undefined)
}
