import type { Caller } from "#ground/contract"
import type { Sql } from "#ground/store"
import { endByForce, type Forced } from "./end.ts"
import { selectLive, selectLiveOfSession } from "./queries.ts"
import { BranchRow, type Owner } from "./rows.ts"
import { openScrub } from "./scrub.ts"
import { counterOrRough, type FoldDeps, sessionOf } from "./world.ts"

/** Ends of sessions and of processes: nothing stays active that nobody works on. */
export function createEnds(deps: FoldDeps & { onEnded(): void }) {
  async function endAll({ rows, isMeant, reason }: Meant): Promise<string[]> {
    const count = await counterOrRough(deps)
    const at = deps.clock.now()
    const db = await deps.db()
    const ended = await db.transaction(async (tx) => {
      const meant = (await tx.all(BranchRow, rows)).filter(isMeant)
      const ids: string[] = []
      for (const row of meant) ids.push(...(await endByForce(tx, { row, reason, at, count })))
      return ids
    })
    deps.onEnded()
    return ended
  }

  /** Most sessions and starts have nothing to end, and take no turn among those who write. */
  async function endIfAny(meant: Meant): Promise<string[]> {
    const db = await deps.db()
    const isAny = (await db.all(BranchRow, meant.rows)).some(meant.isMeant)
    return isAny ? endAll(meant) : []
  }

  return {
    /** A caller ends its own; without one, the session ends for everybody. */
    async end(
      sessionId: string,
      caller?: Caller,
      reason: "session-ended" | "shutdown" = "session-ended",
    ): Promise<string[]> {
      const session = sessionOf(sessionId, caller?.session ?? "", await openScrub(deps))
      const isMeant = (row: BranchRow) => caller === undefined || row.principal === caller.principal
      return endIfAny({ rows: selectLiveOfSession(deps.root(), session), isMeant, reason })
    },
    /** At start: branches whose process is gone. Those of other machines end at their deadline. */
    async recover(): Promise<number> {
      const isMeant = (row: BranchRow) => isLost(row.owner, deps)
      const rows = selectLive(deps.root())
      return (await endIfAny({ rows, isMeant, reason: "shutdown" })).length
    },
    /** Also one that is being stored at this moment: it is asked for behind it. */
    async endOwn(reason: "shutdown"): Promise<void> {
      const isMeant = (row: BranchRow) => isSame(row.owner, deps.owner)
      await endAll({ rows: selectLive(deps.root()), isMeant, reason })
    },
  }
}

type Meant = {
  readonly rows: Sql
  isMeant(row: BranchRow): boolean
  readonly reason: Forced
}

function isLost(owner: Owner, deps: FoldDeps): boolean {
  if (isSame(owner, deps.owner) || owner.machine !== deps.owner.machine) return false
  const startedAt = owner.startedAt === "" ? undefined : owner.startedAt
  return !deps.isAlive({ pid: owner.pid, startedAt })
}

function isSame(a: Owner, b: Owner): boolean {
  const isSameProcess = a.machine === b.machine && a.pid === b.pid && a.startedAt === b.startedAt
  return isSameProcess && a.instance === b.instance
}
