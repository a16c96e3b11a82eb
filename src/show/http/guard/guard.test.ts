import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { testClock } from "#test/clock"
import {
  type Answer,
  LIVE_URL,
  newServer,
  type ServerFixture,
  send,
  sendRaw,
  type TestRequest,
  UPGRADE_HEADERS,
} from "#test/server"
import { type Approach, type GuardRules, judge, OWNER } from "./guard.ts"

const clock = testClock()
let server: ServerFixture
let token = ""

beforeAll(async () => {
  server = await newServer({ clock })
  token = await server.token()
})
afterAll(() => server[Symbol.asyncDispose]())

type Attack = {
  readonly name: string
  /** The request with the one change that makes it an attack. */
  make(asked: TestRequest): TestRequest
  readonly shut: number
}

const bearer = () => ({ authorization: `Bearer ${token}` })

/** Attackers without a token. */
const STRANGERS: readonly Attack[] = [
  { name: "no token", make: (it) => it, shut: 401 },
  wearing("wrong token", () => ({ authorization: `Bearer ${"A".repeat(43)}` }), 401),
  wearing("longer token", () => ({ authorization: `Bearer ${token}x` }), 401),
  wearing("token without Bearer", () => ({ authorization: token }), 401),
  {
    name: "token in the query",
    make: (it) => ({ ...it, path: `${it.path}?token=${token}&t=${token}` }),
    shut: 401,
  },
  { name: "letters in disguise", make: (it) => ({ ...it, path: disguise(it.path) }), shut: 400 },
  {
    name: "the whole URL as path",
    make: (it) => ({ ...it, path: `http://${server.host}${it.path}` }),
    shut: 400,
  },
  { name: "a fragment behind it", make: (it) => ({ ...it, path: `${it.path}#x` }), shut: 400 },
]

/** A lured browser or a rebound name: they have the token and are refused anyway. */
const LURED: readonly Attack[] = [
  wearing("evil Origin", () => ({ ...bearer(), origin: "http://evil.example" }), 403),
  wearing("null Origin", () => ({ ...bearer(), origin: "null" }), 403),
  wearing("Origin with another port", () => ({ ...bearer(), origin: "http://127.0.0.1:1" }), 403),
  wearing("two Origins", () => ({ ...bearer(), origin: [own(), "http://evil.example"] }), 403),
  wearing("cross-site", () => ({ ...bearer(), "sec-fetch-site": "cross-site" }), 403),
  wearing("same-site", () => ({ ...bearer(), "sec-fetch-site": "same-site" }), 403),
  wearing("rebind Host", () => ({ ...bearer(), host: `evil.example:${server.port}` }), 421),
  wearing("suffix host", () => ({ ...bearer(), host: `127.0.0.1.evil.com:${server.port}` }), 421),
  wearing("0.0.0.0", () => ({ ...bearer(), host: `0.0.0.0:${server.port}` }), 421),
  wearing("Host without port", () => ({ ...bearer(), host: "127.0.0.1" }), 421),
  wearing("missing Host", () => ({ ...bearer(), host: "" }), 421),
  wearing("duplicate Host", () => ({ ...bearer(), host: [server.host, "evil.example"] }), 421),
]

const FORMS: readonly Attack[] = [
  {
    name: "text/plain body",
    make: (it) => ({
      ...it,
      headers: { ...bearer(), "content-type": "text/plain" },
      body: "{}",
    }),
    shut: 415,
  },
  {
    name: "form body",
    make: (it) => ({
      ...it,
      headers: { ...bearer(), "content-type": "application/x-www-form-urlencoded" },
      body: "a=b",
    }),
    shut: 415,
  },
  {
    name: "body without a type",
    make: (it) => ({ ...it, headers: { ...bearer(), "content-type": "" }, body: "{}" }),
    shut: 415,
  },
]

/** The only routes without a token. */
const PUBLIC = ["GET /healthz", "HEAD /healthz", "GET /*", "HEAD /*", "POST /api/session"]

function wearing(
  name: string,
  headers: () => TestRequest["headers"] & object,
  shut: number,
): Attack {
  return { name, make: (it) => ({ ...it, headers: headers() }), shut }
}

function own(): string {
  return `http://${server.host}`
}

/**
 * `/api/x` as `/%61pi/x`: a decoding router treats them as equal.
 */
function disguise(path: string): string {
  const code = path.charCodeAt(1).toString(16).padStart(2, "0")
  return path.length < 2 ? "/%2f" : `/%${code}${path.slice(2)}`
}

type Route = { readonly method: string; readonly url: string }

const routes = () => server.serving().routes
const nameOf = ({ method, url }: Route) => `${method} ${url}`
const isPublic = (route: Route) => PUBLIC.includes(nameOf(route))
const isWriting = ({ method }: Route) => !["GET", "HEAD"].includes(method)

