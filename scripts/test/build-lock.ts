import { mkdirSync } from "node:fs"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"

const FILE = path.join(import.meta.dirname, "../../node_modules/.cache/qm-build-lock.db")

/** A build takes a minute on a busy machine. */
const LONGEST_WAIT_MS = 1_800_000

/**
 * Waits until no other test run builds in this clone: CI starts two at the same time, and both use
 * the same outputs. The lock is one of SQLite, which the system releases if the process dies.
 */
export function lockBuild(): Disposable {
  mkdirSync(path.dirname(FILE), { recursive: true })
  const lock = new DatabaseSync(FILE, { timeout: LONGEST_WAIT_MS })
  lock.exec("BEGIN IMMEDIATE")
  return { [Symbol.dispose]: () => lock.close() }
}
