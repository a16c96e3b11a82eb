import type { Clock, Random } from "#ground/base"
import type { Db, Tx } from "#ground/store"
import { MemoryBusy } from "./errors.ts"
import { LEASE_MS, LOCK_TRY_MS, LONGEST_LOCK_WAIT_MS } from "./limits.ts"
import { releaseLock, takeLock } from "./queries.ts"

export type Held = {
  /**
   * Lets go in the transaction of the change. Throws when the lock was lost: others may have
   * written since, and what this holder did is to be undone.
   */
  letGo(tx: Tx<"memory">): Promise<void>
}

type Deps = {
  db(): Promise<Db<"memory">>
  root(): string
  readonly clock: Clock
  readonly random: Random
}

/** One writer of a repository's memories at a time: here one after the other, elsewhere by a row. */
export function createWriteLock(deps: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  return function locked<Result>(work: (held: Held) => Promise<Result>): Promise<Result> {
    const mine = last.then(() => underLease(work, deps))
    last = mine.catch(() => {})
    return mine
  }
}

async function underLease<Result>(
  work: (held: Held) => Promise<Result>,
  deps: Deps,
): Promise<Result> {
  const db = await deps.db()
  const root = deps.root()
  const owner = Buffer.from(deps.random.bytes(16)).toString("hex")
  await take(db, { root, owner, clock: deps.clock })
  let hasLetGo = false
  const held: Held = {
    async letGo(tx) {
      hasLetGo = true
      const { changes } = await tx.run(releaseLock(root, owner))
      if (changes !== 1) throw MemoryBusy({})
    },
  }
  const result = await work(held).catch(async (error: unknown) => {
    // The failure that led here is the one to tell; a lock that stays ends by itself.
    await db.run(releaseLock(root, owner)).catch(() => {})
    throw error
  })
  if (!hasLetGo) await db.run(releaseLock(root, owner))
  return result
}

type Wanted = { readonly root: string; readonly owner: string; readonly clock: Clock }

async function take(db: Db<"memory">, { root, owner, clock }: Wanted): Promise<void> {
  const until = clock.monotonicMs() + LONGEST_LOCK_WAIT_MS
  for (;;) {
    const lease = { root, owner, now: clock.now(), leaseMs: LEASE_MS }
    const { changes } = await db.run(takeLock(lease))
    if (changes === 1) return
    if (clock.monotonicMs() >= until) throw MemoryBusy({})
    await clock.sleep(LOCK_TRY_MS)
  }
}
