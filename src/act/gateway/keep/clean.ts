import { EMPTY_CARRY_LIFE_MS, LATCH_LIFE_MS, MOST_CLEANED } from "./limits.ts"
import {
  deleteCarries,
  deleteLatches,
  deleteOldChains,
  deleteTexts,
  selectEmptied,
  selectOldestKept,
} from "./queries.ts"
import { EndedRow, MomentRow } from "./rows.ts"
import type { KeepDeps } from "./world.ts"

type Cleaning = Pick<KeepDeps, "db" | "root" | "clock" | "log" | "keepRequests">

/** What is too much can stay until the next time. */
export async function cleanIfItCan(deps: Cleaning): Promise<void> {
  try {
    await clean(deps)
  } catch (error) {
    deps.log.warn("old requests were not taken away", { error })
  }
}

/** The oldest requests beyond those kept, chain by chain, and what is left of their carries. */
async function clean(deps: Cleaning): Promise<void> {
  const [root, now] = [deps.root(), deps.clock.now()]
  const kept = Math.max(1, deps.keepRequests())
  await deps.db.transaction(async (tx) => {
    await tx.run(deleteLatches(root, now - LATCH_LIFE_MS))
    const oldest = await tx.get(MomentRow, selectOldestKept(root, kept))
    if (oldest !== undefined) {
      await tx.run(deleteOldChains({ root, before: oldest.at, limit: MOST_CLEANED }))
    }
    const emptied = await tx.all(EndedRow, selectEmptied(root, MOST_CLEANED))
    if (emptied.length === 0) return
    const ids = emptied.map((it) => it.id)
    await tx.run(deleteTexts(root, ids))
    const old = emptied.filter((it) => it.ended_at < now - EMPTY_CARRY_LIFE_MS).map((it) => it.id)
    if (old.length > 0) await tx.run(deleteCarries(root, old))
  })
}
