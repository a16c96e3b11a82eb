import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { AppError, defineError, type ErrorFamily, StorageFull } from "#ground/base"
import type { CallContext, Operation } from "#ground/contract"
import type { App } from "#show/app"
import { testClock } from "#test/clock"
import { newServer, type ServerFixture } from "#test/server"
import { answerError } from "./api.ts"
import { MOST_REQUESTS_A_MINUTE } from "./guard/gate.ts"
import { DEEPEST_JSON_LEVELS, LARGEST_BODY_BYTES } from "./limits.ts"
import { readQuery } from "./routes.ts"

const FAMILIES: readonly ErrorFamily[] = [
  "invalid",
  "not-found",
  "conflict",
  "denied",
  "too-many",
  "unavailable",
  "full",
]

const secret = `words-${process.pid}`
const aborted = Promise.withResolvers<boolean>()
const started = Promise.withResolvers<void>()

/** Operations that fail in every family, throw a bug, or never end. */
const PROBES = [
  ...FAMILIES.map((family) =>
    probe(`probe.${family}`, "read", async () => {
      const text = { code: "PROBE_FAILED", message: "It failed.", hint: "Do not." }
      throw new AppError({ ...text, family, data: undefined })
    }),
  ),
  probe("probe.bug", "read", async () => {
    throw new Error(secret)
  }),
  probe("probe.full-disk", "read", async () => {
    throw StorageFull({ path: "store.db" })
  }),
  probe("probe.slow", "write", async (_, { signal }) => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    return { isAborted: signal.aborted }
  }),
  probe("probe.endless", "write", async (_, { signal }) => {
    started.resolve()
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
    aborted.resolve(signal.aborted)
    return {}
  }),
  probe("probe.echo", "read", async (input) => ({ input })),
  { ...probe("probe.renamed", "read", async () => ({ is: "renamed" })), formerName: "old.name" },
]

type Run = (input: unknown, context: CallContext) => Promise<Record<string, unknown>>

function probe(name: string, effect: "read" | "write", run: Run) {
  return {
    name,
    summary: "A probe of the tests",
    effect,
    surfaces: ["http"] as const,
    input: z.object({
      text: z.string().optional(),
      count: z.int().optional(),
      share: z.number().optional(),
      isDeep: z.boolean().optional(),
      names: z.array(z.string()).optional(),
      sizes: z.array(z.int()).optional(),
    }),
    output: z.record(z.string(), z.unknown()),
    run,
  } satisfies Operation & { run: Run }
}

const withProbes = (app: App): App => ({
  ...app,
  operations: async () => [...(await app.operations()), ...PROBES],
  call: async (name, input, context) => {
    const found = PROBES.find((it) => it.name === name)
    return found === undefined ? app.call(name, input, context) : found.run(input, context)
  },
})

let server: ServerFixture
beforeAll(async () => {
  server = await newServer({ changeApp: withProbes })
})
afterAll(() => server[Symbol.asyncDispose]())

const post = (path: string, body: string | Buffer, headers = {}) =>
  server.ask({ method: "POST", path, body, headers })

const wireOf = (text: string) => JSON.parse(text) as { code: string; message: string }

