import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { ask, newFixture, newProvider, sendRaw } from "./proxy.fixture.ts"

type GuardFixture = Awaited<ReturnType<typeof newFixture>>
type Attack = {
  readonly name: string
  readonly status: number
  readonly code: string
  text(fixture: GuardFixture): string
}

const PATH = "/v1/messages?beta=true"
const lines = (...it: readonly string[]) => [...it, "Connection: close", "", ""].join("\r\n")
const good = (fixture: GuardFixture) => `POST ${fixture.base}${PATH} HTTP/1.1`
const own = (fixture: GuardFixture) => `Host: ${fixture.host}`

/** A request for a path without the token, with the right Host. */
const at = (name: string, path: (base: string) => string): Attack => ({
  name,
  status: 403,
  code: "GATEWAY_TOKEN_REFUSED",
  text: (fixture) =>
    lines(`POST ${path(fixture.base)} HTTP/1.1`, own(fixture), "Content-Length: 0"),
})

const named = (name: string, host: (port: number) => readonly string[]): Attack => ({
  name,
  status: 421,
  code: "GATEWAY_HOST_REFUSED",
  text: (fixture) => lines(good(fixture), ...host(fixture.port), "Content-Length: 0"),
})

const from = (origin: string): Attack => ({
  name: `Origin ${origin}`,
  status: 403,
  code: "GATEWAY_ORIGIN_REFUSED",
  text: (fixture) => lines(good(fixture), own(fixture), `oRiGiN: ${origin}`, "Content-Length: 0"),
})

const ATTACKS: readonly Attack[] = [
  at("no token", () => PATH),
  at("an empty token", () => `/t/${PATH}`),
  at("a wrong token", (base) => `${base.slice(0, 3)}${"0".repeat(base.length - 3)}${PATH}`),
  at("a shorter token", (base) => `${base.slice(0, -1)}${PATH}`),
  at("a longer token", (base) => `${base}0${PATH}`),
  at("a token in capitals", (base) => `${base.toUpperCase()}${PATH}`),
  at("a token in the query", (base) => `${PATH}&t=${base.slice(3)}`),
  at("a token at the end", (base) => `${PATH.split("?")[0]}${base}`),
  at("an escaped path", (base) => `/%74${base.slice(2)}${PATH}`),
  at("dots before the token", (base) => `/x/..${base}${PATH}`),
  at("a whole address", (base) => `http://127.0.0.1${base}${PATH}`),
  named("a foreign Host", () => ["Host: evil.example"]),
  named("a suffix Host", (port) => [`Host: 127.0.0.1.evil.example:${port}`]),
  named("Host 0.0.0.0", (port) => [`Host: 0.0.0.0:${port}`]),
  named("another port", (port) => [`Host: 127.0.0.1:${port + 1}`]),
  named("no port", () => ["Host: 127.0.0.1"]),
  named("a missing Host", () => []),
  named("an empty Host", () => ["Host:"]),
  named("two Hosts", (port) => [`Host: 127.0.0.1:${port}`, "Host: evil.example"]),
  from("http://evil.example"),
  from("null"),
  from("http://127.0.0.1"),
  {
    name: "Origin of our own address",
    status: 403,
    code: "GATEWAY_ORIGIN_REFUSED",
    text: (fixture) => lines(good(fixture), own(fixture), `Origin: http://${fixture.host}`),
  },
]

describe("the guard", () => {
  test.each(ATTACKS)("$name is refused, and nothing goes to the provider", async (attack) => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    const answer = await sendRaw(fixture.port, attack.text(fixture))
    const [head = "", body = ""] = answer.split("\r\n\r\n")
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${attack.status} `))
    expect(JSON.parse(body)).toEqual({
      type: "error",
      error: { type: "permission_error", message: expect.stringContaining(`(${attack.code})`) },
    })
    expect(provider.connections()).toBe(0)
    expect(fixture.exchanges).toEqual([])
    expect(fixture.lines.join("\n")).not.toContain(fixture.base.slice(3))
  })

  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s without the token is refused like any other",
    async (method) => {
      await using provider = await newProvider((response) => response.end("{}"))
      await using fixture = await newFixture(provider)
      expect(await ask(fixture.port, { method, path: "/v1/models" })).toMatchObject({ status: 403 })
      expect(provider.connections()).toBe(0)
    },
  )

  test("a host that waits for 100 is refused before it sends the body", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    const head = lines(`POST ${PATH} HTTP/1.1`, own(fixture), "Expect: 100-continue")
    const answer = await sendRaw(fixture.port, head)
    expect(answer).toMatch(/^HTTP\/1.1 403 /)
    expect(answer).not.toContain("100 Continue")
  })

  test("[GATE-1] both names of the loopback address are accepted with the token", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using fixture = await newFixture(provider)
    for (const name of ["127.0.0.1", "localhost"]) {
      const host = `Host: ${name}:${fixture.port}`
      const answer = await sendRaw(fixture.port, lines(good(fixture), host, "Content-Length: 0"))
      expect(answer).toMatch(/^HTTP\/1.1 200 /)
    }
    expect(provider.seen.map((it) => it.url)).toEqual([PATH, PATH])
  })

  test("[GATE-1] two proxied sessions have two tokens, and one token does not open the other's provider", async () => {
    await using first = await newProvider((response) => response.end("first"))
    await using second = await newProvider((response) => response.end("second"))
    await using fixture = await newFixture(first)
    const other = await fixture.proxy.open({ upstream: second.url, wire: "openai", done() {} })
    const { pathname, port } = new URL(other.url)
    expect(Number(port)).toBe(fixture.port)
    expect(pathname).not.toBe(fixture.base)
    expect(pathname).toMatch(/^\/t\/qmgw_[0-9a-f]{48}$/)
    const answers = await Promise.all(
      [fixture.base, pathname].map((base) => ask(fixture.port, { path: `${base}/v1` })),
    )
    expect(answers.map((it) => it.body.toString())).toEqual(["first", "second"])
  })
})

describe.runIf(needs("S10", "proc"))("the gateway's socket", () => {
  test("listens on 127.0.0.1 only, and not at all without a proxied session", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    const fixture = await newFixture(provider)
    expect(listening(fixture.port)).toEqual(["0100007F"])
    await fixture.session.close()
    expect(listening(fixture.port)).toEqual([])
    const open = createServer()
    await new Promise<void>((resolve) => open.listen(fixture.port, "0.0.0.0", resolve))
    expect(listening(fixture.port)).toEqual(["00000000"])
    open.close()
  })
})

/** Local addresses that listen on a port, as the kernel's hexadecimal words. */
function listening(port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0")
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    readFileSync(table, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${wanted}`) && state === "0A")
      .map(([, local = ""]) => local.split(":")[0] ?? ""),
  )
}
