import type { Agents } from "#act/agents"
import type { Worktrees } from "#act/worktrees"
import type { Clock, Ids, Log } from "#ground/base"
import type { Caller, Config } from "#ground/contract"
import type { Db } from "#ground/store"
import type { BoardRoom } from "#know/board"
import type { TouchSources } from "./plan-swarm.ts"

export type SwarmDeps = {
  readonly stateDirectory: string
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  settings(): Config["swarm"]
  /** The board of this repository; `root` of a worktree captures evidence there. */
  board(options?: { readonly root?: string; readonly by?: SwarmMover }): Promise<BoardRoom>
  worktrees(): Promise<Worktrees>
  agents(): Promise<Agents>
  readonly sources: TouchSources
  /** Commands of board.checks. */
  checks(): readonly (readonly string[])[]
  definition(name: string): Promise<{ readonly model: string | null; readonly text: string }>
  claimedByOthers(paths: readonly string[]): readonly { path: string; session: string }[]
  refuseUnlessAuto(caller: Caller | undefined): Promise<void>
  db(): Promise<Db<"swarm">>
}

type SwarmMover = {
  readonly workstream: string
  readonly agent: string
  readonly runId?: string
}

export type Call = { readonly signal: AbortSignal; readonly caller?: Caller | undefined }
