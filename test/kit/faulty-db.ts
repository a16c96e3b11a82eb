import type { EventRoom } from "#ground/contract"
import type { Db, Tx } from "#ground/store"

export class InjectedFault extends Error {
  override readonly name = "InjectedFault"
}

/**
 * A database whose call number `failAt` fails, counted over all calls; the moment before a commit
 * also counts as a call. Earlier calls of the same transaction must be rolled back.
 */
export function faultyDb<Room extends EventRoom>(db: Db<Room>, failAt: number) {
  let calls = 0
  let hasFailed = false
  const count = (): void => {
    calls++
    if (calls !== failAt) return
    hasFailed = true
    throw new InjectedFault(`call ${calls} was made to fail`)
  }
  const faulty = <Queries extends Tx<Room> | Db<Room>>(queries: Queries): Queries => ({
    ...queries,
    all: async (row: never, query: never) => (count(), queries.all(row, query)),
    get: async (row: never, query: never) => (count(), queries.get(row, query)),
    run: async (query: never) => (count(), queries.run(query)),
  })
  const faultyWhole: Db<Room> = {
    ...faulty(db),
    transaction: async (work) => {
      count()
      return db.transaction(async (tx) => {
        const result = await work(faulty(tx))
        count()
        return result
      })
    },
  }
  return { db: faultyWhole, hasFailed: () => hasFailed }
}

/**
 * Runs `write` with the first call failing, then the second, and so on, until it succeeds.
 * `afterFailure` receives the state after each failure.
 */
export async function failAtEveryCall<Room extends EventRoom>(
  db: Db<Room>,
  plan: {
    write: (db: Db<Room>) => Promise<void>
    afterFailure: (call: number) => Promise<void>
  },
): Promise<{ calls: number }> {
  for (let failAt = 1; failAt <= MOST_CALLS; failAt++) {
    const faulty = faultyDb(db, failAt)
    const error = await plan.write(faulty.db).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!faulty.hasFailed()) return { calls: failAt - 1 }
    if (!(error instanceof InjectedFault)) {
      throw new Error(`call ${failAt} failed and the write path hid it`, { cause: error })
    }
    await plan.afterFailure(failAt)
  }
  throw new Error(`the write path makes more than ${MOST_CALLS} calls`)
}

/** A write path with more calls is a loop that should be a bulk statement. */
const MOST_CALLS = 500
