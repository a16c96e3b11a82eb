import type { WireError } from "../contract.ts"

export type Failure = Error & WireError

export function failure(wire: WireError): Failure {
  const { code, message, hint, data } = wire
  return Object.assign(new Error(message), { code, hint, data })
}

export const serverUnreachable = (): Failure =>
  failure({
    code: "CONSOLE_SERVER_UNREACHABLE",
    message: "The server does not respond.",
    hint: "Start it with `qm up` and try again. No data is lost.",
    data: {},
  })

export const answerUnreadable = (status: number): Failure =>
  failure({
    code: "CONSOLE_ANSWER_UNREADABLE",
    message: `The server returned status ${status} with a body that is not JSON.`,
    hint: "Check that `qm up` and this page have the same version, then reload.",
    data: { status },
  })

export const sessionOver = (): Failure =>
  failure({
    code: "CONSOLE_SESSION_OVER",
    message: "The session of this browser has expired.",
    hint: "Run `qm open` in the repository and open the link that it prints.",
    data: {},
  })

export function toWireError(error: unknown): WireError {
  if (isFailure(error)) {
    const { code, message, hint, data } = error
    return { code, message, hint, data }
  }
  return {
    code: "CONSOLE_UNFORESEEN",
    message: "Unexpected error in the console.",
    hint: "This is a bug in Quartermaster. Reload the page; if it happens again, copy the details into a report.",
    data: { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
  }
}

function isFailure(error: unknown): error is Failure {
  return error instanceof Error && "code" in error && "hint" in error && "data" in error
}

/** The server responded and rejected this browser's session. */
export function isRefusal(error: unknown): boolean {
  const isSilence = hasCode(error, "CONSOLE_SERVER_UNREACHABLE")
  return isFailure(error) && !isSilence && !hasCode(error, "CONSOLE_ANSWER_UNREADABLE")
}

export function hasCode(error: unknown, code: string): boolean {
  return isFailure(error) && error.code === code
}
