import type { WireError } from "../contract.ts"

export type Failure = Error & WireError

export function failure(wire: WireError): Failure {
  const { code, message, hint, data } = wire
  return Object.assign(new Error(message), { code, hint, data })
}

export const serverUnreachable = (): Failure =>
  failure({
    code: "CONSOLE_SERVER_UNREACHABLE",
    message: "The server does not answer.",
    hint: "Nothing was lost. Start it with `qm up` and try again.",
    data: {},
  })

export const answerUnreadable = (status: number): Failure =>
  failure({
    code: "CONSOLE_ANSWER_UNREADABLE",
    message: `The server answered ${status} with something that is not JSON.`,
    hint: "Check that `qm up` and this page are of one version, then reload.",
    data: { status },
  })

export const sessionOver = (): Failure =>
  failure({
    code: "CONSOLE_SESSION_OVER",
    message: "This page is not let in any more.",
    hint: "Run `qm open` in the repository: it prints a fresh link.",
    data: {},
  })

export function toWireError(error: unknown): WireError {
  if (isFailure(error)) {
    const { code, message, hint, data } = error
    return { code, message, hint, data }
  }
  return {
    code: "CONSOLE_UNFORESEEN",
    message: "Something broke that should not.",
    hint: "This is our fault. Reload the page; if it comes back, copy the details into a report.",
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
