import { CarryUnknown } from "./errors.ts"
import { ROWS_PER_STATEMENT } from "./limits.ts"
import { deleteCarries, deleteRequests, deleteTexts, selectIdsOfRun } from "./queries.ts"
import { CarryRow, IdRow } from "./rows.ts"
import { selectCarry } from "./view-queries.ts"
import type { KeepDeps } from "./world.ts"

export async function deleteCarry(
  deps: KeepDeps,
  id: string,
): Promise<{ readonly id: string; readonly requests: number }> {
  const row = await deps.db.get(CarryRow, selectCarry({ root: deps.root(), id }))
  if (row === undefined) throw CarryUnknown({ id })
  await deleteAll(deps, [id], row.run)
  return { id, requests: row.requests }
}

/** In pieces: a run that was resumed often has many. */
export async function deleteRun(deps: KeepDeps, run: string): Promise<void> {
  const { db, root } = deps
  let ids: readonly string[]
  do {
    const rows = await db.all(IdRow, selectIdsOfRun(root(), run, ROWS_PER_STATEMENT))
    ids = rows.map((it) => it.id)
    await deleteAll(deps, ids, run)
  } while (ids.length === ROWS_PER_STATEMENT)
}

async function deleteAll(
  { db, root }: KeepDeps,
  ids: readonly string[],
  run: string | null,
): Promise<void> {
  if (ids.length === 0) return
  await db.transaction(async (tx) => {
    await tx.run(deleteTexts(root(), ids))
    await tx.run(deleteRequests(root(), ids))
    await tx.run(deleteCarries(root(), ids))
    for (const carry of ids) tx.emit("gateway.deleted", { carry, run })
  })
}
