import type { Clock, Random } from "#ground/base"
import type { Db, Tx } from "#ground/store"
import { MemoryBusy } from "../errors.ts"
import { LEASE_MS, LOCK_TRY_MS } from "../limits.ts"
import { releaseLock, takeLock } from "../queries.ts"

/** Longer than a lease, so that a dead process costs a wait and not an error. */
const LONGEST_LOCK_WAIT_MS = 15_000

export type HeldLock = {
  /**
   * Releases in the transaction of the change. Throws when the lock was lost; then the caller must
   * revert.
   */
  release(tx: Tx<"memory">): Promise<void>
}

type Deps = {
  db(): Promise<Db<"memory">>
  root(): string
  readonly clock: Clock
  readonly random: Random
}

/** One writer per repository: a queue in this process, a row between processes. */
export function createWriteLock(deps: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  return function locked<Result>(work: (held: HeldLock) => Promise<Result>): Promise<Result> {
    const mine = last.then(() => underLease(work, deps))
    last = mine.catch(() => {})
    return mine
  }
}

async function underLease<Result>(
  work: (held: HeldLock) => Promise<Result>,
  deps: Deps,
): Promise<Result> {
  const db = await deps.db()
  const root = deps.root()
  const owner = Buffer.from(deps.random.bytes(16)).toString("hex")
  await take(db, { root, owner, clock: deps.clock })
  let hasLetGo = false
  const held: HeldLock = {
    async release(tx) {
      hasLetGo = true
      const { changes } = await tx.run(releaseLock(root, owner))
      if (changes !== 1) throw MemoryBusy({})
    },
  }
  const result = await work(held).catch(async (error: unknown) => {
    // Keep the original failure; the lock expires by itself.
    await db.run(releaseLock(root, owner)).catch(() => {})
    throw error
  })
  if (!hasLetGo) await db.run(releaseLock(root, owner))
  return result
}

type LockRequest = { readonly root: string; readonly owner: string; readonly clock: Clock }

async function take(db: Db<"memory">, { root, owner, clock }: LockRequest): Promise<void> {
  const until = clock.monotonicMs() + LONGEST_LOCK_WAIT_MS
  for (;;) {
    const lease = { root, owner, now: clock.now(), leaseMs: LEASE_MS }
    const { changes } = await db.run(takeLock(lease))
    if (changes === 1) return
    if (clock.monotonicMs() >= until) throw MemoryBusy({})
    await clock.sleep(LOCK_TRY_MS)
  }
}
