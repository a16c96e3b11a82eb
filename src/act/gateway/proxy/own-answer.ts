import type { ServerResponse } from "node:http"
import type { AppError } from "#ground/base"
import type { WireName } from "#ground/contract"

type OwnStatus = 403 | 421 | 426 | 502

/** Answers in the provider's place, in the shape that the host reads errors in. */
export function answerOurselves(
  response: ServerResponse,
  { wire, status, error }: { wire: WireName; status: OwnStatus; error: AppError },
): void {
  const body = Buffer.from(errorBody(wire, status, error))
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    // What RFC 9110 asks of a 426. Without it the connection stays: the rest of a body is read away,
    // since closing under a host that still sends would cost it the answer.
    ...(status === 426 && { upgrade: "HTTP/1.1", connection: "close, upgrade" }),
  })
  response.end(body)
}

function errorBody(wire: WireName, status: OwnStatus, error: AppError): string {
  const message = `${error.message} ${error.hint} (${error.code})`
  switch (wire) {
    case "anthropic":
      return JSON.stringify({ type: "error", error: { type: ANTHROPIC[status], message } })
    case "openai":
      return JSON.stringify({ error: { message, type: OPENAI[status], code: error.code } })
    case "gemini":
      return JSON.stringify({ error: { code: status, message, status: GEMINI[status] } })
    default:
      return wire satisfies never
  }
}

const ANTHROPIC = {
  403: "permission_error",
  421: "permission_error",
  426: "invalid_request_error",
  502: "api_error",
} as const satisfies Record<OwnStatus, string>

const OPENAI = {
  403: "permission_error",
  421: "permission_error",
  426: "invalid_request_error",
  502: "server_error",
} as const satisfies Record<OwnStatus, string>

const GEMINI = {
  403: "PERMISSION_DENIED",
  421: "PERMISSION_DENIED",
  426: "FAILED_PRECONDITION",
  502: "UNAVAILABLE",
} as const satisfies Record<OwnStatus, string>
