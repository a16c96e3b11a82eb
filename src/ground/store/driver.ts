import type { z } from "zod"
import type { Log } from "#ground/base"
import { RowUnexpected, StoreBusy, StoreClosed, StoreStopped } from "./errors.ts"
import type { Dialect, Sql } from "./sql.ts"

/** Writes waiting in this process. Beyond it something feeds faster than a disk can take. */
const MAX_WAITING_WRITES = 10_000

export type DatabaseRow = Readonly<Record<string, unknown>>

/** What can be asked inside one transaction. */
export type Statements = {
  readonly all: (query: Sql) => Promise<readonly DatabaseRow[]>
  readonly run: (query: Sql) => Promise<{ changes: number }>
}

/**
 * What a database must offer so that a Db can stand on it. Failures come out typed (errors.ts).
 * Write transactions of one store follow one another, also across processes and servers: that is
 * what SQLite does, and the Postgres driver does the same, so a room that is right on one is right
 * on the other.
 */
export type Driver = {
  readonly dialect: Dialect
  /** A read outside any transaction: sees what is committed, never waits for a writer. */
  readonly all: (query: Sql) => Promise<readonly DatabaseRow[]>
  /** `afterCommit` runs before the next transaction may begin, so that order is kept. */
  transaction<Result>(
    work: (statements: Statements) => Promise<Result>,
    afterCommit?: () => void,
  ): Promise<Result>
  hasTable(name: string): Promise<boolean>
  /** Why writes are refused for good; undefined while all is well. */
  stopped(): string | undefined
  /** Findings of the database's own check of itself; empty when it is sound. */
  findDamage(depth: "quick" | "full"): Promise<readonly string[]>
  sizeBytes(): Promise<number>
  /** A way to wake other processes; where there is none, they look by themselves. */
  readonly signal?: Signal
}

/** A word without content between processes that share a store. */
export type Signal = {
  send(): void
  /** When what was sent is on its way: a process that ends at once must not lose it. */
  settled(): Promise<unknown>
  listen(tell: () => void, ended: AbortSignal): void
}

/** A driver in the hands of the one that must end it. */
export type OwnedDriver = Driver & { close(): Promise<void> }

/** A row that does not parse is never handed on, and its values stay out of the message. */
export function parseRows<Row extends z.ZodType>(
  row: Row,
  found: readonly DatabaseRow[],
): z.output<Row>[] {
  return found.map((it) => {
    const parsed = row.safeParse(it)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const where = issue?.path.join(".") ?? ""
    throw RowUnexpected({ problem: `${where === "" ? "the row" : where}: ${issue?.code}` })
  })
}

/** One at a time, first come first served. A failure does not hold up the next. */
export function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  return {
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      if (waiting >= MAX_WAITING_WRITES) throw StoreBusy({ waitedMs: 0 })
      waiting++
      const turn = last.then(work)
      last = turn.catch(() => {})
      try {
        return await turn
      } finally {
        waiting--
      }
    },
    /** Resolves when everything that waits now has ended. */
    async drained(): Promise<void> {
      await last
    },
  }
}

export type StopState = ReturnType<typeof createStopState>

/**
 * Whether a driver still takes calls. Once it has stopped it takes no write until the process
 * starts anew: after a failed fsync nobody knows what the disk holds (promise D6).
 */
export function createStopState(log: Log) {
  let stoppedBecause: string | undefined
  let isClosed = false

  function refuseIfClosed(): void {
    if (isClosed) throw StoreClosed({})
  }

  return {
    refuseIfClosed,
    refuseIfStopped(): void {
      refuseIfClosed()
      if (stoppedBecause !== undefined) throw StoreStopped({ reason: stoppedBecause })
    },
    stop(reason: string): void {
      if (stoppedBecause !== undefined) return
      stoppedBecause = reason
      log.error("store stopped: no more writes are taken", { reason })
    },
    stopped: () => stoppedBecause,
    close(): void {
      isClosed = true
    },
    isClosed: () => isClosed,
  }
}
