import { request as requestPlain, type ServerResponse } from "node:http"
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { wordsOf } from "./error-response.ts"
import { type HostRequest, type PreparedRequest } from "./exchange.ts"
import { pairsOf } from "./headers.ts"
import { ask, json, newFixture, newProvider, type UpstreamRequest } from "./proxy.fixture.ts"

const FOLDED = Buffer.from('{"folded":true}')
const ORIGINAL = '{"messages":["long","longer"]}'
const REFUSAL = json({ type: "error", error: { type: "x", message: "messages.5: Invalid" } })

const fold = (): PreparedRequest => ({ body: FOLDED, isChanged: true, note: { saved: 12 } })
const isFolded = ({ body }: UpstreamRequest) => body.equals(FOLDED)

/** Refuses the folded form and accepts the original. */
const refusing =
  (refuse: (response: ServerResponse) => void) =>
  (response: ServerResponse, seen: UpstreamRequest): void => {
    if (isFolded(seen)) refuse(response)
    else response.end("yes")
  }

const question = (fixture: Awaited<ReturnType<typeof newFixture>>) => ({
  path: `${fixture.base}/v1/messages`,
  headers: [["x-api-key", "fake-key-for-this-test"] as const],
  body: ORIGINAL,
})

describe("a prepared body", () => {
  test("a prepared body replaces the original, with its length and the same headers", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    const asked: HostRequest[] = []
    await using fixture = await newFixture(provider, {
      prepare(it) {
        asked.push(it)
        return fold()
      },
    })
    const said = await ask(fixture.port, question(fixture))
    expect(said.body.toString()).toBe("ok")
    expect(asked[0]).toMatchObject({ path: "/v1/messages", isWhole: true })
    expect(asked[0]?.body.toString()).toBe(ORIGINAL)
    expect(provider.seen.map((it) => it.body)).toEqual([FOLDED])
    expect(pairsOf(provider.seen[0]?.rawHeaders ?? [])).toEqual([
      ["Host", `127.0.0.1:${provider.port}`],
      ["x-api-key", "fake-key-for-this-test"],
      ["Content-Length", String(FOLDED.length)],
      ["Connection", "keep-alive"],
    ])
    const exchange = await fixture.exchange()
    expect(exchange.prepared).toEqual(fold())
    expect(exchange.request).toBe(asked[0])
    expect(exchange.fallback).toBe(null)
  })

  test("an unchanged body is sent byte for byte", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    await using fixture = await newFixture(provider, {
      prepare: (asked) => ({ body: asked.body, isChanged: false, note: 1 }),
    })
    await ask(fixture.port, question(fixture))
    await ask(fixture.port, { method: "GET", path: `${fixture.base}/v1/models` })
    expect(provider.seen.map((it) => it.body.toString())).toEqual([ORIGINAL, ""])
    expect((await fixture.exchange(1)).prepared?.note).toBe(1)
  })

  test("when the preparation throws, the original is sent and one line is logged", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    await using fixture = await newFixture(provider, {
      prepare(asked) {
        throw new SyntaxError(`cannot read ${asked.body.toString()}`)
      },
    })
    const said = await ask(fixture.port, question(fixture))
    expect(said.body.toString()).toBe("ok")
    expect(provider.seen.map((it) => it.body.toString())).toEqual([ORIGINAL])
    expect((await fixture.exchange()).prepared).toBe(undefined)
    expect(fixture.lines.length).toBe(1)
    expect(fixture.lines[0]).toMatch(/error +could not prepare a request.* error=SyntaxError$/)
  })
})

