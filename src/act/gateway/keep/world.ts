import type { Clock, Ids, Log, ProcessIdentity } from "#ground/base"
import type { GatewayCarry } from "#ground/contract"
import type { Db } from "#ground/store"
import type { CarryRow, Owner } from "./rows.ts"

/** What keeping needs of the outside. */
export type KeepDeps = {
  readonly db: Db<"gateway">
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** This process. */
  readonly owner: Owner
  isAlive(identity: ProcessIdentity): boolean
  /** Of the repository; every row has it, every question asks for it. */
  root(): string
  /** How many requests of this repository stay. */
  keepRequests(): number
}

/** Of another machine it cannot be known; there a carry counts until it says that it has ended. */
export function isThere(owner: Owner, deps: Pick<KeepDeps, "owner" | "isAlive">): boolean {
  if (owner.machine !== deps.owner.machine) return true
  const startedAt = owner.startedAt === "" ? undefined : owner.startedAt
  return deps.isAlive({ pid: owner.pid, startedAt })
}

/** A row as it leaves the room. */
export function carryOf(row: CarryRow, deps: Pick<KeepDeps, "owner" | "isAlive">): GatewayCarry {
  const { owner, facts, ...fields } = row
  return { ...facts, ...fields, isAlive: row.endedAt === null && isThere(owner, deps) }
}
