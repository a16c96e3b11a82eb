import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type { DatabaseRow } from "../driver.ts"
import { SqliteTooOld } from "../errors.ts"
import { BLOCKING_WAIT_MS } from "../limits.ts"
import { render, type Sql } from "../sql.ts"

/** Before this SQLite had a corruption race with several processes in WAL mode (PROMISES, finding 4). */
const OLDEST_SQLITE = "3.51.3"

/** The log shrinks to this after a checkpoint. */
const KEPT_LOG_BYTES = 1_000_000

const MAX_CACHED_STATEMENTS = 256

export type Connection = ReturnType<typeof openConnection>

export function openConnection(file: string, role: "write" | "read") {
  const database = new DatabaseSync(file, { timeout: BLOCKING_WAIT_MS })
  const statements = new Map<string, StatementSync>()

  function prepare(query: Sql): StatementSync {
    const text = render(query, "sqlite")
    const cached = statements.get(text)
    if (cached !== undefined) return cached
    const made = database.prepare(text)
    statements.set(text, made)
    const [oldest] = statements.keys()
    if (statements.size > MAX_CACHED_STATEMENTS && oldest !== undefined) statements.delete(oldest)
    return made
  }

  return {
    database,
    /**
     * Separate from opening, so that a caller can retry while another process holds the lock.
     * `wal_autocheckpoint` is 0: SQLite would ignore a failed fsync there and silently lose data at
     * the next one. `secure_delete`: a queued turn contains the user's own text, including secrets.
     */
    configure(): void {
      database.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        PRAGMA cell_size_check = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA secure_delete = ON;
        PRAGMA wal_autocheckpoint = 0;
        PRAGMA journal_size_limit = ${KEPT_LOG_BYTES};
        PRAGMA query_only = ${role === "read" ? "ON" : "OFF"};
      `)
    },
    all: (query: Sql): readonly DatabaseRow[] => prepare(query).all(...bound(query)),
    run(query: Sql): { changes: number } {
      const statement = prepare(query)
      // A full-text table reports row ids of its own that a number cannot hold.
      statement.setReadBigInts(true)
      try {
        return { changes: Number(statement.run(...bound(query)).changes) }
      } finally {
        statement.setReadBigInts(false)
      }
    },
    close(): void {
      statements.clear()
      if (database.isOpen) database.close()
    },
  }
}

export function requireRecentSqlite(version: string): void {
  if (compareVersions(version, OLDEST_SQLITE) >= 0) return
  throw SqliteTooOld({ found: version, needed: OLDEST_SQLITE })
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((it) => it.split(".").map(Number))
  for (let part = 0; part < 3; part++) {
    const difference = (a?.[part] ?? 0) - (b?.[part] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function bound(query: Sql): SQLInputValue[] {
  return [...query.values]
}
