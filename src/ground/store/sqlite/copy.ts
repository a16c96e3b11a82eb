import { backup, DatabaseSync } from "node:sqlite"
import { BACKUP_PAGES_PER_STEP, BLOCKING_WAIT_MS } from "../limits.ts"
import { judgeSqlite } from "./failures.ts"
import { makePrivate } from "./files.ts"

/**
 * Copies a database in steps, off the event loop. The open savepoint holds one snapshot: without
 * it the copy would begin again at every write of another process, and never end beside a busy one.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await makePrivate(to)
  try {
    using source = new DatabaseSync(from, { timeout: BLOCKING_WAIT_MS })
    source.exec("SAVEPOINT snapshot; SELECT count(*) FROM sqlite_schema")
    await backup(source, to, { rate: BACKUP_PAGES_PER_STEP })
    source.exec("RELEASE snapshot")
    using copy = new DatabaseSync(to)
    // One file that stands alone: a copy in WAL mode would grow companions whenever it is opened.
    copy.exec("PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE")
  } catch (error) {
    const failure = judgeSqlite(error, { file: to, isWrite: false })
    throw failure.kind === "busy" ? error : failure.error
  }
}

/** What is wrong with a database that lies still; undefined when it is sound. */
export function checkCopy(file: string): string | undefined {
  try {
    using copy = new DatabaseSync(file)
    const findings = copy.prepare("PRAGMA quick_check(1)").all().flatMap(Object.values)
    return findings.map(String).find((it) => it !== "ok")
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be read"
  }
}
