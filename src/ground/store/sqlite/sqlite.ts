import { join } from "node:path"
import { z } from "zod"
import {
  type Clock,
  type Log,
  makeTemporaryDirectory,
  type Random,
  readBounded,
  StorageFull,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import {
  createQueue,
  createStopState,
  type DatabaseRow,
  type Driver,
  parseRows,
  type Statements,
  type StopState,
} from "../driver.ts"
import { StoreBusy, StoreGone, StoreNotWritable } from "../errors.ts"
import { LONGEST_RETRY_MS } from "../limits.ts"
import { type Sql, sql } from "../sql.ts"
import { type Connection, openConnection } from "./connection.ts"
import { judgeSqlite } from "./failures.ts"
import { applicationIdOf, createFileIdentity, type FileIdentity } from "./file-identity.ts"

/** A stat costs 2 µs, a commit 150. */
const COMMITS_PER_SIZE_CHECK = 32

/** SQLite's own default for automatic checkpoints. */
const CHECKPOINT_AT_BYTES = 4_000_000

/** A shorter gap between two writes gives other processes no chance for the lock. */
const FAIRNESS_GAP_MS = 2

const FAIRNESS_PAUSE_MS = 1

const FAIRNESS_AFTER_MS = 25

/** Random between the two, so that waiting processes do not retry together. */
const SHORTEST_RETRY_MS = 2

export type SqliteDriver = Driver & {
  /** Marks the file as the one of this history, and stops the store when it is gone. */
  claimFile(epoch: string): Promise<void>
  close(how: { isLast: boolean }): Promise<void>
}

/**
 * One connection writes, another reads, so a read never waits for a writer. An in-memory store has
 * one connection, and its reads queue with the writes.
 */
export async function openSqliteDriver(options: {
  file: string
  /** The bytes of a database, for a store in memory. */
  content?: Uint8Array | undefined
  busyTimeoutMs: number
  clock: Clock
  random: Random
  log: Log
}): Promise<SqliteDriver> {
  const { file, log } = options
  const isMemory = file === ":memory:"
  const stopState = createStopState(log)
  const queue = createQueue()
  const ask = createAsk({ ...options, stopState })
  const fairness = createWriteFairness(options.clock)
  const writer = await ask.write(() => open(file, "write", options.content))
  const reader = isMemory ? writer : await ask.read(() => open(file, "read"))
  const checkpoint = createCheckpoint({ file, writer, log, failed: ask.judge })
  let identity: FileIdentity | undefined
  const stopIfGone = (): void => {
    const reason = stopState.isClosed() ? undefined : identity?.findProblem()
    if (reason !== undefined) stopState.stop(reason, StoreGone({ reason }))
  }

  const all: Driver["all"] = isMemory
    ? (query) => queue.run(() => ask.read(() => onlyReading(writer, () => writer.all(query))))
    : (query) => ask.read(() => reader.all(query))

  return {
    dialect: "sqlite",
    all,
    transaction: (work, afterCommit) =>
      queue.run(async () => {
        stopState.refuseIfStopped()
        if (!isMemory) await fairness.beforeWrite()
        const result = await transact({ writer, ask }, work)
        // Checked after the commit, so that a write to a deleted file is never acknowledged.
        stopIfGone()
        stopState.refuseIfStopped()
        fairness.afterWrite()
        afterCommit?.()
        if (!isMemory) await checkpoint.ifDue()
        return result
      }),
    hasTable: async (name) => (await all(selectTable(name))).length > 0,
    stopped() {
      stopIfGone()
      return stopState.stopped()
    },
    claimFile: (epoch) =>
      queue.run(async () => {
        const id = applicationIdOf(epoch)
        const isMarked = writer.all(sql`PRAGMA application_id`)[0]?.["application_id"] === id
        // A mark is not needed to work: on a full disk the next open sets it.
        if (!isMarked) await ask.write(() => mark(writer, id)).catch(() => {})
        if (!isMarked) checkpoint.now("PASSIVE")
        identity = createFileIdentity(file, epoch)
      }),
    findDamage: async (depth) =>
      readFindings(await all(depth === "quick" ? QUICK_CHECK : FULL_CHECK)),
    sizeBytes: async () => (isMemory ? 0 : sizeOf([file, `${file}-wal`])),
    async close({ isLast }) {
      if (stopState.isClosed()) return
      await queue.drained()
      stopState.close()
      if (isLast && !isMemory && stopState.stopped() === undefined) checkpoint.now("TRUNCATE")
      reader.close()
      writer.close()
    },
  }
}

function mark(writer: Connection, applicationId: number): void {
  writer.database.exec(`PRAGMA application_id = ${applicationId}`)
}

type SqliteQuery = ReturnType<typeof createAsk>

/** Retries while another process holds the lock; failures become errors of errors.ts. */
function createAsk(deps: {
  file: string
  stopState: StopState
  busyTimeoutMs: number
  clock: Clock
  random: Random
}) {
  const patience = createBusyRetry(deps)

  /** The only place that stops the store. */
  function judge(error: unknown, isWrite: boolean): unknown {
    const failure = judgeSqlite(error, { file: deps.file, isWrite })
    if (failure.kind === "stop") deps.stopState.stop(failure.reason)
    return failure.kind === "busy" ? error : failure.error
  }

  async function ask<Result>(attempt: () => Result, isWrite: boolean): Promise<Result> {
    deps.stopState.refuseIfClosed()
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

/** A deferred BEGIN fails with several processes (PROMISES, finding 5). */
async function transact<Result>(
  { writer, ask }: { writer: Connection; ask: SqliteQuery },
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
  const findings = parseRows(Finding, rows).flatMap((it) => Object.values(it))
  return findings.filter((it) => it !== "ok")
}

async function sizeOf(files: readonly string[]): Promise<number> {
  const stats = await Promise.all(files.map((it) => statFile(it)))
  return stats.reduce((sum, it) => sum + (it.kind === "found" ? it.stat.sizeBytes : 0), 0)
}

/**
 * The whole database with its write-ahead log, also if the disk has no space for the shared memory
 * of a connection. Undefined if there is no file.
 */
export async function readContent(
  file: string,
  options: { busyTimeoutMs: number; clock: Clock; random: Random; log: Log },
): Promise<Uint8Array | undefined> {
  const { kind } = await statFile(file)
  if (kind === "missing") return undefined
  const ask = createAsk({ ...options, file, stopState: createStopState(options.log) })
  try {
    return await ask.read(() => serialize(file, "NORMAL"))
  } catch (error) {
    if (StoreNotWritable.is(error)) return readBytes(file, error)
    if (!StorageFull.is(error)) throw error
    // An exclusive connection needs no shared memory, and there is no other one: it would have it.
    return await ask.read(() => serialize(file, "EXCLUSIVE"))
  }
}

/** A store of this size has years of work; a larger one is not read into memory. */
const LARGEST_READ_BYTES = 1_000_000_000

/**
 * In a read-only folder SQLite can create neither log nor shared memory, so the files are read. With
 * a log, SQLite joins both in a temporary folder. Throws `refusal` if another user writes meanwhile.
 */
async function readBytes(file: string, refusal: Error): Promise<Uint8Array> {
  const parts = [file, `${file}-wal`]
  const stamp = async () => JSON.stringify(await Promise.all(parts.map((it) => statFile(it))))
  const before = await stamp()
  const [content, log] = await Promise.all(
    parts.map((it) => readBounded(it, { maxBytes: LARGEST_READ_BYTES })),
  )
  if (content?.kind !== "read" || before !== (await stamp())) throw refusal
  if (log?.kind !== "read" || log.bytes.length === 0) return asPlain(content.bytes)
  await using temporary = await makeTemporaryDirectory()
  const copy = join(temporary.path, "store.db")
  await writeFileAtomic(copy, content.bytes)
  await writeFileAtomic(`${copy}-wal`, log.bytes)
  return serialize(copy, "NORMAL")
}

/** Bytes 18 and 19 of the header are 2 for a write-ahead log, which memory does not have. */
const FORMAT_BYTES = { from: 18, to: 20, plain: 1 } as const

function asPlain(content: Uint8Array): Uint8Array {
  return content.fill(FORMAT_BYTES.plain, FORMAT_BYTES.from, FORMAT_BYTES.to)
}

function serialize(file: string, locking: "NORMAL" | "EXCLUSIVE"): Uint8Array {
  const { database, close } = openConnection(file, "read")
  try {
    database.exec(`PRAGMA locking_mode = ${locking}; PRAGMA query_only = ON`)
    return asPlain(database.serialize())
  } finally {
    close()
  }
}

function open(file: string, role: "write" | "read", content?: Uint8Array): Connection {
  const connection = openConnection(file, role)
  try {
    if (content !== undefined) connection.database.deserialize(content)
    connection.configure()
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** SQLite rolls back by itself after a full disk. */
function rollBack(writer: Connection): void {
  if (!writer.database.isOpen || !writer.database.isTransaction) return
  try {
    writer.database.exec("ROLLBACK")
  } catch {
    // Report the first failure; the next BEGIN fails if this one matters.
  }
}

function onlyReading<Result>(connection: Connection, ask: () => Result): Result {
  connection.database.exec("PRAGMA query_only = ON")
  try {
    return ask()
  } finally {
    connection.database.exec("PRAGMA query_only = OFF")
  }
}

/**
 * Checkpoints the write-ahead log when it has grown. The commit is safe in the log, so a failure
 * does not undo it; a failed fsync stops the store (`failed`).
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
      deps.log.warn("write-ahead log not checkpointed", { error })
    }
  }

  return {
    now,
    /** Also at the first commit: short processes would otherwise never check. */
    async ifDue(): Promise<void> {
      if (commits++ % COMMITS_PER_SIZE_CHECK !== 0) return
      const fileStat = await statFile(`${deps.file}-wal`)
      if (fileStat.kind === "found" && fileStat.stat.sizeBytes >= CHECKPOINT_AT_BYTES)
        now("PASSIVE")
    },
  }
}

/**
 * Waits for another process without blocking the event loop for more than BLOCKING_WAIT_MS, with
 * random pauses.
 */
function createBusyRetry(deps: { busyTimeoutMs: number; clock: Clock; random: Random }) {
  const { clock, random, busyTimeoutMs } = deps

  return {
    async until<Result>(attempt: () => Result): Promise<Result> {
      const startedAt = clock.monotonicMs()
      for (;;) {
        try {
          return attempt()
        } catch (error) {
          if (!isBusy(error)) throw error
          const waitedMs = Math.round(clock.monotonicMs() - startedAt)
          if (waitedMs >= busyTimeoutMs) throw StoreBusy({ waitedMs }, error)
        }
        await clock.sleep(pause(random))
      }
    },
  }
}

export function isBusy(error: unknown): boolean {
  return judgeSqlite(error, { file: "", isWrite: false }).kind === "busy"
}

function pause(random: Random): number {
  const chance = (random.bytes(1)[0] ?? 0) / 256
  return SHORTEST_RETRY_MS + chance * (LONGEST_RETRY_MS - SHORTEST_RETRY_MS)
}

/**
 * SQLite's lock has no queue: a process that commits in a loop takes it again before others retry,
 * so it pauses after a while. Waits of a second process beside a tight loop, three runs on 2 cores:
 * p95 97–163 ms with this, 150–257 ms without.
 */
function createWriteFairness(clock: Clock) {
  let busySince = 0
  let lastEnd = Number.NEGATIVE_INFINITY

  return {
    async beforeWrite(): Promise<void> {
      const now = clock.monotonicMs()
      const hadBreak = now - lastEnd > FAIRNESS_GAP_MS
      if (hadBreak) busySince = now
      if (now - busySince < FAIRNESS_AFTER_MS) return
      await clock.sleep(FAIRNESS_PAUSE_MS)
      busySince = clock.monotonicMs()
    },
    afterWrite(): void {
      lastEnd = clock.monotonicMs()
    },
  }
}
