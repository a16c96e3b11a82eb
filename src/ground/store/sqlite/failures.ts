import { type AppError, isAppError, StorageFull } from "#ground/base"
import { ConstraintBroken, StoreCorrupt, StoreNotWritable, StoreStopped } from "../errors.ts"

export type SqliteFailure =
  | { kind: "busy" }
  | { kind: "stop"; error: AppError; reason: string }
  | { kind: "typed"; error: AppError }
  | { kind: "bug"; error: unknown }

/** https://sqlite.org/rescode.html: the low byte is the primary code. */
export function judgeSqlite(
  error: unknown,
  context: { file: string; isWrite: boolean },
): SqliteFailure {
  if (isAppError(error)) return { kind: "typed", error }
  const code = sqliteCode(error)
  if (code === undefined) return { kind: "bug", error }
  const errorText = `SQLite error ${code}`
  switch (code & 0xff) {
    case SQLITE.busy:
    case SQLITE.protocol:
      return { kind: "busy" }
    case SQLITE.full:
      return { kind: "typed", error: StorageFull({ path: context.file }, error) }
    case SQLITE.ioError:
      return judgeInputOutput(error, { ...context, code })
    // No value of ours is near the limit of 1 GB, so a damaged page gave a length that is too big.
    case SQLITE.tooBig:
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return { kind: "typed", error: StoreCorrupt({ what: describe(error) }, error) }
    case SQLITE.readOnly:
      if (code === SQLITE.readOnlyMoved)
        return stop(error, `the file was moved away (${errorText})`)
      return { kind: "typed", error: StoreNotWritable({ path: context.file }, error) }
    case SQLITE.cannotOpen:
    case SQLITE.permission:
      return { kind: "typed", error: StoreNotWritable({ path: context.file }, error) }
    case SQLITE.constraint:
      return { kind: "typed", error: ConstraintBroken({ constraint: describe(error) }, error) }
    case SQLITE.error:
      // Damage in a table of an extension is reported as an ordinary error, like a wrong statement.
      return DAMAGED_TABLE.test(describe(error))
        ? { kind: "typed", error: StoreCorrupt({ what: describe(error) }, error) }
        : { kind: "bug", error }
    default:
      return { kind: "bug", error }
  }
}

const DAMAGED_TABLE = /^(?:invalid fts5 file format|fts5: corrupt|vtable constructor failed)/

/**
 * After a failed fsync the kernel may drop the pages and report success next time (PROMISES,
 * finding 8), so every I/O error of a write stops the store. A shared memory file without space is
 * an ordinary full disk.
 */
function judgeInputOutput(
  error: unknown,
  context: { file: string; isWrite: boolean; code: number },
): SqliteFailure {
  const { code, file, isWrite } = context
  if (code === SQLITE.noRoomForSharedMemory) {
    return { kind: "typed", error: StorageFull({ path: file }, error) }
  }
  const isReading = code === SQLITE.readFailed || code === SQLITE.shortRead
  if (!isWrite || isReading) {
    return { kind: "typed", error: StoreCorrupt({ what: `the disk failed (${code})` }, error) }
  }
  return stop(error, `the disk failed (SQLite error ${code})`)
}

function stop(cause: unknown, reason: string): SqliteFailure {
  return { kind: "stop", reason, error: StoreStopped({ reason }, cause) }
}

function sqliteCode(error: unknown): number | undefined {
  const hasCode = error instanceof Error && "errcode" in error
  return hasCode && typeof error.errcode === "number" ? error.errcode : undefined
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : "SQLite gave no reason"
}

const SQLITE = {
  error: 1,
  permission: 3,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  tooBig: 18,
  constraint: 19,
  notADatabase: 26,
  readFailed: 266,
  shortRead: 522,
  readOnlyMoved: 1032,
  noRoomForSharedMemory: 4874,
} as const
