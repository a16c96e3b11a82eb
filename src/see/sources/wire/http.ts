import { type FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { LARGEST_FRAME_BYTES } from "../limits.ts"
import type { Wire } from "./stdio.ts"

export function httpWire(address: {
  readonly url: string
  readonly token: string | undefined
}): Wire {
  const { url, token } = address
  let problem: string | undefined
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: guardedFetch(() => {
      problem = `it sent a message larger than ${LARGEST_FRAME_BYTES} bytes`
      // The package would wait for the rest of a stream until the timeout.
      void transport.close()
      return problem
    }),
    requestInit: {
      redirect: "error",
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
    onInsufficientScope: "throw",
  })
  return Object.assign(transport, { problem: () => problem })
}

const guardedFetch =
  (tooLarge: () => string): FetchLike =>
  async (url, init) => {
    // Refuses the standing stream for server-initiated messages: we only send requests.
    if (init?.method !== "POST") return new Response(null, { status: 405 })
    const response = await fetch(url, { ...init, redirect: "error" })
    const { status, statusText, headers } = response
    const body = response.body === null ? null : response.body.pipeThrough(bounded(tooLarge))
    return new Response(body, { status, statusText, headers })
  }

function bounded(
  tooLarge: () => string,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= LARGEST_FRAME_BYTES) controller.enqueue(chunk)
      else controller.error(new Error(tooLarge()))
    },
  })
}
