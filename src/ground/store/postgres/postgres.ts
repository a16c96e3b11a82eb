import { Pool, type PoolClient, TypeOverrides, types } from "pg"
import { z } from "zod"
import { type Clock, invariant, type Log } from "#ground/base"
import {
  createQueue,
  createStopState,
  type DatabaseRow,
  type Driver,
  type OwnedDriver,
  parseRows,
  type Statements,
  type StopState,
} from "../driver.ts"
import { StoreBusy } from "../errors.ts"
import { LONGEST_RETRY_MS, POSTGRES_CONNECT_TIMEOUT_MS } from "../limits.ts"
import { parsePostgresUrl } from "../location.ts"
import { render, type Sql, sql } from "../sql.ts"
import { judgePostgres } from "./failures.ts"
import { createSignal } from "./signal.ts"

/** For deadlocks and serialization failures, which usually succeed on retry. */
const MAX_POSTGRES_TRIES = 5

/** A process that hangs in a transaction must not block a whole team's writes. */
const POSTGRES_IDLE_IN_TRANSACTION_MS = 60_000

const POSTGRES_STATEMENT_TIMEOUT_MS = 60_000

const MAX_POSTGRES_CONNECTIONS = 8

/**
 * A connection whose network was cut without a reset answers nothing, and only a timeout notices. It
 * is longer than the wait for the write lock; a migration may take as long as the server allows.
 */
const ANSWER_AFTER_LOCK_MS = 5_000
const ROLLBACK_MS = 5_000

export async function openPostgresDriver(options: {
  url: string
  busyTimeoutMs: number
  clock: Clock
  log: Log
}): Promise<{ driver: OwnedDriver; migrated(): void }> {
  const patience = {
    answerMs: POSTGRES_STATEMENT_TIMEOUT_MS + options.busyTimeoutMs + ANSWER_AFTER_LOCK_MS,
  }
  const writers = createPool(options, { role: "write", size: 1 })
  const readers = createPool(options, { role: "read", size: MAX_POSTGRES_CONNECTIONS - 1 })
  const stopState = createStopState(options.log)
  const queue = createQueue()
  const judge = createJudge({ ...options, stopState })
  const transact = createTransact({ ...options, stopState, judge, pool: writers, patience })

  const all = createReads({ stopState, judge, pool: readers, patience })
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
    stopped: stopState.stopped,
    // The server checks its pages (data_checksums); the journal has its own checksums.
    findDamage: async () => [],
    signal,
    sizeBytes: async () => parseRows(Size, await all(SELECT_SIZE))[0]?.bytes ?? 0,
    async close() {
      if (stopState.isClosed()) return
      await queue.drained()
      await signal.settled()
      stopState.close()
      await Promise.all([writers.end(), readers.end()])
    },
  }
  try {
    await makeSchema(driver)
    return {
      driver,
      migrated() {
        patience.answerMs = options.busyTimeoutMs + ANSWER_AFTER_LOCK_MS
      },
    }
  } catch (error) {
    await driver.close()
    throw error
  }
}

type PassDecision = { mayPass: boolean; error: unknown }
type Judge = (error: unknown, during: string) => PassDecision

/** The only place that stops the store. */
function createJudge(deps: { url: string; busyTimeoutMs: number; stopState: StopState }): Judge {
  const address = parsePostgresUrl(deps.url)
  return (error, during) => {
    const context = { address, during, waitedMs: deps.busyTimeoutMs }
    const failure = judgePostgres(error, context)
    if (failure.kind === "stop") deps.stopState.stop(failure.reason)
    if (failure.kind === "again") return { mayPass: true, error: StoreBusy({ waitedMs: 0 }, error) }
    return { mayPass: false, error: failure.error }
  }
}

/** How long a statement may stay without an answer before its connection counts as lost. */
type Patience = { readonly answerMs: number }

type PoolDeps = {
  readonly stopState: StopState
  readonly judge: Judge
  readonly pool: Pool
  readonly patience: Patience
}

function createReads(deps: PoolDeps): Driver["all"] {
  return async (query) => {
    deps.stopState.refuseIfClosed()
    try {
      return await withClient(deps.pool, (client) => askAll(client, query, deps.patience))
    } catch (error) {
      throw deps.judge(error, "reading").error
    }
  }
}

type Work<Result> = (statements: Statements) => Promise<Result>

function createTransact(deps: PoolDeps & { readonly clock: Clock }) {
  const { clock, stopState, pool } = deps

  return async <Result>(work: Work<Result>): Promise<Result> => {
    for (let tries = 1; ; tries++) {
      stopState.refuseIfStopped()
      const outcome = await withClient(pool, (client, breakOff) =>
        tryOnce(client, { ...deps, work, breakOff }),
      ).catch((error: unknown) => deps.judge(error, "connecting"))
      if ("result" in outcome) return outcome.result
      if (!outcome.mayPass || tries >= MAX_POSTGRES_TRIES) throw outcome.error
      await clock.sleep(LONGEST_RETRY_MS * tries)
    }
  }
}

