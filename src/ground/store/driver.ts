import type { Dialect, Sql } from "./sql.ts"

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
