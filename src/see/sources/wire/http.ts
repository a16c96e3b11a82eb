import {
  type AuthProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client"
import { guardedPost, guardedStream } from "./guarded-fetch.ts"
import type { Wire } from "./stdio.ts"

type HttpAddress = {
  readonly url: string
  readonly token?: string | undefined
  /** A token that may expire, instead of `token`. */
  readonly auth?: AuthProvider | undefined
}

export function httpWire(address: HttpAddress): Wire {
  let problem: string | undefined
  const post = guardedPost({
    onProblem(text) {
      problem ??= text
      void transport.close()
    },
  })
  const transport: StreamableHTTPClientTransport = new StreamableHTTPClientTransport(
    new URL(address.url),
    {
      ...optionsFor(address),
      // Refuses the standing stream for server-initiated messages: we only send requests.
      fetch: async (url, init) =>
        init?.method === "POST" ? post(url, init) : new Response(null, { status: 405 }),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
      onInsufficientScope: "throw",
    },
  )
  return Object.assign(transport, { problem: () => problem })
}

/** The transport before streamable HTTP: one stream of events, and requests by POST. */
export function sseWire(address: HttpAddress): Wire {
  let problem: string | undefined
  const guard = {
    onProblem(text: string): void {
      problem ??= text
      void transport.close()
    },
  }
  const stream = guardedStream(guard)
  const post = guardedPost(guard)
  const transport: SSEClientTransport = new SSEClientTransport(new URL(address.url), {
    ...optionsFor(address),
    async fetch(url, init) {
      if (init?.method !== "POST") return stream.open(url, init)
      stream.resetUnasked()
      return post(url, init)
    },
  })
  return Object.assign(transport, { problem: () => problem })
}

function optionsFor({ token, auth }: HttpAddress) {
  return {
    ...(auth !== undefined && { authProvider: auth }),
    requestInit: {
      redirect: "error",
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    },
  } as const
}
