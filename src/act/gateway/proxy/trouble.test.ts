import { createHash, randomFillSync } from "node:crypto"
import { Agent, request as requestPlain, type ServerResponse } from "node:http"
import { createServer, type Socket } from "node:net"
import { describe, expect, test } from "vitest"
import { ask, newFixture, newProvider, sendRaw } from "./proxy.fixture.ts"
import { listen, USUAL } from "./proxy.ts"

type TroubleFixture = Awaited<ReturnType<typeof newFixture>>
const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
const MB = 1024 * 1024

function begin(fixture: TroubleFixture, body: string | undefined, path = "/v1/messages") {
  const length = body === undefined ? 1_000 : Buffer.byteLength(body)
  const headers = { host: fixture.host, "content-length": String(length) }
  const at = { host: "127.0.0.1", port: fixture.port, path: fixture.base + path, headers }
  const sent = requestPlain({ ...at, method: "POST", agent: false })
  sent.on("error", () => {})
  if (body === undefined) sent.flushHeaders()
  else sent.end(body)
  return sent
}

const answerOf = (sent: ReturnType<typeof begin>) =>
  new Promise<import("node:http").IncomingMessage>((resolve) => sent.once("response", resolve))

/** Enough turns of the event loop for every byte that can still move. */
async function untilStill(measure: () => number): Promise<void> {
  let [last, still] = [-1, 0]
  while (still < 300) {
    await new Promise((resolve) => setImmediate(resolve))
    still = measure() === last ? still + 1 : 0
    last = measure()
  }
}

describe("a stream", () => {
  test("the host receives each chunk before the next is produced, headers first", async () => {
    let provide: ServerResponse | undefined
    await using provider = await newProvider((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      provide = response
    })
    await using fixture = await newFixture(provider)
    const answer = await answerOf(begin(fixture, "{}"))
    expect(answer.headers["content-type"]).toBe("text/event-stream")
    const got: string[] = []
    for (let n = 0; n < 20; n++) {
      const next = new Promise<Buffer>((resolve) => answer.once("data", resolve))
      provide?.write(`data: ${n}\n\n`)
      got.push((await next).toString())
    }
    provide?.end()
    expect(got).toEqual(Array.from({ length: 20 }, (_, n) => `data: ${n}\n\n`))
    const exchange = await fixture.exchange()
    expect(exchange.outcome).toBe("answered")
    expect(exchange.answer.isWhole).toBe(true)
    expect(Buffer.concat(exchange.answer.body).toString()).toBe(got.join(""))
    expect(exchange.firstByteMs).toBeLessThanOrEqual(exchange.durationMs)
  })

  test("a host that does not read applies backpressure to the provider, and loses nothing", async () => {
    const large = randomFillSync(Buffer.alloc(MB))
    let written = 0
    await using provider = await newProvider((response) => {
      const more = () => {
        while (written < 64) {
          written++
          if (!response.write(large)) return void response.once("drain", more)
        }
        response.end()
      }
      more()
    })
    await using fixture = await newFixture(provider)
    const answer = await answerOf(begin(fixture, "{}"))
    await untilStill(() => written)
    expect(written).toBeLessThan(32)
    const hash = createHash("sha256")
    for await (const chunk of answer) hash.update(chunk)
    const whole = Buffer.concat(Array(64).fill(large))
    expect(hash.digest("hex")).toBe(sha(whole))
  })

  test("a provider that does not read applies backpressure to the host", async () => {
    let resume = () => {}
    const end = Promise.withResolvers<void>()
    await using provider = await newProvider(() => {}, {
      early(response, _, request) {
        request.pause()
        resume = () => void request.resume().on("end", () => response.end("thanks"))
      },
    })
    await using fixture = await newFixture(provider)
    const large = Buffer.alloc(MB)
    const headers = { host: fixture.host, "transfer-encoding": "chunked" }
    const at = { host: "127.0.0.1", port: fixture.port, path: `${fixture.base}/v1`, headers }
    const sent = requestPlain({ ...at, method: "POST", agent: false })
    let written = 0
    const more = () => {
      while (written < 48) {
        written++
        if (!sent.write(large)) return void sent.once("drain", more)
      }
      sent.end()
    }
    sent.on("response", (answer) => answer.resume().on("end", end.resolve))
    more()
    await untilStill(() => written)
    expect(written).toBeLessThan(32)
    resume()
    await end.promise
    expect((await fixture.exchange()).request.sizeBytes).toBe(48 * MB)
  })
})

