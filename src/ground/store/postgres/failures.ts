import { type AppError, isAppError, StorageFull } from "#ground/base"
import {
  ConstraintBroken,
  LoginRefused,
  StoreBusy,
  StoreCorrupt,
  StoreNotWritable,
  StoreStopped,
  StoreUnreachable,
} from "../errors.ts"
import type { PostgresAddress } from "../location.ts"

export type PostgresFailure =
  | { kind: "again" }
  | { kind: "stop"; error: AppError; reason: string }
  | { kind: "unreachable"; error: AppError }
  | { kind: "typed"; error: AppError }
  | { kind: "bug"; error: unknown }

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: the first two characters are the
 * class.
 */
export function judgePostgres(
  error: unknown,
  context: { address: PostgresAddress; during: string; waitedMs: number },
): PostgresFailure {
  if (isAppError(error)) return { kind: "typed", error }
  const code = postgresCode(error)
  const { address, during } = context
  if (code === undefined) {
    if (!isConnectionLost(error)) return { kind: "bug", error }
    return { kind: "unreachable", error: unreachable(address.server, during, error) }
  }
  if (AGAIN.has(code)) return { kind: "again" }
  if (IO_FAILED.has(code) || isPanic(error)) {
    const reason = `the database server's disk failed (${code})`
    return { kind: "stop", reason, error: StoreStopped({ reason }, error) }
  }
  if (isServerGone(code)) {
    return { kind: "unreachable", error: unreachable(address.server, during, error) }
  }
  const translated = translate(code, context, error)
  return translated === undefined ? { kind: "bug", error } : { kind: "typed", error: translated }
}

function unreachable(server: string, during: string, cause: unknown): AppError {
  return StoreUnreachable({ server, during }, cause)
}

function translate(
  code: string,
  context: { address: PostgresAddress; waitedMs: number },
  cause: unknown,
): AppError | undefined {
  const { server, user, database, masked } = context.address
  switch (true) {
    case code === "28P01":
      return LoginRefused({ server, problem: `wrong password for user ${user}` }, cause)
    case code === "3D000":
      return LoginRefused({ server, problem: `database ${database} does not exist` }, cause)
    case code.startsWith("28"):
      return LoginRefused({ server, problem: `user ${user} may not log in` }, cause)
    case code === "42501" || code === "25006":
      return StoreNotWritable({ path: masked }, cause)
    case code === "55P03" || code === "57014":
      return StoreBusy({ waitedMs: context.waitedMs }, cause)
    case code === "53100":
      return StorageFull({ path: masked }, cause)
    case code === "XX001" || code === "XX002":
      return StoreCorrupt({ what: `the database server reports damage (${code})` }, cause)
    case code.startsWith("23"):
      return ConstraintBroken({ constraint: constraintName(cause, code) }, cause)
    default:
      return undefined
  }
}

const AGAIN: ReadonlySet<string> = new Set(["40001", "40P01"])

/** io_error: the server could not flush its log. */
const IO_FAILED: ReadonlySet<string> = new Set(["58030"])

function isServerGone(code: string): boolean {
  return code.startsWith("08") || /^57P0[1-5]$/.test(code) || code === "53300" || code === "25P03"
}

function isPanic(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "PANIC"
}

function postgresCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !SYSTEM.has(code)
    ? code
    : undefined
}

const SYSTEM: ReadonlySet<string> = new Set(["EPIPE", "EBUSY", "EPERM", "EBADF", "ENXIO"])

const LOST =
  /^(?:ECONN|ENOTFOUND|ENOENT|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|EACCES|EPERM|EADDR|ERR_SOCKET|ERR_TLS|ERR_SSL)/

/** The driver has no code for a closed connection, only these messages. */
const LOST_WORDS =
  /connection (?:terminated|timeout|timed out)|timeout e(?:xceeded|xpired)|read timeout|not queryable|client was closed|server does not support ssl|certificate/i

function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isConnectionLost)) return true
  const isSystem = "code" in error && typeof error.code === "string" && LOST.test(error.code)
  return isSystem || LOST_WORDS.test(error.message)
}

/** The name only: the server's message repeats values. */
function constraintName(error: unknown, code: string): string {
  const hasName = error instanceof Error && "constraint" in error
  return hasName && typeof error.constraint === "string" ? error.constraint : code
}
