import { AsyncLocalStorage } from "node:async_hooks"
import type { z } from "zod"
import { invariant } from "#ground/base"
import type { Emit, EventRoom, JournalEntry } from "#ground/contract"
import { type Driver, parseRows, type Statements } from "./driver.ts"
import { StoreBusy, StoreUnreachable } from "./errors.ts"
import type { JournalWriter } from "./journal.ts"
import type { Dialect, Sql } from "./sql.ts"

type Queries = {
  readonly dialect: Dialect
  all<Row extends z.ZodType>(row: Row, query: Sql): Promise<z.output<Row>[]>
  get<Row extends z.ZodType>(row: Row, query: Sql): Promise<z.output<Row> | undefined>
  run(query: Sql): Promise<{ changes: number }>
}

export type Tx<Room extends EventRoom = never> = Queries & { readonly emit: Emit<Room> }

export type Db<Room extends EventRoom = never> = Queries & {
  /**
   * All or nothing. On Postgres `work` may run again after a deadlock, so it must change nothing
   * but the database.
   */
  transaction<Result>(work: (tx: Tx<Room>) => Promise<Result>): Promise<Result>
}

export type OpenTransaction = AsyncLocalStorage<{ isOpen: boolean }>

export function createDb<Room extends EventRoom>(deps: {
  driver: Driver
  room: Room | undefined
  writer: JournalWriter
  transactions: OpenTransaction
  publish: (entries: readonly JournalEntry[]) => void
}): Db<Room> {
  const { driver, transactions } = deps

  async function transaction<Result>(work: (tx: Tx<Room>) => Promise<Result>): Promise<Result> {
    refuseInside(transactions)
    let entries: readonly JournalEntry[] = []
    return driver.transaction(
      async (statements) => {
        const life = { isOpen: true }
        const guarded = doomOnFailure(statements, life)
        const events = deps.writer.collect(deps.room)
        const tx: Tx<Room> = { ...createQueries(driver.dialect, guarded), emit: events.emit }
        try {
          const result = await transactions.run(life, () => work(tx))
          guarded.refuseIfDoomed()
          entries = await events.write(statements)
          return result
        } finally {
          life.isOpen = false
        }
      },
      () => deps.publish(entries),
    )
  }

  const reads = guardReads(driver, transactions)
  const run = (query: Sql) => transaction((tx) => tx.run(query))
  return { ...createQueries(driver.dialect, { all: reads, run }), transaction }
}

/** Refused inside a transaction: such a read would miss its writes or wait for it. */
export function guardReads(driver: Driver, transactions: OpenTransaction): Driver["all"] {
  return async (query) => {
    refuseInside(transactions)
    return driver.all(query)
  }
}

function refuseInside(transactions: OpenTransaction): void {
  const isInside = transactions.getStore()?.isOpen === true
  invariant(!isInside, "inside a transaction every call uses its tx, never the db")
}

/**
 * Postgres refuses every statement after a failed one; SQLite does not. Here both do: such a
 * transaction never commits, even if the caller caught the error.
 */
function doomOnFailure(statements: Statements, life: { isOpen: boolean }) {
  let doom: { error: unknown } | undefined
  const refuseIfDoomed = (): void => {
    if (doom !== undefined) throw doom.error
  }
  const guard =
    <Result>(ask: (query: Sql) => Promise<Result>) =>
    async (query: Sql): Promise<Result> => {
      invariant(life.isOpen, "a tx is used only until its transaction ends")
      refuseIfDoomed()
      try {
        return await ask(query)
      } catch (error) {
        doom ??= { error }
        throw error
      }
    }
  return { all: guard(statements.all), run: guard(statements.run), refuseIfDoomed }
}

function createQueries(dialect: Dialect, statements: Statements): Queries {
  const all: Queries["all"] = async (row, query) => parseRows(row, await statements.all(query))
  return {
    dialect,
    all,
    async get(row, query) {
      const [first] = await statements.all(query)
      return first === undefined ? undefined : parseRows(row, [first])[0]
    },
    run: (query) => statements.run(query),
  }
}

/**
 * Whether the same write may succeed later: the server was away or other writers were busy. After a
 * lost connection the write may have been stored, so a retry must recognise its own rows.
 */
export function isTransient(error: unknown): boolean {
  return StoreUnreachable.is(error) || StoreBusy.is(error)
}
