import { type ErrorFamily, isAppError } from "#ground/base"
import type { WireError } from "#ground/contract"

/** The status of a failure comes from its family, never from its code. */
const STATUS: Readonly<Record<ErrorFamily, number>> = {
  invalid: 400,
  "not-found": 404,
  conflict: 409,
  denied: 403,
  unavailable: 503,
  full: 507,
}

export function answerError(error: unknown): { status: number; body: WireError } {
  if (isAppError(error)) {
    const { code, message, hint, data } = error
    return { status: STATUS[error.family], body: { code, message, hint, data: data ?? null } }
  }
  // A bug of ours: its words may hold anything, so they go to the log and not over the wire.
  const message = "Something went wrong on our side."
  const hint = "Look at the server's log, and report it with the code of the line there."
  return { status: 500, body: { code: "BUG", message, hint, data: null } }
}
