import {
  CREATIONS_PER_CLEANING,
  MOST_BRANCHES_KEPT,
  MOST_CLEANED_BRANCHES,
  TRAIL_TEXT_LIFE_MS,
  UNTRUSTED_LIFE_MS,
} from "./limits.ts"
import { CountRow, IdRow } from "./rows.ts"
import {
  countBranches,
  deleteBranches,
  deleteExpiredHandles,
  deleteHandlesOf,
  deleteTrails,
  deleteUntrusted,
  selectSurplus,
} from "./view-queries.ts"
import type { FoldDeps } from "./world.ts"

type Cleaning = Pick<FoldDeps, "db" | "root" | "clock" | "random" | "log">

/** By chance, since many short processes open one branch each and none of them would ever clean. */
export async function cleanIfDue(deps: Cleaning): Promise<void> {
  const [byte = 0, second = 0] = deps.random.bytes(2)
  const isDue = (byte * 256 + second) % CREATIONS_PER_CLEANING === 0
  if (!isDue) return
  try {
    await clean(deps, MOST_BRANCHES_KEPT)
  } catch (error) {
    // What is too much can stay until the next time.
    deps.log.warn("old branches were not taken away", { error })
  }
}

/** The oldest finished branches beyond those kept, their trails, and handles that have expired. */
export async function clean(deps: Cleaning, kept: number): Promise<void> {
  const [db, root, now] = [await deps.db(), deps.root(), deps.clock.now()]
  const total = (await db.get(CountRow, countBranches(root)))?.count ?? 0
  await db.transaction(async (tx) => {
    await tx.run(deleteExpiredHandles({ root, now, trailTextsSince: now - TRAIL_TEXT_LIFE_MS }))
    await tx.run(deleteUntrusted(root, now - UNTRUSTED_LIFE_MS))
    if (total <= kept) return
    const asked = { root, kept, limit: MOST_CLEANED_BRANCHES }
    const ids = (await tx.all(IdRow, selectSurplus(asked))).map((it) => it.id)
    if (ids.length === 0) return
    await tx.run(deleteHandlesOf(ids))
    await tx.run(deleteTrails(ids))
    await tx.run(deleteBranches(ids))
  })
}
