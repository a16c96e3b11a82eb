import type { HookPayload } from "./hosts/dialect.ts"
import { isFields } from "./hosts/fields.ts"
import { LARGEST_PAYLOAD_BYTES, STDIN_DEADLINE_MS } from "./limits.ts"

export type PayloadOutcome =
  | { readonly kind: "payload"; readonly payload: HookPayload }
  | { readonly kind: "unusable"; readonly why: string }

/** A stream by its events: iterating it costs a hook two milliseconds more. */
export type ByteSource = {
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown
  on(event: "end", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
}

/** Acts after a time, unless the function that it gives is called before. */
export type Later = (ms: number, act: () => void) => () => void

/**
 * Reads one JSON object, within the cap and the deadline. What is over the cap is read and dropped:
 * a host that is still writing gets no broken pipe.
 */
export async function readPayload(
  input: ByteSource | string,
  deps: { readonly later: Later },
): Promise<PayloadOutcome> {
  if (typeof input === "string") return parsePayload(input)
  const { promise, resolve } = Promise.withResolvers<PayloadOutcome>()
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  input.on("data", (chunk) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    sizeBytes += bytes.length
    if (sizeBytes <= LARGEST_PAYLOAD_BYTES) chunks.push(bytes)
    else chunks.length = 0
  })
  input.on("end", () => resolve(whole(chunks, sizeBytes)))
  input.on("error", (error) => resolve(unusable(`the payload could not be read: ${error.message}`)))
  const cancel = deps.later(STDIN_DEADLINE_MS, () =>
    resolve(unusable(`the payload was not there after ${STDIN_DEADLINE_MS} ms`)),
  )
  return promise.finally(cancel)
}

function whole(chunks: readonly Uint8Array[], sizeBytes: number): PayloadOutcome {
  if (sizeBytes > LARGEST_PAYLOAD_BYTES) {
    return unusable(`the payload has ${sizeBytes} bytes, more than ${LARGEST_PAYLOAD_BYTES}`)
  }
  return parsePayload(Buffer.concat(chunks).toString("utf8"))
}

export function parsePayload(text: string): PayloadOutcome {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""))
    if (isFields(value)) return { kind: "payload", payload: value }
    return unusable("the payload is JSON but not an object")
  } catch (error) {
    return unusable(`the payload is not JSON: ${String(error)}`)
  }
}

function unusable(why: string): PayloadOutcome {
  return { kind: "unusable", why }
}