async function tryOnce<Result>(
  client: PoolClient,
  it: Pick<PoolDeps, "judge" | "patience"> & { work: Work<Result>; breakOff(): void },
): Promise<{ result: Result } | PassDecision> {
  let during = "beginning a transaction"
  let mayPass = false
  const typed = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer
    } catch (error) {
      const judged = it.judge(error, during)
      mayPass ||= judged.mayPass
      throw judged.error
    }
  }
  try {
    await typed(client.query(within(it.patience.answerMs, BEGIN_ALONE)))
    during = "writing"
    const result = await it.work({
      all: (query) => typed(askAll(client, query, it.patience)),
      run: (query) => typed(askRun(client, query, it.patience)),
    })
    during = "committing; it is unknown whether the write was stored"
    const ended = await typed(client.query(within(it.patience.answerMs, "COMMIT")))
    invariant(ended.command === "COMMIT", "a transaction without a failed statement commits")
    return { result }
  } catch (error) {
    await client.query(within(ROLLBACK_MS, "ROLLBACK")).catch(it.breakOff)
    return { mayPass, error }
  }
}

/**
 * One writer at a time, as in SQLite: the lock is taken before the first read, so a transaction's
 * reads are still current when it writes. 29037 is "qm"; the lock is per database.
 */
const BEGIN_ALONE = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
  SELECT pg_advisory_xact_lock(29037, 1)`

async function askAll(
  client: PoolClient,
  query: Sql,
  { answerMs }: Patience,
): Promise<readonly DatabaseRow[]> {
  const statement = within(answerMs, render(query, "postgres"), query.values)
  return (await client.query<DatabaseRow>(statement)).rows
}

async function askRun(
  client: PoolClient,
  query: Sql,
  { answerMs }: Patience,
): Promise<{ changes: number }> {
  const { rowCount } = await client.query(within(answerMs, render(query, "postgres"), query.values))
  return { changes: rowCount ?? 0 }
}

function within(ms: number, text: string, values: readonly unknown[] = []) {
  // Without values the simple protocol is used, which allows several statements.
  return { text, query_timeout: ms, ...(values.length === 0 ? {} : { values: [...values] }) }
}

async function makeSchema(driver: Driver): Promise<void> {
  const schemas = await driver.all(
    sql`SELECT 1 FROM pg_namespace WHERE nspname = ${POSTGRES_SCHEMA}`,
  )
  if (schemas.length > 0) return
  await driver.transaction((statements) => statements.run(sql`CREATE SCHEMA IF NOT EXISTS qm`))
}

export const POSTGRES_SCHEMA = "qm"

const Size = z.object({ bytes: z.number() })

const SELECT_SIZE = sql`
  SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ${POSTGRES_SCHEMA} AND c.relkind = 'r'`

const selectTable = (name: string): Sql => sql`
  SELECT 1 FROM pg_tables WHERE schemaname = ${POSTGRES_SCHEMA} AND tablename = ${name}`

/** A read connection cannot write, as in SQLite. */
function createPool(
  options: { url: string; busyTimeoutMs: number; log: Log },
  use: { role: "read" | "write"; size: number },
): Pool {
  const url = new URL(options.url)
  const urlOptions = url.searchParams.get("options") ?? ""
  url.searchParams.delete("options")
  const isReading = use.role === "read"
  const pool = new Pool({
    connectionString: url.href,
    application_name: "qm",
    max: use.size,
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    lock_timeout: options.busyTimeoutMs,
    // Includes the time spent waiting for the lock.
    statement_timeout: POSTGRES_STATEMENT_TIMEOUT_MS + options.busyTimeoutMs,
    idle_in_transaction_session_timeout: POSTGRES_IDLE_IN_TRANSACTION_MS,
    options: `${urlOptions} -c search_path=${POSTGRES_SCHEMA} -c default_transaction_read_only=${isReading ? "on" : "off"}`,
    keepAlive: true,
    allowExitOnIdle: true,
    types: readersAsInSqlite(),
  })
  // Without a listener a broken idle connection would end the process.
  pool.on("error", (error) => options.log.warn("idle database connection lost", { error }))
  return pool
}

async function withClient<Result>(
  pool: Pool,
  use: (client: PoolClient, breakOff: () => void) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  let isBroken = false
  const breakOff = () => {
    isBroken = true
  }
  const onError = breakOff
  client.on("error", onError)
  try {
    return await use(client, breakOff)
  } catch (error) {
    // Its late answer would be taken for the answer to the next statement.
    if (isUnanswered(error)) breakOff()
    throw error
  } finally {
    client.off("error", onError)
    client.release(isBroken)
  }
}

function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout"
}

/** As from SQLite: integers as numbers, bytes as Uint8Array. */
export function readersAsInSqlite(): TypeOverrides {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, readNumber)
  overrides.setTypeParser(types.builtins.NUMERIC, readNumber)
  overrides.setTypeParser(types.builtins.BYTEA, readBytes)
  return overrides
}

function readNumber(text: string): number {
  const value = Number(text)
  invariant(!Number.isInteger(value) || Number.isSafeInteger(value), "a stored number is exact")
  return value
}

function readBytes(text: string): Uint8Array {
  invariant(text.startsWith("\\x"), "the server sends bytes in hexadecimal")
  return new Uint8Array(Buffer.from(text.slice(2), "hex"))
}