/** All routes under one attack; the clock advances, so that the rate limit does not interfere. */
async function attackAll(chosen: readonly Route[], attack: Attack): Promise<readonly string[]> {
  const open: string[] = []
  for (const route of chosen) {
    await clock.advance(60_000)
    const asked = attack.make({ method: route.method, path: addressOf(route.url) })
    const { status, text } = await ask(asked)
    if (status !== attack.shut) open.push(`${nameOf(route)}: ${status} ${text.slice(0, 60)}`)
  }
  return open
}

/** The error for an unknown id, by the name of the parameter. */
const UNKNOWN: Readonly<Record<string, string>> = {
  id: "AGENTS_RUN_UNKNOWN",
  document: "KNOWLEDGE_DOCUMENT_NOT_FOUND",
}

/** An address that the router matches to this route. */
function addressOf(url: string): string {
  return url.replace("*", "any").replace(":id", "run_none").replace(":document", "doc_none")
}

function ask(asked: TestRequest): Promise<Answer> {
  return send(server.port, asked)
}

describe("[S1] every route of the router under every attack", () => {
  test("[S1] the router's list has every operation, every public route and the routes of runs", async () => {
    const all = await server.app().operations()
    const operations = all.filter((it) => it.surfaces.includes("http"))
    const offered = operations.map((it) => it.name.replace(".", "/"))
    const listed = new Set(routes().map((it) => it.url))
    expect(offered.filter((it) => !listed.has(`/api/${it}`))).toEqual([])
    expect(listed.has("/api/agents/:id/messages")).toBe(true)
    expect(routes().filter(isPublic).map(nameOf).toSorted()).toEqual(PUBLIC.toSorted())
    expect(routes().length - PUBLIC.length).toBeGreaterThan(operations.length)
  })

  test.each(STRANGERS)("[S1] $name is refused on every guarded route", async (attack) => {
    const guarded = routes().filter((it) => !isPublic(it))
    expect(await attackAll(guarded, attack)).toEqual([])
  })

  test.each(LURED)("[S1] $name is refused on every route, public ones included", async (attack) => {
    expect(await attackAll(routes(), attack)).toEqual([])
  })

  test.each(FORMS)("[S1] $name is refused on every writing route", async (attack) => {
    expect(await attackAll(routes().filter(isWriting), attack)).toEqual([])
  })

  test("[S1] GET for a POST route, and POST for a GET route, is not found", async () => {
    const listed = new Set(routes().map(nameOf))
    for (const { method, url } of routes().filter((it) => it.url.startsWith("/api/"))) {
      const other = method === "GET" ? "POST" : "GET"
      if (method === "HEAD" || url.includes("*") || hasRouteOfItsOwn(listed, other, url)) continue
      const answer = await server.ask({ method: other, path: addressOf(url) })
      expect([url, answer.status]).toEqual([url, 404])
    }
  })

  test("[S1] the matrix detects an open route", async () => {
    const door = { method: "GET", url: "/healthz" }
    const [, wrongToken] = STRANGERS
    expect(await attackAll([door], wrongToken!)).toEqual([expect.stringContaining("200")])
    expect(await attackAll([door], { ...LURED[0]!, shut: 200 })).toHaveLength(1)
  })

  test("[S1] with the token and the right Host every GET route responds", async () => {
    const reading = routes().filter((it) => it.method === "GET" && it.url.startsWith("/api/"))
    const silent: string[] = []
    for (const { url } of reading.filter((it) => !it.url.includes("*"))) {
      const { status, text } = await server.ask({
        path: addressOf(url),
        headers: { origin: own() },
      })
      const code = UNKNOWN[/:(\w+)/.exec(url)?.[1] ?? ""]
      const isAnswered =
        code === undefined
          ? [200, 400].includes(status) || NEEDS_MORE.test(text)
          : text.includes(code)
      if (!isAnswered) silent.push(`${url}: ${status} ${text}`)
    }
    expect(silent).toEqual([])
  })
})

/** Errors of reads that need git, a lock file or a remote, which this folder does not have. */
const NEEDS_MORE =
  /WORKTREE_NO_GIT|REPORT_LOCK_FILE_MISSING|REPORT_HISTORY_UNREADABLE|REVIEW_NO_REMOTE/

function hasRouteOfItsOwn(listed: ReadonlySet<string>, method: string, url: string): boolean {
  return listed.has(`${method} ${url}`)
}

describe("[HTTP-1] paths that a router could read in two ways", () => {
  test.each([
    "/%61pi/doctor/run",
    "/%2561pi/doctor/run",
    "/ap%69/session",
    "/api%2fsession",
    "/%64ocs",
    "/docs#x",
    "/docs%23",
    "/%6cive/",
    "/api;x/session",
    "/./api/session",
    "/x/../api/session",
    "//api/session",
    "/..%2fapi/session",
    "http://localhost/api/session",
    "//127.0.0.1/api/session?x=/",
  ])("[HTTP-1] %s is refused, with a token and without", async (path) => {
    const ending = `Host: ${server.host}\r\nConnection: close\r\n\r\n`
    for (const token of ["", `Authorization: Bearer ${await server.token()}\r\n`]) {
      const said = await sendRaw(server.port, `GET ${path} HTTP/1.1\r\n${token}${ending}`)
      expect(said).toMatch(/^HTTP\/1.1 400 /)
      expect(said).toContain("HTTP_PATH_REFUSED")
    }
  })
})