describe("aborted exchanges", () => {
  test.each([
    ["in chunks", {}],
    ["of a known length", { "content-length": "1000" }],
  ])("a response %s that the provider aborts is aborted for the host too", async (_, headers) => {
    await using provider = await newProvider((response) => {
      response.writeHead(200, headers)
      response.write("data: half", () => response.destroy())
    })
    await using fixture = await newFixture(provider)
    await expect(ask(fixture.port, { path: `${fixture.base}/v1` })).rejects.toThrow("aborted")
    const exchange = await fixture.exchange()
    expect(exchange).toMatchObject({ status: 200, outcome: "cut", answer: { isWhole: false } })
    expect(Buffer.concat(exchange.answer.body).toString()).toBe("data: half")
  })

  test("a host that disconnects during a response ends it at the provider", async () => {
    const left = Promise.withResolvers<void>()
    await using provider = await newProvider((response) => {
      response.on("close", left.resolve)
      response.write("data: 1")
    })
    await using fixture = await newFixture(provider)
    const sent = begin(fixture, "{}")
    await answerOf(sent)
    sent.destroy()
    await left.promise
    expect(await fixture.exchange()).toMatchObject({ status: 200, outcome: "aborted" })
  })

  test("a host that disconnects before the response or during its body ends the request too", async () => {
    for (const body of ["{}", undefined]) {
      const came = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      await using provider = await newProvider(() => {}, {
        early(response) {
          response.on("close", left.resolve)
          came.resolve()
        },
      })
      await using fixture = await newFixture(provider)
      const sent = begin(fixture, body)
      if (body === undefined) sent.write("only a part")
      await came.promise
      sent.destroy()
      await left.promise
      const exchange = await fixture.exchange()
      expect(exchange).toMatchObject({ status: null, outcome: "aborted", firstByteMs: null })
      expect(exchange.request.isWhole).toBe(body !== undefined)
    }
  })

  test("requests queued on a lost connection are reported too", async () => {
    const came = Promise.withResolvers<void>()
    await using provider = await newProvider(() => came.resolve())
    await using fixture = await newFixture(provider)
    const one = `GET ${fixture.base}/v1 HTTP/1.1\r\nHost: ${fixture.host}\r\n\r\n`
    const socket = (await import("node:net")).connect(fixture.port, "127.0.0.1")
    socket.write(one + one + one)
    await came.promise
    await untilStill(() => provider.seen.length)
    socket.destroy()
    await fixture.exchange(2)
    expect(fixture.exchanges.map((it) => it.outcome)).toEqual(["aborted", "aborted", "aborted"])
  })

  test("a response before the end of the request body is passed on, and the rest of the body is drained", async () => {
    await using provider = await newProvider(() => {}, {
      early(response, _, request) {
        // Opened and never read: everything behind it has to wait.
        request.on("readable", () => {})
        response.writeHead(413).end("too large")
      },
    })
    await using fixture = await newFixture(provider)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const question = { path: `${fixture.base}/v1`, body: Buffer.alloc(20 * MB), agent }
    for (let n = 0; n < 3; n++) {
      const said = await ask(fixture.port, question)
      expect(said).toMatchObject({ status: 413, body: Buffer.from("too large") })
    }
    agent.destroy()
    expect(fixture.exchanges.map((it) => it.outcome).slice(0, 2)).toEqual(["refused", "refused"])
  })
})

