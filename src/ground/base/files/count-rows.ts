import type { SQLInputValue } from "node:sqlite"

/**
 * Runs a query with one number as its result, without opening the store: for the status line, which
 * must start within milliseconds. Undefined if the file is missing, locked or of another schema.
 */
export function countRows(
  file: string,
  query: string,
  values: readonly SQLInputValue[],
): number | undefined {
  // Not imported: a hook that counts nothing must not load SQLite.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const [count] = Object.values(db.prepare(query).get(...values) ?? {})
    return typeof count === "number" ? count : undefined
  } catch {
    return undefined
  }
}
