import { LARGEST_REFUSAL_BYTES, LARGEST_STREAM_BYTES } from "../limits.ts"

type Fetch = typeof globalThis.fetch

/** A server that sends more than it may. */
export class StreamTooLarge extends Error {
  override readonly name = "StreamTooLarge"
}

/**
 * Follows no redirect, which would carry the key to another address, and stops reading a body that
 * has no end.
 */
export const safeFetch: Fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" })
  const mostBytes = response.ok ? LARGEST_STREAM_BYTES : LARGEST_REFUSAL_BYTES
  const body = response.body?.pipeThrough(limited(mostBytes)) ?? null
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}

function limited(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) controller.error(new StreamTooLarge("the server sent too much"))
      else controller.enqueue(chunk)
    },
  })
}