/** A server that does not speak HTTP, or speaks it badly. */
async function newStranger(meet: (socket: Socket, number: number) => void) {
  let count = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    meet(socket, count++)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? (address?.port ?? 0) : 0
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    port,
    count: () => count,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

describe("no response", () => {
  test.each(["anthropic", "openai", "gemini"] as const)(
    "[GATE-8] an unreachable provider gives 502 in the format of %s, with a hint",
    async (wire) => {
      const gone = await newStranger(() => {})
      await gone[Symbol.asyncDispose]()
      await using fixture = await newFixture(gone, { wire })
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: "{}" })
      expect(said.status).toBe(502)
      const message =
        `The gateway got no response from 127.0.0.1:${gone.port}: nothing listens there (ECONNREFUSED). ` +
        "Check the network and HTTPS_PROXY, or start the agent with --gateway off. " +
        "(GATEWAY_UPSTREAM_UNREACHABLE)"
      const code = "GATEWAY_UPSTREAM_UNREACHABLE"
      const shapes = {
        anthropic: { type: "error", error: { type: "api_error", message } },
        openai: { error: { message, type: "server_error", code } },
        gemini: { error: { code: 502, message, status: "UNAVAILABLE" } },
      }
      expect(JSON.parse(said.body.toString())).toEqual(shapes[wire])
      const exchange = await fixture.exchange()
      expect(exchange).toMatchObject({ status: null, outcome: "unreachable", firstByteMs: null })
      expect(exchange.request.body.toString()).toBe("{}")
      expect(fixture.lines.join("\n")).toMatch(/the provider did not respond/)
      expect(fixture.lines.join("\n")).not.toMatch(/\/v1|\/t\//)
    },
  )

  test.each([
    [
      "closes at once",
      (it: Socket) => it.destroy(),
      /it closed the connection \((?:ECONNRESET|EPIPE)\)/,
    ],
    ["speaks no HTTP", (it: Socket) => it.end("220 mail\r\n"), /not valid HTTP \(HPE_\w+\)/],
  ])("[GATE-8] a provider that %s gives 502 after one try", async (_, meet, words) => {
    await using stranger = await newStranger(meet)
    await using fixture = await newFixture(stranger)
    const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: "{}" })
    expect(said.status).toBe(502)
    expect(said.body.toString()).toMatch(words)
    expect(stranger.count()).toBe(1)
  })

  test("[GATE-8] a provider without TLS behind https and an unknown host name give 502", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    const urls = [`https://127.0.0.1:${provider.port}`, "https://no-such-name.invalid"]
    const words = [/TLS is not accepted/, /its host name cannot be resolved/]
    for (const [at, url] of urls.entries()) {
      await using fixture = await newFixture({ url: new URL(url) })
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: "{}" })
      expect(said.status).toBe(502)
      expect(said.body.toString()).toMatch(words[at] ?? /never/)
    }
  })

  test("[GATE-8] an idle connection that the provider had closed is retried without an error", async () => {
    // The second request of the first connection meets a closed socket.
    const lines: number[] = []
    await using stranger = await newStranger((socket, number) => {
      let asked = 0
      socket.on("data", () => {
        lines.push(number)
        if (asked++ === 0 || number > 0) socket.write(OK)
        else socket.destroy()
      })
    })
    await using fixture = await newFixture(stranger)
    for (let n = 0; n < 3; n++) {
      const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: "{}" })
      expect(said).toMatchObject({ status: 200, body: Buffer.from("ok") })
    }
    expect(lines.filter((it, at) => it !== lines[at - 1])).toEqual([0, 1])
    expect(fixture.exchanges.map((it) => it.outcome)).toEqual(Array(3).fill("answered"))
  })

  test("[GATE-8] of several dead idle connections only one is tried", async () => {
    const open: Socket[] = []
    const tries: number[] = []
    await using stranger = await newStranger((socket, number) => {
      let asked = 0
      socket.on("data", () => {
        if (asked++ === 0) open.push(socket)
        else tries.push(number)
        if (asked > 1) return void socket.destroy()
        // The first three are answered together, so that none can reuse another's connection.
        if (number > 2) socket.write(OK)
        else if (open.length === 3) for (const it of open) it.write(OK)
      })
    })
    await using fixture = await newFixture(stranger)
    const question = { method: "GET", path: `${fixture.base}/v1` }
    await Promise.all(Array.from({ length: 3 }, () => ask(fixture.port, question)))
    expect(await ask(fixture.port, question)).toMatchObject({ status: 200 })
    expect(tries.length).toBe(1)
    expect(stranger.count()).toBe(4)
  })

  test("[GATE-8] a provider that closes the second connection too gives 502", async () => {
    await using stranger = await newStranger((socket, number) => {
      let asked = 0
      socket.on("data", () => {
        if (asked++ === 0 && number === 0) socket.write(OK)
        else socket.destroy()
      })
    })
    await using fixture = await newFixture(stranger)
    const path = `${fixture.base}/v1`
    expect(await ask(fixture.port, { path, body: "{}" })).toMatchObject({ status: 200 })
    expect(await ask(fixture.port, { path, body: "{}" })).toMatchObject({ status: 502 })
    expect(stranger.count()).toBe(2)
  })
})