/** Not a clean end: the connection itself fails for the reader. */
function reset({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}

describe("a refused fold", () => {
  test.each([400, 413, 422])(
    "[GATE-12] status %i is not shown to the host: the original is sent once, and its response counts",
    async (status) => {
      await using provider = await newProvider(
        refusing((response) => response.writeHead(status).end(REFUSAL)),
      )
      await using fixture = await newFixture(provider, { prepare: fold })
      const said = await ask(fixture.port, question(fixture))
      expect(said).toMatchObject({ status: 200, body: Buffer.from("yes") })
      expect(provider.seen.map((it) => it.body.toString())).toEqual([FOLDED.toString(), ORIGINAL])
      expect(provider.connections()).toBe(1)
      const exchange = await fixture.exchange()
      expect(exchange).toMatchObject({
        status: 200,
        outcome: "answered",
        fallback: `The provider refused the folded request with ${status}: messages.5: Invalid`,
      })
      expect(Buffer.concat(exchange.answer.body).toString()).toBe("yes")
    },
  )

  test("[GATE-12] an original that is refused too is passed on and not retried", async () => {
    await using provider = await newProvider((response) => response.writeHead(400).end(REFUSAL))
    await using fixture = await newFixture(provider, { prepare: fold })
    const said = await ask(fixture.port, question(fixture))
    expect(said).toMatchObject({ status: 400, body: REFUSAL })
    expect(provider.seen.length).toBe(2)
    expect(await fixture.exchange()).toMatchObject({ status: 400, outcome: "refused" })
  })

  test.each([401, 403, 404, 429, 500, 529])(
    "[GATE-12] status %i is not about the body and is passed on",
    async (status) => {
      await using provider = await newProvider((response) => response.writeHead(status).end("no"))
      await using fixture = await newFixture(provider, { prepare: fold })
      expect(await ask(fixture.port, question(fixture))).toMatchObject({ status })
      expect(provider.seen.length).toBe(1)
      expect((await fixture.exchange()).fallback).toBe(null)
    },
  )

  test("[GATE-12] 400 to an unchanged body is passed on", async () => {
    await using provider = await newProvider((response) => response.writeHead(400).end(REFUSAL))
    await using fixture = await newFixture(provider, {
      prepare: (asked) => ({ body: asked.body, isChanged: false, note: 0 }),
    })
    expect(await ask(fixture.port, question(fixture))).toMatchObject({ status: 400 })
    expect(provider.seen.length).toBe(1)
  })

  test.each([
    ["endless", (it: ServerResponse) => void it.writeHead(400).write(Buffer.alloc(200_000))],
    ["cut", (it: ServerResponse) => void it.writeHead(400).write("{", () => it.destroy())],
    ["reset", (it: ServerResponse) => void it.writeHead(400).write("{", () => reset(it))],
    ["empty", (it: ServerResponse) => void it.writeHead(422).end()],
  ])("[GATE-12] a refusal that is %s still leads to the original", async (_, refuse) => {
    await using provider = await newProvider(refusing(refuse))
    await using fixture = await newFixture(provider, { prepare: fold })
    expect((await ask(fixture.port, question(fixture))).body.toString()).toBe("yes")
    expect((await fixture.exchange()).fallback).toMatch(/^The provider refused the folded request/)
  })

  test("[GATE-12] a host that disconnects meanwhile ends or prevents the second request", async () => {
    for (const isSecond of [true, false]) {
      const came = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      const wait = (response: ServerResponse) => {
        response.on("close", left.resolve)
        came.resolve()
      }
      await using provider = await newProvider((response, seen) => {
        if (isFolded(seen) === isSecond) return void response.writeHead(400).end("{}")
        if (!isSecond) response.writeHead(400).write("{")
        wait(response)
      })
      await using fixture = await newFixture(provider, { prepare: fold })
      const { path } = question(fixture)
      const headers = { host: fixture.host, "content-length": String(ORIGINAL.length) }
      const at = { host: "127.0.0.1", port: fixture.port, path, headers, method: "POST" }
      const sent = requestPlain({ ...at, agent: false }).on("error", () => {})
      sent.end(ORIGINAL)
      await came.promise
      sent.destroy()
      await left.promise
      expect(await fixture.exchange()).toMatchObject({ status: null, outcome: "aborted" })
      expect(provider.seen.length).toBe(isSecond ? 2 : 1)
    }
  })

  const text = JSON.stringify({ error: { message: 'said "no"\u001b[31m' } })
  test.each([
    ["plain", undefined, Buffer.from(text)],
    ["gzip", "gzip", gzipSync(text)],
    ["br", "br", brotliCompressSync(text)],
    ["zstd", "zstd", zstdCompressSync(text)],
  ])(
    "[GATE-12] the error message of a refusal is read from %s and made safe for a terminal",
    (_, encoding, body) => {
      expect(wordsOf(body, encoding)).toMatch(/^said "no"/)
      expect(wordsOf(body, encoding)).not.toContain("\u001b")
    },
  )

  test("[GATE-12] an unreadable error message is omitted, and a long one is truncated", () => {
    expect(wordsOf(Buffer.from("not packed"), "gzip")).toBe("")
    expect(wordsOf(gzipSync(Buffer.alloc(10_000_000)), "gzip")).toBe("")
    expect(wordsOf(Buffer.from("<html>".repeat(1_000)), undefined).length).toBe(500)
  })
})

describe("listeners", () => {
  test("a listener that throws costs one log line, and the next is still called", async () => {
    await using provider = await newProvider((response) => response.end("ok"))
    const told: number[] = []
    await using fixture = await newFixture(provider, {
      done() {
        told.push(told.length)
        throw new TypeError("secret words")
      },
    })
    for (let n = 0; n < 2; n++) expect(await ask(fixture.port, question(fixture))).toBeTruthy()
    await fixture.session.close()
    expect(told).toEqual([0, 1])
    expect(fixture.lines.join("\n")).toMatch(/could not record an exchange .*error=TypeError/)
    expect(fixture.lines.join("\n")).not.toMatch(/secret words|fake-key|\/v1|\/t\//)
  })
})