describe("errors", () => {
  test.each([
    ["invalid", 400],
    ["not-found", 404],
    ["conflict", 409],
    ["denied", 403],
    ["too-many", 429],
    ["unavailable", 503],
    ["full", 507],
  ])("[HTTP-6] the error family %s has status %i", async (family, status) => {
    const answer = await server.ask({ path: `/api/probe/${family}` })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      { code: "PROBE_FAILED", message: "It failed.", hint: "Do not.", data: null },
    ])
  })

  test("[HTTP-6] a full disk is 507, with its own code and hint", async () => {
    const { status, text } = await server.ask({ path: "/api/probe/full-disk" })
    expect([status, wireOf(text).code]).toEqual([507, StorageFull.code])
  })

  test("[HTTP-6] a bug is 500 without details; the log has its message", async () => {
    const { status, text } = await server.ask({ path: "/api/probe/bug" })
    expect([status, wireOf(text).code, text.includes(secret)]).toEqual([500, "BUG", false])
    expect(server.logged.join("")).toContain(secret)
  })

  test("[HTTP-6] a renamed operation is also found under its former name, which is not documented", async () => {
    for (const path of ["/api/probe/renamed", "/api/old/name"]) {
      const { status, text } = await server.ask({ path })
      expect([status, JSON.parse(text)]).toEqual([200, { is: "renamed" }])
    }
    expect((await server.ask({ path: "/api/openapi.json" })).text).not.toContain("/api/old/name")
  })

  test("[HTTP-6] a renamed error is sent with its former code", () => {
    const Renamed = defineError<object>()("NEW_CODE", {
      formerCode: "OLD_CODE",
      family: "invalid",
      message: () => "It failed.",
      hint: () => "Try again.",
    })
    expect(answerError(Renamed({})).body).toMatchObject({
      code: "NEW_CODE",
      formerCode: "OLD_CODE",
    })
  })

  test("[HTTP-6] a thrown value that is neither our error nor a known framework error is a bug", () => {
    const other = Object.assign(new Error(secret), { code: "ENOENT", statusCode: 404 })
    for (const thrown of [other, secret, undefined, null, { statusCode: 400 }]) {
      expect(answerError(thrown)).toMatchObject({ status: 500, body: { code: "BUG" } })
    }
  })

  test("[HTTP-6] an operation's error has its code and status", async () => {
    const { status, text } = await server.ask({ path: "/api/config/show?key=nothing.here" })
    expect([status, wireOf(text).code]).toEqual([404, "CONFIG_KEY_UNKNOWN"])
    const wrong = await post("/api/config/set", '{"key":"log.level"}')
    expect([wrong.status, wireOf(wrong.text).code]).toEqual([400, "APP_INPUT_INVALID"])
  })

  test.each([
    ["GET", "/api/nothing", undefined],
    ["PUT", "/api/now/show", "{}"],
    ["POST", "/nothing", "{}"],
    ["DELETE", "/", undefined],
    ["OPTIONS", "/", undefined],
    ["QUERY", "/api/now/show", "{}"],
    ["QUERY", "/", undefined],
    ["PROPFIND", "/", undefined],
  ])("[H8][HTTP-6] %s %s is a missing route with our error body", async (method, path, body) => {
    const answer = await server.ask({ method, path, ...(body === undefined ? {} : { body }) })
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      404,
      {
        code: "HTTP_ROUTE_MISSING",
        message: `Unknown route ${method} ${path}.`,
        hint: expect.any(String),
        data: { method, path },
      },
    ])
  })
})

