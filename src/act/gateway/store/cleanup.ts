import { ProxiedSessionUnknown } from "../errors.ts"
import {
  deleteLatches,
  deleteMasks,
  deleteOldChains,
  deleteProxiedSessions,
  deleteRequests,
  deleteTexts,
  selectEmptied,
  selectIdsOfRun,
  selectOldestKept,
  selectProxiedSession,
} from "./queries.ts"
import { EndedRow, IdRow, MomentRow, ProxiedSessionRow, type StoreDeps } from "./rows.ts"

/** Longer than any host keeps a session. */
export const LATCH_LIFE_MS = 400 * 24 * 60 * 60 * 1_000

/** How long an ended session without requests stays listed. */
export const EMPTY_SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

/** A write of about 10 ms. */
const MOST_CLEANED = 500

type CleanupDeps = Pick<StoreDeps, "db" | "root" | "clock" | "log" | "keepRequests">

/** A failed cleanup is repeated the next time. */
export async function cleanIfItCan(deps: CleanupDeps): Promise<void> {
  try {
    await clean(deps)
  } catch (error) {
    deps.log.warn("could not delete old requests", { error })
  }
}

/**
 * Deletes the oldest requests over the limit, chain by chain, and the rows that belonged to them.
 */
async function clean(deps: CleanupDeps): Promise<void> {
  const [root, now] = [deps.root(), deps.clock.now()]
  const limit = Math.max(1, deps.keepRequests())
  await deps.db.transaction(async (tx) => {
    await tx.run(deleteLatches(root, now - LATCH_LIFE_MS))
    await tx.run(deleteMasks(root, now - LATCH_LIFE_MS))
    const oldest = await tx.get(MomentRow, selectOldestKept(root, limit))
    if (oldest !== undefined) {
      await tx.run(deleteOldChains({ root, before: oldest.at, limit: MOST_CLEANED }))
    }
    const emptied = await tx.all(EndedRow, selectEmptied(root, MOST_CLEANED))
    if (emptied.length === 0) return
    const ids = emptied.map((it) => it.id)
    await tx.run(deleteTexts(root, ids))
    const old = emptied.filter((it) => it.ended_at < now - EMPTY_SESSION_LIFE_MS).map((it) => it.id)
    if (old.length > 0) await tx.run(deleteProxiedSessions(root, old))
  })
}

export async function deleteProxiedSession(
  deps: StoreDeps,
  id: string,
): Promise<{ readonly id: string; readonly requests: number }> {
  const row = await deps.db.get(ProxiedSessionRow, selectProxiedSession({ root: deps.root(), id }))
  if (row === undefined) throw ProxiedSessionUnknown({ id })
  await deleteAll(deps, [id], row.run)
  return { id, requests: row.requests }
}

/** In batches: a run that was resumed often has many. */
export async function deleteRun(deps: StoreDeps, run: string): Promise<void> {
  const { db, root } = deps
  let ids: readonly string[]
  do {
    const rows = await db.all(IdRow, selectIdsOfRun(root(), run, ROWS_PER_STATEMENT))
    ids = rows.map((it) => it.id)
    await deleteAll(deps, ids, run)
  } while (ids.length === ROWS_PER_STATEMENT)
}

async function deleteAll(
  { db, root }: StoreDeps,
  ids: readonly string[],
  run: string | null,
): Promise<void> {
  if (ids.length === 0) return
  await db.transaction(async (tx) => {
    await tx.run(deleteTexts(root(), ids))
    await tx.run(deleteRequests(root(), ids))
    await tx.run(deleteProxiedSessions(root(), ids))
    for (const id of ids) tx.emit("gateway.deleted", { proxiedSession: id, run })
  })
}

/** SQLite binds at most 32,766 values. */
export const ROWS_PER_STATEMENT = 200
