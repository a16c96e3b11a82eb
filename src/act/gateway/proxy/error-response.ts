import type { IncomingMessage, ServerResponse } from "node:http"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { type AppError, visibleLine } from "#ground/base"
import type { WireName } from "#ground/contract"

type OwnStatus = 403 | 421 | 426 | 502

/** In the error format of the wire. */
export function answerOurselves(
  response: ServerResponse,
  { wire, status, error }: { wire: WireName; status: OwnStatus; error: AppError },
): void {
  const body = Buffer.from(errorBody(wire, status, error))
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    // RFC 9110 requires these for 426. Otherwise the connection stays open: closing it while the
    // host still sends would lose the answer.
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

const LARGEST_REFUSAL_BYTES = 64 * 1024

const LONGEST_REFUSAL_CHARACTERS = 500

/** Other statuses are not about the body. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422])

export function isRefusal(answer: IncomingMessage): boolean {
  return REFUSALS.has(answer.statusCode)
}

/** Reads an answer that the host never sees, within bounds; calls back once. */
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

/** The `message` that all three error formats have, else the whole text. */
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
  const parsed: unknown = JSON.parse(message)
  return typeof parsed === "string" ? parsed : undefined
}