describe("request bodies", () => {
  test.each([
    ["{", 400, "it is not JSON"],
    ["", 400, "it is empty"],
    ['{"a":1}}', 400, "it is not JSON"],
    ['{"__proto__":{"a":1}}', 400, "it is not JSON"],
    ["\u0000", 400, "it is not JSON"],
    ["nul", 400, "it is not JSON"],
  ])("[HTTP-7] %j is refused with our error body", async (body, status, problem) => {
    const headers = { "content-type": "application/json" }
    const answer = await post("/api/config/set", body, headers)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      {
        code: "HTTP_BODY_INVALID",
        message: `The request body is invalid: ${problem}.`,
        hint: expect.any(String),
        data: { problem },
      },
    ])
  })

  test.each(["null", "7", '"text"', "[]", "true"])(
    "[HTTP-7] %s is valid JSON but invalid input",
    async (body) => {
      const { status, text } = await post("/api/config/set", body)
      expect([status, wireOf(text).code]).toEqual([400, "APP_INPUT_INVALID"])
    },
  )

  test("[HTTP-7] nesting is limited; 100,000 levels are refused without harm", async () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`
    for (const levels of [DEEPEST_JSON_LEVELS + 2, 100_000, 400_000]) {
      const { status, text } = await post("/api/config/set", nested(levels))
      expect([status, wireOf(text).code]).toEqual([400, "HTTP_BODY_INVALID"])
    }
    const allowed = await post("/api/config/set", nested(DEEPEST_JSON_LEVELS))
    expect(wireOf(allowed.text).code).toBe("APP_INPUT_INVALID")
  })

  test("[HTTP-7] a body of the limit is accepted, one byte more is refused", async () => {
    const textOf = (size: number) => JSON.stringify({ text: "a".repeat(size - 11) })
    expect(textOf(LARGEST_BODY_BYTES)).toHaveLength(LARGEST_BODY_BYTES)
    expect((await post("/api/probe/slow", textOf(LARGEST_BODY_BYTES))).status).toBe(200)
    const refused = await post("/api/probe/slow", textOf(LARGEST_BODY_BYTES + 1))
    expect([refused.status, wireOf(refused.text).code]).toEqual([413, "HTTP_BODY_INVALID"])
  })

  test.each([
    ["announced", { "content-length": String(100_000_000) }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ])("[HTTP-7] 100 MB, %s, are refused before they are received", async (_, length) => {
    const taken = await pour("/api/config/set", length)
    expect(taken.answered).toSatisfy((it) => it === 413 || it === "ECONNRESET" || it === "EPIPE")
    expect(taken.sentBytes).toBeLessThan(20_000_000)
  })

  test("[HTTP-7] without a token no body is read", async () => {
    const taken = await pour("/api/config/set", { "content-length": "100000000" }, "none")
    expect(taken.answered).toSatisfy((it) => it === 401 || it === "ECONNRESET" || it === "EPIPE")
    expect(taken.sentBytes).toBeLessThan(20_000_000)
  })
})

/** Sends 100 MB as fast as the server accepts them, until it responds. */
async function pour(path: string, length: Record<string, string>, token = "bearer") {
  const headers: Record<string, string> = {
    host: server.host,
    "content-type": "application/json",
    ...length,
    ...(token === "none" ? {} : { authorization: `Bearer ${await server.token()}` }),
  }
  const { port } = server
  const target = { host: "127.0.0.1", port, path, method: "POST", headers, agent: false }
  const sent = request(target)
  const answered = new Promise<number | string>((resolve) => {
    sent.on("response", (it) => resolve(it.statusCode ?? 0))
    sent.on("error", (it: NodeJS.ErrnoException) => resolve(it.code ?? ""))
  })
  let sentBytes = 0
  let isOver = false
  void answered.then(() => {
    isOver = true
  })
  const chunk = Buffer.alloc(65_536, 32)
  while (!isOver && sentBytes < 100_000_000) {
    const flushed = new Promise((resolve) => sent.write(chunk, resolve))
    await Promise.race([flushed, answered])
    if (!isOver) sentBytes += chunk.length
  }
  const status = await answered
  sent.destroy()
  return { answered: status, sentBytes }
}

describe("operations over HTTP", () => {
  test("[HTTP-6] an operation's signal is not aborted when its body has been read", async () => {
    const { text } = await post("/api/probe/slow", "{}")
    expect(JSON.parse(text)).toEqual({ isAborted: false })
  })

  test("[HTTP-6] an operation's signal is aborted when the client disconnects", async () => {
    const sent = request({
      host: "127.0.0.1",
      port: server.port,
      path: "/api/probe/endless",
      method: "POST",
      headers: { authorization: `Bearer ${await server.token()}`, host: server.host },
    })
    sent.on("error", () => {})
    sent.setHeader("content-length", "0")
    sent.end()
    await started.promise
    sent.destroy()
    expect(await aborted.promise).toBe(true)
  })

  test("[HTTP-6] the route table and OpenAPI list every operation with its method", async () => {
    const listed = JSON.parse((await server.ask({ path: "/api/operations" })).text)
    const described = JSON.parse((await server.ask({ path: "/api/openapi.json" })).text)
    const all = await server.app().operations()
    const offered = all.filter((it) => it.surfaces.includes("http"))
    for (const { name, effect } of offered) {
      const path = `/api/${name.replace(".", "/")}`
      const method = effect === "read" ? "GET" : "POST"
      expect(listed.operations).toContainEqual(expect.objectContaining({ name, method, path }))
      expect(described.paths[path][method.toLowerCase()].operationId).toBe(name)
    }
    expect([described.openapi, described.security]).toEqual(["3.1.0", [{ token: [] }]])
  })

  test("[HTTP-6] /api/session returns the repository", async () => {
    const { text } = await server.ask({ path: "/api/session" })
    const root = server.app().places.repository.root
    expect(JSON.parse(text)).toMatchObject({ repository: { root, branch: null }, readOnly: false })
  })

  test("[HTTP-6] config.set over HTTP changes the setting that config.show returns", async () => {
    const set = await post("/api/config/set", '{"key":"tokens.window","value":"9000"}')
    expect([set.status, JSON.parse(set.text).value]).toEqual([200, 9000])
    const { text } = await server.ask({ path: "/api/config/show?key=tokens.window" })
    expect(JSON.parse(text).settings[0]).toMatchObject({ key: "tokens.window", value: 9000 })
  })
})

describe("query strings", () => {
  const echo = PROBES.find((it) => it.name === "probe.echo")!
  test.each([
    ["", {}],
    ["text=a", { text: "a" }],
    ["text=7&count=7", { text: "7", count: 7 }],
    ["count=-7&share=0.5", { count: -7, share: 0.5 }],
    ["isDeep=true", { isDeep: true }],
    ["isDeep=false", { isDeep: false }],
    ["isDeep=yes&count=many", { isDeep: "yes", count: "many" }],
    ["names=a", { names: ["a"] }],
    ["names=a&names=b", { names: ["a", "b"] }],
    ["sizes=1&sizes=x", { sizes: [1, "x"] }],
    ["text=a&text=b", { text: ["a", "b"] }],
    ["text=%F0%9F%9A%80+x%26y", { text: "🚀 x&y" }],
    ["count=1e3&share=0x10", { count: "1e3", share: "0x10" }],
    ["unknown=1", { unknown: "1" }],
  ])("[HTTP-6] %s is parsed by the operation's input types", (query, input) => {
    expect(readQuery(echo, new URLSearchParams(query))).toEqual(input)
  })

  test("[HTTP-6] parsed queries reach the operation; `__proto__` has no special meaning", async () => {
    const { text } = await server.ask({ path: "/api/probe/echo?sizes=1&sizes=2&isDeep=true" })
    expect(JSON.parse(text)).toEqual({ input: { sizes: [1, 2], isDeep: true } })
    const odd = await server.ask({ path: "/api/probe/echo?__proto__=x&constructor=y" })
    expect(odd.status).toBe(200)
  })

  test("[HTTP-6] an invalid value is refused by the operation", async () => {
    const { status, text } = await server.ask({ path: "/api/events/list?limit=many" })
    expect([status, wireOf(text).code]).toEqual([400, "APP_INPUT_INVALID"])
  })
})

describe("rate limits", () => {
  test("[HTTP-7] after the limit of requests a minute responses are 429 until the minute ends", async () => {
    const clock = testClock()
    await using busy = await newServer({ clock })
    const statuses = new Map<number, number>()
    const askOnce = async () => {
      const { status } = await busy.ask({ path: "/healthz", token: "none" })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    for (let sent = 0; sent < MOST_REQUESTS_A_MINUTE + 20; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, askOnce))
    }
    expect(Object.fromEntries(statuses)).toEqual({ 200: MOST_REQUESTS_A_MINUTE, 429: 20 })
    const { text } = await busy.ask({ path: "/healthz" })
    expect(wireOf(text).code).toBe("HTTP_TOO_MANY_REQUESTS")
    await clock.advance(60_000)
    expect((await busy.ask({ path: "/healthz" })).status).toBe(200)
  })

  test("[HTTP-7] wrong tokens are rate-limited; valid ones are not", async () => {
    const clock = testClock()
    await using guessed = await newServer({ clock })
    const guess = { path: "/api/session", headers: { authorization: "Bearer guess" } }
    const statuses: number[] = []
    for (let n = 0; n < 61; n++) statuses.push((await guessed.ask(guess)).status)
    expect([statuses[59], statuses[60]]).toEqual([401, 429])
    expect((await guessed.ask({ path: "/api/session" })).status).toBe(200)
  })
})
