import type { IncomingMessage, ServerResponse } from "node:http"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { type AppError, visibleLine } from "#ground/base"
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

/** Of a refusal's words, packed and unpacked; providers use a few hundred bytes. */
const LARGEST_REFUSAL_BYTES = 64 * 1024

/** Of a refusal's words, in what is told further on. */
const LONGEST_REFUSAL_CHARACTERS = 500

/** What a provider says to a body that it cannot take; other failures are not the body's. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422])

export function isRefusal(answer: IncomingMessage): boolean {
  return REFUSALS.has(answer.statusCode)
}

/** Reads an answer that nobody will see, within bounds, for its words. Calls back once. */
export function readRefusal(answer: IncomingMessage, then: (words: string) => void): void {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  answer.on("data", (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > LARGEST_REFUSAL_BYTES) answer.destroy()
    else chunks.push(chunk)
  })
  answer.on("error", () => {})
  answer.once("close", () => {
    then(wordsOf(Buffer.concat(chunks), answer.headers["content-encoding"]))
  })
}

/** The message that all three shapes of an error have, or the whole text where there is none. */
export function wordsOf(body: Buffer, encoding: string | undefined): string {
  try {
    const text = unpack(body, encoding).toString("utf8")
    return visibleLine(messageIn(text) ?? text).slice(0, LONGEST_REFUSAL_CHARACTERS)
  } catch {
    return ""
  }
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  const limits = { maxOutputLength: LARGEST_REFUSAL_BYTES }
  switch (encoding?.toLowerCase()) {
    case "gzip":
      return gunzipSync(body, limits)
    case "br":
      return brotliDecompressSync(body, limits)
    case "zstd":
      return zstdDecompressSync(body, limits)
    default:
      return body
  }
}

function messageIn(text: string): string | undefined {
  const message = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
  if (message === undefined) return undefined
  const said: unknown = JSON.parse(message)
  return typeof said === "string" ? said : undefined
}
