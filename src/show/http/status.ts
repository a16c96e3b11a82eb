import { type AppError, type ErrorFamily, isAppError, systemRandom } from "#ground/base"
import type { WireError } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { BodyInvalid } from "./errors.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"

/** The status follows from the error's family, never from its code. */
const STATUS: Readonly<Record<ErrorFamily, number>> = {
  invalid: 400,
  "not-found": 404,
  conflict: 409,
  denied: 403,
  "too-many": 429,
  unavailable: 503,
  full: 507,
}

export function answerError(error: unknown): { status: number; body: WireError } {
  if (isAppError(error)) return { status: STATUS[error.family], body: wire(error) }
  const refused = refusedBody(error)
  if (refused !== undefined) return refused
  // A bug: its message may contain anything, so it goes to the log and not to the client.
  const message = "Internal error in Quartermaster."
  const hint = "Report it with the code and the line of the server's log."
  return { status: 500, body: { code: "BUG", message, hint, data: null } }
}

const { redact, redactJson } = createSecrets({ random: systemRandom })

/** Errors quote their input, which may be a key pasted in the wrong place. */
function wire({ code, message, hint, data }: AppError): WireError {
  const safe = redactJson(data ?? null).value
  return { code, message: redact(message).text, hint: redact(hint).text, data: safe }
}

/** A body that the framework refused, with our error body and status. */
function refusedBody(error: unknown): { status: number; body: WireError } | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  const refusal = REFUSED_BODIES[String(error.code)]
  if (refusal === undefined) return undefined
  return { status: refusal.status, body: wire(BodyInvalid({ problem: refusal.problem })) }
}

const REFUSED_BODIES: Readonly<Record<string, { status: number; problem: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    problem: `it exceeds ${LARGEST_BODY_BYTES} bytes`,
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, problem: "it is empty" },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, problem: "it is not JSON" },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    problem: "its length differs from content-length",
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, problem: "it is not application/json" },
}
