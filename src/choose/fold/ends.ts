import type { Caller } from "#ground/contract"
import type { Sql } from "#ground/store"
import { endByForce, type Forced } from "./end.ts"
import { selectLive, selectLiveOfSession } from "./queries.ts"
import { BranchRow, type Owner } from "./rows.ts"
import { openScrub } from "./scrub.ts"
import { counterOrRough, type FoldDeps, sessionOf } from "./world.ts"

/** Ends of sessions and of processes: nothing stays active that nobody works on. */
export function createEnds(deps: FoldDeps & { onEnded(): void }) {
  async function endAll(rows: Sql, isMeant: (row: BranchRow) => boolean, reason: Forced) {
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

  return {
    /** A caller ends its own; without one, the session ends for everybody. */
    async end(
      sessionId: string,
      caller?: Caller,
      reason: "session-ended" | "shutdown" = "session-ended",
    ): Promise<string[]> {
      const session = sessionOf(sessionId, caller?.session ?? "", await openScrub(deps))
      const isMeant = (row: BranchRow) => caller === undefined || row.principal === caller.principal
      return endAll(selectLiveOfSession(deps.root(), session), isMeant, reason)
    },
    /** At start: branches whose process is gone. Those of other machines end at their deadline. */
    async recover(): Promise<number> {
      const ended = await endAll(
        selectLive(deps.root()),
        (row) => isLost(row.owner, deps),
        "shutdown",
      )
      return ended.length
    },
    endOwn: (reason: "shutdown"): Promise<string[]> =>
      endAll(selectLive(deps.root()), (row) => isSame(row.owner, deps.owner), reason),
  }
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
