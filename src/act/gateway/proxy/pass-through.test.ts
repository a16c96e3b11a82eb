import { createHash, randomFillSync } from "node:crypto"
import { Agent, request as requestPlain } from "node:http"
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { type Header } from "./exchange.ts"
import { pairsOf } from "./headers.ts"
import { ask, json, keepAlive, newFixture, newProvider, sendRaw } from "./proxy.fixture.ts"

const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
const MB = 1024 * 1024

/** Headers that Node's own client and server add to any message. */
const isOfConnection = ([name]: Header) =>
  ["connection", "keep-alive", "transfer-encoding", "host"].includes(name.toLowerCase())
const ownOf = (raw: readonly string[]) => pairsOf(raw).filter((it) => !isOfConnection(it))

describe("a request", () => {
  test("[GATE-2] a request reaches the provider with its method, path, query, headers and bytes", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    const headers: readonly Header[] = [
      ["x-API-key", "fake-key-for-this-test"],
      ["anthropic-BETA", "a,b"],
      ["X-Twice", "1"],
      ["x-twice", "2"],
      ["Accept-Encoding", "gzip, deflate, br, zstd"],
    ]
    const body = "{ not json at all \u0000"
    const path = `/v1/messages/../messages//?beta=true&x=%2F%20#f`
    await ask(fixture.port, { path: fixture.base + path, headers, body })
    const [seen] = provider.seen
    expect(seen).toMatchObject({ method: "POST", url: path })
    expect(ownOf(seen?.rawHeaders ?? [])).toEqual([
      ...headers,
      ["Content-Length", String(body.length)],
    ])
    expect(pairsOf(seen?.rawHeaders ?? [])[0]).toEqual(["Host", `127.0.0.1:${provider.port}`])
    expect(seen?.body.toString()).toBe(body)
    expect((await fixture.exchange()).request).toMatchObject({
      method: "POST",
      path,
      isWhole: true,
      sizeBytes: body.length,
      body: Buffer.from(body),
    })
  })

  test("[GATE-2] a request stays below the provider's base path and goes to no other host", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture({ url: new URL("/some/prefix/", provider.url) })
    for (const path of ["/v1/messages", "", "?beta=true", "//other.example/x"]) {
      await ask(fixture.port, { path: fixture.base + path })
    }
    expect(provider.seen.map((it) => it.url)).toEqual([
      "/some/prefix/v1/messages",
      "/some/prefix/",
      "/some/prefix/?beta=true",
      "/some/prefix//other.example/x",
    ])
  })

  test.each(["GET", "HEAD", "OPTIONS", "DELETE"])(
    "[GATE-2] %s is forwarded without a body, and so is an unknown route",
    async (method) => {
      await using provider = await newProvider((response, { rawHeaders }) => {
        response.writeHead(200, ["X-Route", "any", "Content-Length", "2"])
        response.end(rawHeaders.some((it) => /^transfer-encoding$/i.test(it)) ? "no" : "ok")
      })
      await using fixture = await newFixture(provider)
      const said = await ask(fixture.port, { method, path: `${fixture.base}/v9/unheard/of` })
      expect(said.status).toBe(200)
      expect(said.body.toString()).toBe(method === "HEAD" ? "" : "ok")
      expect(pairsOf(said.rawHeaders)).toContainEqual(["Content-Length", "2"])
      expect(provider.seen[0]).toMatchObject({ method, url: "/v9/unheard/of" })
      expect(provider.seen[0]?.body.length).toBe(0)
    },
  )

  test("[GATE-2] a method that allows a body may come without one", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    for (const method of ["POST", "PUT"]) {
      const head = `${method} ${fixture.base}/v1/x HTTP/1.1\r\nHost: ${fixture.host}\r\n`
      const answer = await sendRaw(fixture.port, `${head}Connection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1.1 200 /)
    }
    expect(provider.seen.map((it) => ownOf(it.rawHeaders))).toEqual([
      [["Content-Length", "0"]],
      [["Content-Length", "0"]],
    ])
  })

  test("[GATE-2] a chunked request stays chunked, with its trailers, also for DELETE", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    for (const method of ["POST", "DELETE"]) {
      const head = `${method} ${fixture.base}/v1/x HTTP/1.1\r\nHost: ${fixture.host}\r\n`
      const rest = "Connection: close\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n"
      const body = "5\r\nhello\r\n0\r\nX-Sum: abc\r\n\r\n"
      expect(await sendRaw(fixture.port, head + rest + body)).toMatch(/^HTTP\/1.1 200 /)
    }
    for (const seen of provider.seen) {
      expect(seen.body.toString()).toBe("hello")
      expect(seen.rawTrailers).toEqual(["X-Sum", "abc"])
      expect(ownOf(seen.rawHeaders)).toEqual([["Trailer", "X-Sum"]])
    }
    expect(provider.seen.length).toBe(2)
  })

  test("[GATE-2] a request that waits for 100 gets it, and its body arrives", async () => {
    await using provider = await newProvider((response) => response.end("done"))
    await using fixture = await newFixture(provider)
    const headers = { expect: "100-continue", "content-length": "5", host: fixture.host }
    const events: string[] = []
    await new Promise<void>((resolve, reject) => {
      const at = { host: "127.0.0.1", port: fixture.port, path: `${fixture.base}/v1`, headers }
      const sent = requestPlain({ ...at, method: "POST", agent: false })
      sent.on("continue", () => {
        events.push("continue")
        sent.end("hello")
      })
      sent.on("response", (answer) => {
        events.push(String(answer.statusCode))
        answer.resume().on("end", resolve)
      })
      sent.on("error", reject).flushHeaders()
    })
    expect(events).toEqual(["continue", "200"])
    expect(provider.seen[0]?.body.toString()).toBe("hello")
    expect(provider.seen[0]?.rawHeaders.join()).not.toMatch(/expect/i)
  })

  test("[GATE-2] a web socket request is answered with 426; another upgrade is forwarded unchanged", async () => {
    await using provider = await newProvider((response) => response.end("plain"))
    await using fixture = await newFixture(provider, { wire: "openai" })
    const upgrade = (to: string): readonly Header[] => [
      ["Connection", "Upgrade"],
      ["Upgrade", to],
      ["Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="],
    ]
    const path = `${fixture.base}/v1/responses`
    const said = await ask(fixture.port, { method: "GET", path, headers: upgrade("websocket") })
    expect(said.status).toBe(426)
    expect(JSON.parse(said.body.toString())).toEqual({
      error: {
        message:
          "The gateway does not support web sockets. Send the same request with POST. (GATEWAY_UPGRADE_REFUSED)",
        type: "invalid_request_error",
        code: "GATEWAY_UPGRADE_REFUSED",
      },
    })
    expect(provider.connections()).toBe(0)
    const other = await ask(fixture.port, { path, headers: upgrade("h2c"), body: "hello" })
    expect(other.body.toString()).toBe("plain")
    expect(provider.seen[0]?.body.toString()).toBe("hello")
    await fixture.exchange()
    expect(fixture.exchanges.length).toBe(1)
  })

  test("[H8][GATE-2] a 101 of the provider that nothing asked for is answered with 502", async () => {
    await using provider = await newProvider((response) => {
      response.socket?.end(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      )
    })
    await using fixture = await newFixture(provider)
    const said = await ask(fixture.port, { path: `${fixture.base}/v1/messages`, body: "hello" })
    expect(said.status).toBe(502)
    expect(said.body.toString()).toContain("it switched the protocol")
    expect((await fixture.exchange()).outcome).toBe("unreachable")
  })

  test("[GATE-2] an HTTP/1.0 client without chunked encoding gets its response", async () => {
    await using provider = await newProvider((response) => {
      response.writeHead(200, ["Trailer", "X-Sum", "Transfer-Encoding", "chunked"])
      response.addTrailers([["X-Sum", "abc"]])
      response.end("hello")
    })
    await using fixture = await newFixture(provider)
    const text = `GET ${fixture.base}/v1 HTTP/1.0\r\nHost: ${fixture.host}\r\n\r\n`
    const answer = await sendRaw(fixture.port, text)
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(answer.endsWith("\r\n\r\nhello")).toBe(true)
  })
})

describe("a response", () => {
  const limits: readonly Header[] = [
    ["retry-after", "17"],
    ["anthropic-ratelimit-requests-remaining", "0"],
    ["X-Should-Retry", "true"],
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
    ["Date", "Mon, 01 Jan 2024 00:00:00 GMT"],
  ]
  const outcomes = [
    [200, "OK", "answered"],
    [200, "", "answered"],
    [302, "Found", "answered"],
    [401, "Who Are You", "refused"],
    [429, "Too Many Requests", "refused"],
    [500, "Internal Server Error", "refused"],
    [529, "Overloaded", "refused"],
  ] as const

  test.each(outcomes)(
    "[GATE-3] %i %s is returned with its status text, headers and bytes",
    async (...it) => {
      const [status, words, outcome] = it
      const body = json({ type: "error", error: { type: "some_error", message: "said so" } })
      const headers = [...limits, ["Location", "http://elsewhere.example/"] as const].flat()
      await using provider = await newProvider((response) => {
        response.writeHead(status, words, headers).end(body)
      })
      await using fixture = await newFixture(provider)
      const said = await ask(fixture.port, { path: `${fixture.base}/v1/messages`, body: "{}" })
      expect(said).toMatchObject({ status, statusMessage: words, body })
      expect(ownOf(said.rawHeaders)).toEqual(pairsOf(headers))
      expect(await fixture.exchange()).toMatchObject({ status, outcome, fallback: null })
      // The host decides whether to follow a redirect.
      expect(provider.seen.length).toBe(1)
    },
  )

  const text = Buffer.from("event: ping\ndata: {}\n\n".repeat(500))
  const packed = [
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["zstd", zstdCompressSync(text)],
  ] as const
  test.each(packed)(
    "[GATE-3] a response in %s is not decompressed on the way",
    async (encoding, bytes) => {
      await using provider = await newProvider((response) => {
        response.writeHead(200, ["Content-Encoding", encoding]).end(bytes)
      })
      await using fixture = await newFixture(provider)
      const headers: readonly Header[] = [["Content-Encoding", encoding]]
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, headers, body: bytes })
      expect(said.body.equals(bytes)).toBe(true)
      expect(provider.seen[0]?.body.equals(bytes)).toBe(true)
      const { answer } = await fixture.exchange()
      expect(Buffer.concat(answer.body).equals(bytes)).toBe(true)
      expect(answer.headers).toContainEqual(["Content-Encoding", encoding])
    },
  )

  test("[GATE-3] a response keeps its trailers", async () => {
    await using provider = await newProvider((response) => {
      response.writeHead(200, ["Trailer", "X-Sum"])
      response.addTrailers([["X-Sum", "abc"]])
      response.end("hello")
    })
    await using fixture = await newFixture(provider)
    const said = await ask(fixture.port, { path: `${fixture.base}/v1` })
    expect(said.rawTrailers).toEqual(["X-Sum", "abc"])
    expect(ownOf(said.rawHeaders)).toEqual([["Trailer", "X-Sum"]])
  })
})

describe("large bodies and many requests", () => {
  const large = randomFillSync(Buffer.alloc(35 * MB))

  test.each([true, false])(
    "35 MB pass both ways with the same bytes, prepared: %s",
    async (isPrepared) => {
      await using provider = await newProvider((response, seen) => response.end(seen.body))
      const prepare = (asked: { readonly body: Buffer }) => ({
        body: asked.body,
        isChanged: false,
        note: "seen",
      })
      await using fixture = await newFixture(provider, isPrepared ? { prepare } : {})
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: large })
      expect(sha(said.body)).toBe(sha(large))
      const { request, answer, prepared } = await fixture.exchange()
      expect(sha(request.body)).toBe(sha(large))
      expect(prepared?.note).toBe(isPrepared ? "seen" : undefined)
      expect(answer.isWhole).toBe(false)
      expect(answer.body.reduce((sum, it) => sum + it.length, 0)).toBeLessThanOrEqual(8 * MB)
    },
    30_000,
  )

  test.each([true, false])(
    "a body over the cap is forwarded, not stored and never folded, prepared: %s",
    async (isPrepared) => {
      const over = Buffer.concat([large, large])
      await using provider = await newProvider((response, seen) => response.end(sha(seen.body)))
      const calls: number[] = []
      const prepare = (asked: { readonly body: Buffer }) => {
        calls.push(asked.body.length)
        return { body: Buffer.from("folded"), isChanged: true, note: undefined }
      }
      await using fixture = await newFixture(provider, isPrepared ? { prepare } : {})
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: over })
      expect(said.body.toString()).toBe(sha(over))
      const { request, prepared } = await fixture.exchange()
      expect({ ...request, headers: [], path: "" }).toEqual({
        method: "POST",
        path: "",
        headers: [],
        body: Buffer.alloc(0),
        isWhole: false,
        sizeBytes: over.length,
      })
      expect(prepared).toBe(undefined)
      expect(calls).toEqual([])
    },
    30_000,
  )

  test("consecutive requests share one connection on each side", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    using agent = keepAlive()
    for (let n = 0; n < 20; n++) {
      await ask(fixture.port, { path: `${fixture.base}/v1`, body: `{"n":${n}}`, agent })
    }
    expect(provider.seen.map((it) => it.connection)).toEqual(Array(20).fill(0))
    expect(provider.connections()).toBe(1)
  })

  test("forty concurrent streams each return their own bytes", async () => {
    const waiting: (() => void)[] = []
    await using provider = await newProvider((response, { body }) => {
      response.write(`begin ${body.toString()} `)
      waiting.push(() => response.end("end"))
      // None ends before all have begun.
      if (waiting.length === 40) for (const go of waiting) go()
    })
    await using fixture = await newFixture(provider)
    const agent = new Agent({ keepAlive: true })
    const asked = Array.from({ length: 40 }, (_, n) =>
      ask(fixture.port, { path: `${fixture.base}/v1`, body: `${n}`, agent }),
    )
    const said = await Promise.all(asked)
    agent.destroy()
    expect(said.map((it) => it.body.toString())).toEqual(
      Array.from({ length: 40 }, (_, n) => `begin ${n} end`),
    )
    await fixture.exchange(39)
    expect(fixture.exchanges.length).toBe(40)
  })
})
