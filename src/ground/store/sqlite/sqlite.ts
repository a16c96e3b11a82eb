import { z } from "zod"
import { type Clock, type Log, type Random, statFile } from "#ground/base"
import type { DatabaseRow, Driver, Statements } from "../driver.ts"
import { createLife, type Life } from "../life.ts"
import { CHECKPOINT_AT_BYTES, COMMITS_PER_SIZE_CHECK } from "../limits.ts"
import { createQueue } from "../queue.ts"
import { parseRows } from "../rows.ts"
import { type Sql, sql } from "../sql.ts"
import { type Connection, openConnection } from "./connection.ts"
import { createCourtesy } from "./courtesy.ts"
import { judgeSqlite } from "./failures.ts"
import { createPatience } from "./patience.ts"

export type SqliteDriver = Driver & {
  /** With `isLast` the log is copied into the file first, so that it stands alone. */
  close(how: { isLast: boolean }): Promise<void>
}

/**
 * One connection writes, another reads, so that a read never waits for a writer. A store in memory
 * has one connection for both, and its reads queue up with the writes.
 */
export async function openSqliteDriver(options: {
  /** A path, or ":memory:". */
  file: string
  busyTimeoutMs: number
  clock: Clock
  random: Random
  log: Log
}): Promise<SqliteDriver> {
  const { file, log } = options
  const isMemory = file === ":memory:"
  const life = createLife(log)
  const queue = createQueue()
  const ask = createAsk({ ...options, life })
  const courtesy = createCourtesy(options.clock)
  const writer = await ask.write(() => open(file, "write"))
  const reader = isMemory ? writer : await ask.read(() => open(file, "read"))
  const checkpoint = createCheckpoint({ file, writer, log, failed: ask.judge })

  const all: Driver["all"] = isMemory
    ? (query) => queue.run(() => ask.read(() => onlyReading(writer, () => writer.all(query))))
    : (query) => ask.read(() => reader.all(query))

  return {
    dialect: "sqlite",
    all,
    transaction: (work, afterCommit) =>
      queue.run(async () => {
        life.refuseIfStopped()
        if (!isMemory) await courtesy.beforeWrite()
        const result = await transact({ writer, ask }, work)
        courtesy.afterWrite()
        afterCommit?.()
        if (!isMemory) await checkpoint.ifDue()
        return result
      }),
    hasTable: async (name) => (await all(selectTable(name))).length > 0,
    stopped: life.stopped,
    findDamage: async (depth) =>
      readFindings(await all(depth === "quick" ? QUICK_CHECK : FULL_CHECK)),
    sizeBytes: async () => (isMemory ? 0 : sizeOf([file, `${file}-wal`])),
    async close({ isLast }) {
      if (life.isClosed()) return
      await queue.drained()
      life.close()
      if (isLast && !isMemory && life.stopped() === undefined) checkpoint.now("TRUNCATE")
      reader.close()
      writer.close()
    },
  }
}

type Ask = ReturnType<typeof createAsk>

/** Calls to SQLite: patient while another process holds the lock, and typed when they fail. */
function createAsk(deps: {
  file: string
  life: Life
  busyTimeoutMs: number
  clock: Clock
  random: Random
}) {
  const patience = createPatience(deps)

  /** What a failure means; the one place where the store decides to stop. */
  function judge(error: unknown, isWrite: boolean): unknown {
    const failure = judgeSqlite(error, { file: deps.file, isWrite })
    if (failure.kind === "stop") deps.life.stop(failure.reason)
    return failure.kind === "busy" ? error : failure.error
  }

  async function ask<Result>(attempt: () => Result, isWrite: boolean): Promise<Result> {
    deps.life.refuseIfClosed()
    try {
      return await patience.until(attempt)
    } catch (error) {
      throw judge(error, isWrite)
    }
  }

  return {
    judge: (error: unknown) => judge(error, true),
    read: <Result>(attempt: () => Result) => ask(attempt, false),
    write: <Result>(attempt: () => Result) => ask(attempt, true),
  }
}

/** BEGIN IMMEDIATE, always: a deferred one fails under several processes (PROMISES, finding 5). */
async function transact<Result>(
  { writer, ask }: { writer: Connection; ask: Ask },
  work: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  await ask.write(() => writer.database.exec("BEGIN IMMEDIATE"))
  try {
    const result = await work({
      all: (query) => ask.write(() => writer.all(query)),
      run: (query) => ask.write(() => writer.run(query)),
    })
    await ask.write(() => writer.database.exec("COMMIT"))
    return result
  } finally {
    rollBack(writer)
  }
}

const QUICK_CHECK = sql`PRAGMA quick_check(20)`
const FULL_CHECK = sql`PRAGMA integrity_check(20)`
const Finding = z.record(z.string(), z.string())

const selectTable = (name: string): Sql => sql`
  SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ${name}`

function readFindings(rows: readonly DatabaseRow[]): readonly string[] {
  const said = parseRows(Finding, rows).flatMap((it) => Object.values(it))
  return said.filter((it) => it !== "ok")
}

async function sizeOf(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((it) => statFile(it)))
  return found.reduce((sum, it) => sum + (it.kind === "found" ? it.stat.sizeBytes : 0), 0)
}

function open(file: string, role: "write" | "read"): Connection {
  const connection = openConnection(file, role)
  try {
    connection.configure()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** After a full disk SQLite has rolled back by itself; after a commit there is nothing to undo. */
function rollBack(writer: Connection): void {
  if (!writer.database.isOpen || !writer.database.isTransaction) return
  try {
    writer.database.exec("ROLLBACK")
  } catch {
    // The failure that led here is the one to tell. The next BEGIN fails if this one matters.
  }
}

/** A reading connection refuses writes; where there is only one connection, for this one call. */
function onlyReading<Result>(connection: Connection, ask: () => Result): Result {
  connection.database.exec("PRAGMA query_only = ON")
  try {
    return ask()
  } finally {
    connection.database.exec("PRAGMA query_only = OFF")
  }
}

/**
 * Copies the write-ahead log into the file when it has grown. The commit before it is safe in the
 * log, so a failure here does not take it back; but a failed fsync stops the store (`failed`).
 */
function createCheckpoint(deps: {
  file: string
  writer: Connection
  log: Log
  failed: (error: unknown) => void
}) {
  let commits = 0

  function now(mode: "PASSIVE" | "TRUNCATE"): void {
    try {
      deps.writer.database.exec(`PRAGMA wal_checkpoint(${mode})`)
    } catch (error) {
      deps.failed(error)
      deps.log.warn("write-ahead log not copied", { error })
    }
  }

  return {
    now,
    /** Looks at the first commit too: many short processes would otherwise never look. */
    async ifDue(): Promise<void> {
      if (commits++ % COMMITS_PER_SIZE_CHECK !== 0) return
      const found = await statFile(`${deps.file}-wal`)
      if (found.kind === "found" && found.stat.sizeBytes >= CHECKPOINT_AT_BYTES) now("PASSIVE")
    },
  }
}
