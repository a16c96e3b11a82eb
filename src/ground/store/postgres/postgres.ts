import type { Pool, PoolClient } from "pg"
import { z } from "zod"
import { type Clock, invariant, type Log } from "#ground/base"
import type { DatabaseRow, Driver, OwnedDriver, Statements } from "../driver.ts"
import { StoreBusy } from "../errors.ts"
import { createLife, type Life } from "../life.ts"
import { LONGEST_RETRY_MS, MAX_POSTGRES_CONNECTIONS, MAX_POSTGRES_TRIES } from "../limits.ts"
import { createQueue } from "../queue.ts"
import { parseRows } from "../rows.ts"
import { render, type Sql, sql } from "../sql.ts"
import { judgePostgres } from "./failures.ts"
import { createPool, POSTGRES_SCHEMA, withClient } from "./pool.ts"
import { createSignal } from "./signal.ts"
import { parsePostgresUrl } from "./url.ts"

/** The store on a Postgres server. Its schema is made when it is missing. */
export async function openPostgresDriver(options: {
  url: string
  busyTimeoutMs: number
  clock: Clock
  log: Log
}): Promise<OwnedDriver> {
  const writers = createPool(options, { role: "write", size: 1 })
  const readers = createPool(options, { role: "read", size: MAX_POSTGRES_CONNECTIONS - 1 })
  const life = createLife(options.log)
  const queue = createQueue()
  const judge = createJudge({ ...options, life })
  const transact = createTransact({ clock: options.clock, life, judge, pool: writers })

  const all = createReads({ life, judge, pool: readers })
  const signal = createSignal({ ...options, pool: readers })
  const driver: OwnedDriver = {
    dialect: "postgres",
    all,
    transaction: (work, afterCommit) =>
      queue.run(async () => {
        const result = await transact(work)
        afterCommit?.()
        return result
      }),
    hasTable: async (name) => (await all(selectTable(name))).length > 0,
    stopped: life.stopped,
    // The server guards its own pages (data_checksums); the journal has checksums of its own.
    findDamage: async () => [],
    signal,
    sizeBytes: async () => parseRows(Size, await all(SELECT_SIZE))[0]?.bytes ?? 0,
    async close() {
      if (life.isClosed()) return
      await queue.drained()
      await signal.settled()
      life.close()
      await Promise.all([writers.end(), readers.end()])
    },
  }
  try {
    await makeSchema(driver)
    return driver
  } catch (error) {
    await driver.close()
    throw error
  }
}

/** `mayPass` says that the same work may succeed when it is tried again. */
type Judged = { mayPass: boolean; error: unknown }
type Judge = (error: unknown, during: string) => Judged

/** What a failure means; the one place where the store decides to stop. */
function createJudge(deps: { url: string; busyTimeoutMs: number; life: Life }): Judge {
  const address = parsePostgresUrl(deps.url)
  return (error, during) => {
    const context = { address, during, waitedMs: deps.busyTimeoutMs }
    const failure = judgePostgres(error, context)
    if (failure.kind === "stop") deps.life.stop(failure.reason)
    if (failure.kind === "again") return { mayPass: true, error: StoreBusy({ waitedMs: 0 }, error) }
    return { mayPass: false, error: failure.error }
  }
}

function createReads(deps: { life: Life; judge: Judge; pool: Pool }): Driver["all"] {
  return async (query) => {
    deps.life.refuseIfClosed()
    try {
      return await withClient(deps.pool, (client) => askAll(client, query))
    } catch (error) {
      throw deps.judge(error, "reading").error
    }
  }
}

type Work<Result> = (statements: Statements) => Promise<Result>

/** Transactions, tried again a few times when another session's deadlock undid them. */
function createTransact(deps: { clock: Clock; life: Life; judge: Judge; pool: Pool }) {
  const { clock, life, judge, pool } = deps

  return async <Result>(work: Work<Result>): Promise<Result> => {
    for (let tries = 1; ; tries++) {
      life.refuseIfStopped()
      const outcome = await withClient(pool, (client) => tryOnce(client, { judge, work })).catch(
        (error: unknown) => judge(error, "connecting"),
      )
      if ("result" in outcome) return outcome.result
      if (!outcome.mayPass || tries >= MAX_POSTGRES_TRIES) throw outcome.error
      await clock.sleep(LONGEST_RETRY_MS * tries)
    }
  }
}

async function tryOnce<Result>(
  client: PoolClient,
  { judge, work }: { judge: Judge; work: Work<Result> },
): Promise<{ result: Result } | Judged> {
  let during = "beginning a transaction"
  let mayPass = false
  const typed = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer
    } catch (error) {
      const judged = judge(error, during)
      mayPass ||= judged.mayPass
      throw judged.error
    }
  }
  try {
    await typed(client.query(BEGIN_ALONE))
    during = "writing"
    const result = await work({
      all: (query) => typed(askAll(client, query)),
      run: (query) => typed(askRun(client, query)),
    })
    during = "committing; whether it was stored is unknown"
    const ended = await typed(client.query("COMMIT"))
    invariant(ended.command === "COMMIT", "a transaction without a failed statement commits")
    return { result }
  } catch (error) {
    // A broken connection has rolled back on the server already.
    await client.query("ROLLBACK").catch(() => {})
    return { mayPass, error }
  }
}

/**
 * Writers follow one another, as in SQLite: the lock is taken before the first read, so that what
 * a transaction has read is still true when it writes. 29037 is "qm"; the lock is of this database.
 */
const BEGIN_ALONE = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SELECT pg_advisory_xact_lock(29037, 1)`

async function askAll(client: PoolClient, query: Sql): Promise<readonly DatabaseRow[]> {
  const { rows } = await client.query<DatabaseRow>(render(query, "postgres"), [...query.values])
  return rows
}

async function askRun(client: PoolClient, query: Sql): Promise<{ changes: number }> {
  const { rowCount } = await client.query(render(query, "postgres"), [...query.values])
  return { changes: rowCount ?? 0 }
}

async function makeSchema(driver: Driver): Promise<void> {
  const found = await driver.all(sql`SELECT 1 FROM pg_namespace WHERE nspname = ${POSTGRES_SCHEMA}`)
  if (found.length > 0) return
  await driver.transaction((statements) => statements.run(sql`CREATE SCHEMA IF NOT EXISTS qm`))
}

const Size = z.object({ bytes: z.number() })

const SELECT_SIZE = sql`
  SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ${POSTGRES_SCHEMA} AND c.relkind = 'r'`

const selectTable = (name: string): Sql => sql`
  SELECT 1 FROM pg_tables WHERE schemaname = ${POSTGRES_SCHEMA} AND tablename = ${name}`
