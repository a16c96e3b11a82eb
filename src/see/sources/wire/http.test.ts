import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { newFixture } from "../sources.fixture.ts"

const { signal } = new AbortController()
const QUESTION = { tool: "search", args: { query: "x" } }

type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void
type Message = { readonly id?: number; readonly method: string }

const json = (response: ServerResponse, value: unknown) =>
  response.setHeader("content-type", "application/json").end(JSON.stringify(value))

const usual: Answer = ({ id, method }, response) => {
  const reply = (result: unknown) => json(response, { jsonrpc: "2.0", id, result })
  switch (method) {
    case "initialize":
      return void reply({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "stub", version: "1" },
      })
    case "tools/list":
      return void reply({ tools: [{ name: "search", inputSchema: { type: "object" } }] })
    case "tools/call":
      return void reply({ content: [{ type: "text", text: "found" }] })
    default:
      return void response.writeHead(202).end()
  }
}

async function serve(answer: Answer) {
  const requests: { readonly method: string | undefined; readonly authorization: unknown }[] = []
  const server = createServer((request, response) => {
    requests.push({ method: request.method, authorization: request.headers.authorization })
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      answer(body === "" ? { method: "none" } : JSON.parse(body), response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const onCall =
  (answer: Answer): Answer =>
  (message, response, request) =>
    message.method === "tools/call"
      ? answer(message, response, request)
      : usual(message, response, request)

async function ask(url: string, options: { credential?: string; timeoutMs?: number } = {}) {
  const kept = new Map([["my-key", "fake-value"]])
  await using fixture = await newFixture({ credential: async (name) => kept.get(name) })
  const { credential, timeoutMs } = options
  await fixture.add("web", "", {
    origin: "shipped",
    transport: { type: "http", url, credential },
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  try {
    return (await fixture.sources.call("web", QUESTION, { signal })).text
  } catch (error) {
    return isAppError(error) ? `${error.code} ${error.message}` : String(error)
  }
}

describe("HTTP source", () => {
  test("[SOURCES-7] requests use POST with the key in a header", async () => {
    await using server = await serve(usual)
    expect(await ask(server.url, { credential: "my-key" })).toBe("found")
    expect(new Set(server.requests.map((it) => it.method))).toEqual(new Set(["POST"]))
    expect(new Set(server.requests.map((it) => it.authorization))).toEqual(
      new Set(["Bearer fake-value"]),
    )
  })

  test("[SOURCES-7] a response can be an event stream", async () => {
    await using server = await serve(
      onCall(({ id }, response) => {
        const result = { content: [{ type: "text", text: "streamed" }] }
        const data = JSON.stringify({ jsonrpc: "2.0", id, result })
        response.setHeader("content-type", "text/event-stream")
        response.end(`event: message\ndata: ${data}\n\n`)
      }),
    )
    expect(await ask(server.url)).toBe("streamed")
  })

  test("[SOURCES-7] without its key nothing is sent, and the error names the key", async () => {
    await using server = await serve(usual)
    expect(await ask(server.url, { credential: "other-key" })).toBe(
      "SOURCES_NO_CREDENTIAL Source web needs the credential other-key, which is not set.",
    )
    expect(server.requests).toEqual([])
  })

  test("[SOURCES-7] a redirect is not followed, so the key goes nowhere else", async () => {
    await using thief = await serve(usual)
    for (const status of [301, 302, 307, 308]) {
      await using server = await serve((_, response) => {
        response.writeHead(status, { location: thief.url }).end()
      })
      expect(await ask(server.url, { credential: "my-key" })).toMatch(
        /^SOURCES_FAILED .*web failed/,
      )
    }
    expect(thief.requests).toEqual([])
  })

  test("[SOURCES-7] plain http is allowed on this machine only, without a user name in the address", async () => {
    const wrong = [
      "http://a.example/mcp",
      "http://127.0.0.1.a.example/mcp",
      "http://10.0.0.1/mcp",
      "http://[::2]/mcp",
      "https://name:word@a.example/mcp",
      "http://",
    ]
    for (const url of wrong) expect(await ask(url)).toMatch(/^SOURCES_INVALID/)
  })

  test("[SOURCES-8] a server that is silent or sends one byte at a time ends at the timeout", async () => {
    for (const answer of [
      onCall(() => {}),
      onCall(
        (_, response) => void response.setHeader("content-type", "application/json").write("{"),
      ),
    ]) {
      await using server = await serve(answer)
      expect(await ask(server.url, { timeoutMs: 500 })).toMatch(
        /^SOURCES_TIMED_OUT .*web did not respond/,
      )
    }
  })

  test("[SOURCES-9] a response of 50 MB is cut off, whole or as a stream", async () => {
    const piece = Buffer.alloc(1_000_000, "x")
    for (const type of ["application/json", "text/event-stream"]) {
      let sent = 0
      await using server = await serve(
        onCall((_, response) => {
          response.setHeader("content-type", type).write(type.includes("event") ? "data: " : '"')
          const more = () => {
            sent += 1
            if (response.destroyed || sent > 50) return void response.end()
            response.write(piece, () => setImmediate(more))
          }
          more()
        }),
      )
      expect(await ask(server.url)).toMatch(/^SOURCES_FAILED .*its answer is larger than 4 MB/)
      expect(sent).toBeLessThan(50)
    }
  })

  test("[SOURCES-11] errors for refusals and broken responses name the source", async () => {
    const rows: readonly (readonly [Answer, RegExp])[] = [
      [(_, response) => void response.writeHead(401).end(), /web failed/],
      [(_, response) => void response.writeHead(500).end("broken"), /web failed: .*broken/],
      [
        onCall((_, response) => void response.setHeader("content-type", "text/html").end("x")),
        /web/,
      ],
      [
        onCall(
          (_, response) => void response.setHeader("content-type", "application/json").end("{"),
        ),
        /web/,
      ],
      [onCall((_, response) => void response.destroy()), /web failed/],
      [
        onCall(
          ({ id }, response) =>
            void json(response, {
              jsonrpc: "2.0",
              id,
              error: { code: -32000, message: "no index" },
            }),
        ),
        /web failed: .*no index/,
      ],
    ]
    for (const [answer, said] of rows) {
      await using server = await serve(answer)
      const outcome = await ask(server.url)
      expect(outcome).toMatch(/^SOURCES_FAILED /)
      expect(outcome).toMatch(said)
    }
    const gone = await serve(usual)
    await gone[Symbol.asyncDispose]()
    expect(await ask(gone.url)).toMatch(/web failed: fetch failed: .*ECONNREFUSED/)
  })
})
