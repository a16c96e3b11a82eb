import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { newFixture } from "../sources.fixture.ts"

const { signal } = new AbortController()

type Event = (data: string, name?: string) => void
type OnCall = (send: Event, id: number, stream: ServerResponse) => void

const RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "stub", version: "1" },
  },
  "tools/list": { tools: [{ name: "search", inputSchema: { type: "object" } }] },
}

/** The transport of 2024: messages arrive on the stream, requests go to the address it names. */
async function serveEvents(onCall: OnCall, endpoint = "/messages?session=1") {
  const seen: string[] = []
  let stream: ServerResponse | undefined
  const send: Event = (data, name = "message") => stream?.write(`event: ${name}\ndata: ${data}\n\n`)
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim())
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" })
      return send(endpoint, "endpoint")
    }
    const { id, method } = JSON.parse(await text(request))
    response.writeHead(202).end()
    if (method === "tools/call" && stream !== undefined) return onCall(send, id, stream)
    const result = RESULTS[method]
    if (result !== undefined) send(JSON.stringify({ jsonrpc: "2.0", id, result }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/sse`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const found: OnCall = (send, id) => {
  const result = { content: [{ type: "text", text: "found" }] }
  send(JSON.stringify({ jsonrpc: "2.0", id, result }))
}

async function ask(url: string, credential?: string) {
  await using fixture = await newFixture({ credential: async () => "fake-value" })
  const transport = { type: "sse", url, credential }
  await fixture.add("old", "", { origin: "shipped", transport, provides: ["other"] })
  const question = { tool: "search", args: {} }
  try {
    return (await fixture.sources.call("old", question, { signal })).text
  } catch (error) {
    return isAppError(error) ? `${error.code} ${error.message}` : String(error)
  }
}

test("[SOURCES-7] a server with the older event stream gets requests by POST, with the key in a header", async () => {
  await using server = await serveEvents(found)
  expect(await ask(server.url, "my-key")).toBe("found")
  expect(new Set(server.seen)).toEqual(
    new Set(["GET /sse Bearer fake-value", "POST /messages?session=1 Bearer fake-value"]),
  )
  expect(server.seen.filter((it) => it.startsWith("GET")).length).toBe(1)
})

test("[SOURCES-7] an event stream cannot send requests to another server", async () => {
  await using thief = await serveEvents(found)
  await using server = await serveEvents(found, new URL("/messages", thief.url).href)
  expect(await ask(server.url, "my-key")).toMatch(/^SOURCES_FAILED .*origin/)
  expect(thief.seen).toEqual([])
})

test("[SOURCES-9] an event of 50 MB is cut off, and many small events are not", async () => {
  const piece = "x".repeat(1_000_000)
  let sent = 0
  await using large = await serveEvents((_, __, stream) => {
    stream.write("data: ")
    const more = (): void => {
      sent += 1
      if (!stream.destroyed && sent <= 50) stream.write(piece, () => setImmediate(more))
    }
    more()
  })
  expect(await ask(large.url)).toMatch(/^SOURCES_FAILED .*its answer is larger than 4 MB/)
  expect(sent).toBeLessThan(50)
  const note = { jsonrpc: "2.0", method: "notifications/message", params: { data: piece } }
  await using many = await serveEvents((send, id, stream) => {
    for (let at = 0; at < 6; at++) send(JSON.stringify(note))
    found(send, id, stream)
  })
  expect(await ask(many.url)).toBe("found")
})

test("[SOURCES-8] a stream that ends before the response ends the call at once", async () => {
  await using server = await serveEvents((_, __, stream) => void stream.end())
  expect(await ask(server.url)).toMatch(/^SOURCES_FAILED .*it closed the connection/)
})