describe("[S2] upgrades to the live stream", () => {
  const upgrade = (attack: Attack, path: string): Promise<Answer> => {
    const { headers = {}, ...asked } = attack.make({ path })
    return ask({ ...asked, headers: { ...headers, ...UPGRADE_HEADERS } })
  }
  const paths = [LIVE_URL, "/live/", "/live", "/", "/mcp", "/api/session", "/healthz", "/ws"]
  const unlessDisguised = STRANGERS.filter((it) => !/query|fragment/.test(it.name))

  test.each([...unlessDisguised, ...LURED])("[S2] $name is refused on every path", async (it) => {
    await clock.advance(60_000)
    for (const path of paths) {
      expect([path, (await upgrade(it, path)).status]).toEqual([path, it.shut])
    }
  })

  test("[S2] a token in the query does not open a socket", async () => {
    const answer = await ask({ path: `${LIVE_URL}&token=${token}`, headers: UPGRADE_HEADERS })
    expect(answer.status).toBe(401)
  })

  test("[S2] with the token the live stream opens, and no other path does", async () => {
    const known = { ...bearer(), ...UPGRADE_HEADERS }
    expect((await ask({ path: LIVE_URL, headers: known })).status).toBe(101)
    for (const path of ["/", "/mcp", "/live", "/live/x"]) {
      await expect(ask({ path, headers: known })).rejects.toMatchObject({ code: "ECONNRESET" })
    }
  })

  test("[S2] long polling on /live/ opens no session", async () => {
    const path = "/live/?EIO=4&transport=polling"
    expect((await server.ask({ path })).text).not.toContain("sid")
    expect((await ask({ path })).status).toBe(401)
    expect((await ask({ path, headers: { host: "evil.example" } })).status).toBe(421)
  })
})

describe("[HTTP-1] judge()", () => {
  const rules: GuardRules = {
    hosts: new Set(["127.0.0.1:1"]),
    scheme: "http",
    bearerOf: (it) => ({ good: OWNER, agent: "client:agent" })[it],
    isCookie: (it) => it === "good",
  }
  const approach = (changes: Partial<Approach>): Approach => ({
    method: "GET",
    url: "/",
    headers: { host: "127.0.0.1:1", ...changes.headers },
    rawHeaders: ["Host", "127.0.0.1:1"],
    isUpgrade: false,
    ...(changes.method === undefined ? {} : { method: changes.method }),
    ...(changes.url === undefined ? {} : { url: changes.url }),
  })

  test("[HTTP-1] an unused method without a token is refused, also on the path of the page", () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", ""]) {
      expect(judge(approach({ method }), rules)).toMatchObject({ kind: "refuse" })
    }
  })

  test("[HTTP-1] a foreign Origin is refused, whatever else is valid", () => {
    const given = approach({ url: "/api/x", headers: { authorization: "Bearer good" } })
    const rawHeaders = [...given.rawHeaders, "Origin", "https://127.0.0.1:1"]
    expect(judge({ ...given, rawHeaders }, rules)).toMatchObject({ status: 403 })
    expect(judge(given, rules)).toEqual({ kind: "pass", by: "bearer", who: OWNER })
  })

  test("[HTTP-1] each refusal has its code", () => {
    const code = (changes: Partial<Approach>) => {
      const verdict = judge({ ...approach({ url: "/api/x" }), ...changes }, rules)
      return verdict.kind === "refuse" ? verdict.error.code : verdict.kind
    }
    const host = "127.0.0.1:1"
    expect(code({})).toBe("HTTP_TOKEN_MISSING")
    expect(code({ headers: { host, authorization: "Bearer bad" } })).toBe("HTTP_TOKEN_WRONG")
    expect(code({ rawHeaders: ["Host", "evil.example"] })).toBe("HTTP_HOST_REFUSED")
    const rawHeaders = ["Host", host, "Origin", "https://evil.example"]
    expect(code({ rawHeaders })).toBe("HTTP_ORIGIN_REFUSED")
    const headers = { host, authorization: "Bearer good", "content-type": "text/plain" }
    expect(code({ method: "POST", headers })).toBe("HTTP_JSON_ONLY")
  })

  test("[HTTP-15] a client's token opens /mcp only", () => {
    const headers = { authorization: "Bearer agent" }
    const at = (url: string, changes: Partial<Approach> = {}) =>
      judge({ ...approach({ url, headers }), ...changes }, rules)
    expect(at("/mcp")).toEqual({ kind: "pass", by: "bearer", who: "client:agent" })
    expect(at("/mcp?x=/mcp")).toMatchObject({ kind: "pass" })
    for (const url of ["/api/now/show", "/mcp/", "/mcp/x", "/docs", "/api?/mcp", "/live/"]) {
      expect(at(url)).toMatchObject({ status: 403, error: { code: "HTTP_TOKEN_LIMITED" } })
    }
    expect(at("/mcp", { isUpgrade: true })).toMatchObject({ status: 403 })
  })
})
