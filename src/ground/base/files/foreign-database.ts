import type { SQLInputValue } from "node:sqlite"
import { FileNotReadable } from "../errors.ts"
import { reasonOf } from "./system-error.ts"

/** A program that writes to its database holds the lock for milliseconds. */
const BUSY_TIMEOUT_MS = 1_000

export type ForeignDatabase = Disposable & {
  /** Throws FILE_NOT_READABLE if the database is locked, damaged or of another schema. */
  all(query: string, values: readonly SQLInputValue[]): readonly Record<string, unknown>[]
}

/** Opens a SQLite database that another program owns, for reading only. */
export function openForeignDatabase(
  file: string,
  timeout: number = BUSY_TIMEOUT_MS,
): ForeignDatabase {
  const attempt = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      throw FileNotReadable({ path: file, reason: reasonOf(error) }, error)
    }
  }
  // Not imported: the hooks load this room and must not load SQLite.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const db = attempt(() => new DatabaseSync(file, { readOnly: true, timeout }))
  return {
    all: (query, values) => attempt(() => db.prepare(query).all(...values)),
    [Symbol.dispose]: () => db.close(),
  }
}

/**
 * Runs a query with one number as its result, without opening the store: for the status line, which
 * must start within milliseconds. Undefined if the file is missing, locked or of another schema.
 */
export function countRows(
  file: string,
  query: string,
  values: readonly SQLInputValue[],
): number | undefined {
  try {
    using db = openForeignDatabase(file, 0)
    const [row = {}] = db.all(query, values)
    const [count] = Object.values(row)
    return typeof count === "number" ? count : undefined
  } catch {
    return undefined
  }
}
