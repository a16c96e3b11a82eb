import type { z } from "zod"
import type { AppError, Log } from "#ground/base"
import { RowUnexpected, StoreBusy, StoreClosed, StoreStopped } from "./errors.ts"
import type { Dialect, Sql } from "./sql.ts"

/**
 * Writes waiting in this process; more means that writes come faster than the disk accepts them.
 */
const MAX_WAITING_WRITES = 10_000

export type DatabaseRow = Readonly<Record<string, unknown>>

export type Statements = {
  readonly all: (query: Sql) => Promise<readonly DatabaseRow[]>
  readonly run: (query: Sql) => Promise<{ changes: number }>
}

/**
 * Implemented by SQLite and Postgres; failures are the errors of errors.ts. Write transactions of
 * one store run one after the other, across processes and servers.
 */
export type Driver = {
  readonly dialect: Dialect
  /** Reads committed data, never waits for a writer. */
  readonly all: (query: Sql) => Promise<readonly DatabaseRow[]>
  /** `afterCommit` runs before the next transaction begins, to keep the order. */
  transaction<Result>(
    work: (statements: Statements) => Promise<Result>,
    afterCommit?: () => void,
  ): Promise<Result>
  hasTable(name: string): Promise<boolean>
  stopped(): string | undefined
  findDamage(depth: "quick" | "full"): Promise<readonly string[]>
  sizeBytes(): Promise<number>
  /** Wakes other processes; without it they poll. */
  readonly signal?: Signal
}

/** A message without content between processes that share a store. */
export type Signal = {
  send(): void
  /** Resolves when everything was sent: a process that exits must not lose signals. */
  settled(): Promise<unknown>
  listen(tell: () => void, ended: AbortSignal): void
}

export type OwnedDriver = Driver & { close(): Promise<void> }

/** A row that does not parse is an error, without its values in the message. */
export function parseRows<Row extends z.ZodType>(
  row: Row,
  rows: readonly DatabaseRow[],
): z.output<Row>[] {
  return rows.map((rawRow) => {
    const parsed = row.safeParse(rawRow)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const where = issue?.path.join(".") ?? ""
    throw RowUnexpected({ problem: `${where === "" ? "the row" : where}: ${issue?.code}` })
  })
}

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
    async drained(): Promise<void> {
      await last
    },
  }
}

export type StopState = ReturnType<typeof createStopState>

/**
 * Whether a driver accepts calls. Once stopped it refuses writes until the process restarts: after
 * a failed fsync the content of the disk is unknown (promise D6).
 */
export function createStopState(log: Log) {
  let stopError: AppError<string, { reason: string }> | undefined
  let isClosed = false

  function refuseIfClosed(): void {
    if (isClosed) throw StoreClosed({})
  }

  return {
    refuseIfClosed,
    refuseIfStopped(): void {
      refuseIfClosed()
      if (stopError !== undefined) throw stopError
    },
    stop(reason: string, error: typeof stopError = StoreStopped({ reason })): void {
      if (stopError !== undefined) return
      stopError = error
      const { hint } = error
      log.error("store stopped: writes are refused until the process restarts", { reason, hint })
    },
    stopped: () => stopError?.data.reason,
    close(): void {
      isClosed = true
    },
    isClosed: () => isClosed,
  }
}
