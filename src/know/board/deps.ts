import type { Clock, Random } from "#ground/base"
import type { BoardActor, Caller, Config } from "#ground/contract"
import type { Db } from "#ground/store"
import type { LogRecord } from "./log/log-record.ts"
import type { WorkingTree } from "./working-tree.ts"

/** The caller: a person, or automation with the agent's name. */
export type BoardIdentity = {
  readonly actor: Extract<BoardActor, "auto" | "human">
  readonly session: string
  readonly by: LogRecord["by"]
}

export type BoardDeps = {
  db(): Promise<Db<"board">>
  root(): string
  /** Where evidence commands run, if not in the root: a worktree. */
  commandRoot?(): string
  readonly stateDirectory: string
  readonly clock: Clock
  readonly random: Random
  /** When it rejects, nothing is written. */
  redact(text: string): Promise<string>
  settings(): Config["board"]
  readonly tree: WorkingTree
  environment(): Readonly<Record<string, string | undefined>>
  identify(caller: Caller | undefined, session: string | undefined): BoardIdentity
}
