import type { HookPayload } from "./answer.ts"
import { LARGEST_PAYLOAD_BYTES, STDIN_DEADLINE_MS } from "./limits.ts"

export type PayloadOutcome =
  | { readonly kind: "payload"; readonly payload: HookPayload }
  | { readonly kind: "unusable"; readonly why: string }

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Reads one JSON object, within the cap and the deadline. */
export async function readPayload(
  input: AsyncIterable<unknown>,
  deps: { readonly sleep: Sleep },
): Promise<PayloadOutcome> {
  const ended = new AbortController()
  const timeIsUp = deps.sleep(STDIN_DEADLINE_MS, ended.signal).then(late, late)
  try {
    return await Promise.race([readToEnd(input), timeIsUp])
  } finally {
    ended.abort()
  }
}

export function parsePayload(text: string): PayloadOutcome {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""))
    if (isRecord(value)) return { kind: "payload", payload: value }
    return unusable("the payload is JSON but not an object")
  } catch (error) {
    return unusable(`the payload is not JSON: ${String(error)}`)
  }
}

/** What is over the cap is read and dropped: a host that is still writing gets no broken pipe. */
async function readToEnd(input: AsyncIterable<unknown>): Promise<PayloadOutcome> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of input) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
      sizeBytes += bytes.length
      if (sizeBytes <= LARGEST_PAYLOAD_BYTES) chunks.push(bytes)
    }
  } catch (error) {
    return unusable(`the payload could not be read: ${String(error)}`)
  }
  if (sizeBytes > LARGEST_PAYLOAD_BYTES) {
    return unusable(`the payload has ${sizeBytes} bytes, more than ${LARGEST_PAYLOAD_BYTES}`)
  }
  return parsePayload(Buffer.concat(chunks).toString("utf8"))
}

function late(): PayloadOutcome {
  return unusable(`the payload was not there after ${STDIN_DEADLINE_MS} ms`)
}

function unusable(why: string): PayloadOutcome {
  return { kind: "unusable", why }
}

function isRecord(value: unknown): value is HookPayload {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