describe("invalid input", () => {
  test("60 kB of headers pass both ways; more is refused, and nothing is forwarded", async () => {
    const long = "x".repeat(60_000)
    await using provider = await newProvider((response) => {
      response.writeHead(200, ["X-Long", long]).end("{}")
    })
    await using fixture = await newFixture(provider)
    const path = `${fixture.base}/v1`
    const said = await ask(fixture.port, { path, headers: [["X-Long", long]] })
    expect(said.status).toBe(200)
    expect(said.rawHeaders).toContain(long)
    expect(provider.seen[0]?.rawHeaders).toContain(long)
    const head = `GET ${path} HTTP/1.1\r\nHost: ${fixture.host}\r\n`
    const bomb = await sendRaw(fixture.port, `${head}X-Long: ${long}${long}\r\n\r\n`)
    expect(bomb).toMatch(/^HTTP\/1.1 431 /)
    expect(provider.seen.length).toBe(1)
  })

  test("3,000 short header lines are forwarded, none is dropped", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    const headers = Array.from({ length: 3_000 }, (_, n) => [`x${n}`, "y"] as const)
    const said = await ask(fixture.port, { path: `${fixture.base}/v1`, headers })
    expect(said.status).toBe(200)
    expect(provider.seen[0]?.rawHeaders.filter((it) => it === "y").length).toBe(3_000)
  })

  test("anything but a valid request is refused, including two framings for one body", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    const head = `POST ${fixture.base}/v1 HTTP/1.1\r\nHost: ${fixture.host}\r\n`
    const smuggled = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    for (const text of ["\u0000\u0001\r\n\r\n", head + smuggled]) {
      expect(await sendRaw(fixture.port, text)).toMatch(/^HTTP\/1.1 400 /)
    }
    expect(provider.connections()).toBe(0)
  })

  test("a client that sends headers too slowly is disconnected in time", async () => {
    await using server = await listen(() => {}, {
      ...USUAL,
      headersWithinMs: 50,
      lateCheckMs: 10,
    }).then((it) => ({ port: it.port, [Symbol.asyncDispose]: () => it.close() }))
    expect(await sendRaw(server.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow:")).toMatch(
      /^HTTP\/1.1 408 /,
    )
  })

  test("[GATE-1] an address that cannot be bound fails with an error code", async () => {
    const listening = listen(() => {}, { ...USUAL, address: "192.0.2.1" })
    await expect(listening).rejects.toMatchObject({ code: "GATEWAY_LISTEN_FAILED" })
  })
})
