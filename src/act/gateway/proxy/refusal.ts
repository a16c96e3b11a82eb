import type { IncomingMessage } from "node:http"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { visibleLine } from "#ground/base"
import { LARGEST_REFUSAL_BYTES, LONGEST_REFUSAL_CHARACTERS } from "./limits.ts"

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
