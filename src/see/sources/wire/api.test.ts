import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { newFixture } from "../sources.fixture.ts"

const { signal } = new AbortController()

type Answer = (request: IncomingMessage, response: ServerResponse) => void

async function serve(answer: Answer) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${String(request.headers["x-key"] ?? "")}`.trim())
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/base`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const TOOLS = [
  {
    name: "read",
    method: "GET",
    path: "/items/{id}/text",
    parameters: {
      id: { type: "string", in: "path", required: true },
      limit: { type: "integer", in: "query", name: "$top", default: 5 },
    },
    query: { version: "1" },
  },
]

async function ask(url: string, args: Readonly<Record<string, unknown>>, timeoutMs = 20_000) {
  await using fixture = await newFixture({ credential: async () => "fake-value" })
  const transport = { type: "api", url, credential: "my-key", keyHeader: "X-Key", tools: TOOLS }
  await fixture.add("api", "", { origin: "shipped", transport, timeoutMs })
  try {
    const answer = await fixture.sources.call("api", { tool: "read", args }, { signal })
    return `${answer.isError ? "error" : "ok"} ${answer.text}`
  } catch (error) {
    return isAppError(error) ? `${error.code} ${error.message}` : String(error)
  }
}

const hello: Answer = (_, response) => void response.end('{"text":"hello"}')

test("[SOURCES-28] a declared request is sent with its constants, escaped values and the key in its header", async () => {
  await using server = await serve(hello)
  expect(await ask(server.url, { id: "a/b?c#d'e", limit: 2 })).toBe('ok {"text":"hello"}')
  expect(server.seen).toEqual([
    "GET /base/items/a%2Fb%3Fc%23d%27e/text?version=1&%24top=2 fake-value",
  ])
})

test("[SOURCES-28] a step of a path, an unknown, a missing or a wrong argument is refused, and nothing is sent", async () => {
  await using server = await serve(hello)
  const rows = [
    { id: ".." },
    { id: "." },
    { id: "a", more: 1 },
    {},
    { id: 1 },
    { id: "a", limit: 1.5 },
  ]
  for (const args of rows) expect(await ask(server.url, args)).toMatch(/^error The argument/)
  expect(server.seen).toEqual([])
})

test("[SOURCES-28] a redirect is not followed, so the key goes nowhere else", async () => {
  await using thief = await serve(hello)
  await using server = await serve((_, response) => {
    response.writeHead(302, { location: thief.url }).end()
  })
  expect(await ask(server.url, { id: "a" })).toMatch(/^SOURCES_FAILED/)
  expect(thief.seen).toEqual([])
})

test("[SOURCES-28] a refused key or a broken server is a failure of the source, an unknown item is a result", async () => {
  for (const status of [401, 403, 429, 500]) {
    await using server = await serve((_, response) => void response.writeHead(status).end("no"))
    expect(await ask(server.url, { id: "a" })).toMatch(
      new RegExp(`^SOURCES_FAILED .*it answered ${status}: no`),
    )
  }
  await using empty = await serve((_, response) => void response.writeHead(404).end("gone"))
  expect(await ask(empty.url, { id: "a" })).toBe("error Status 404. gone")
})

test("[SOURCES-9] a response of 50 MB of an API is cut off, and a silent one ends at the timeout", async () => {
  const piece = Buffer.alloc(1_000_000, "x")
  let sent = 0
  await using server = await serve((_, response) => {
    const more = (): void => {
      sent += 1
      if (response.destroyed || sent > 50) return void response.end()
      response.write(piece, () => setImmediate(more))
    }
    more()
  })
  expect(await ask(server.url, { id: "a" })).toMatch(
    /^SOURCES_FAILED .*its answer is larger than 4 MB/,
  )
  expect(sent).toBeLessThan(50)
  await using silent = await serve(() => {})
  expect(await ask(silent.url, { id: "a" }, 300)).toMatch(/^SOURCES_TIMED_OUT/)
})
