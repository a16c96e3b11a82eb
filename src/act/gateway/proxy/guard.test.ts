import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { ask, newProvider, newWorld, sendRaw } from "./proxy.fixture.ts"

type GuardWorld = Awaited<ReturnType<typeof newWorld>>
type Attack = {
  readonly name: string
  readonly status: number
  readonly code: string
  text(world: GuardWorld): string
}

const PATH = "/v1/messages?beta=true"
const lines = (...it: readonly string[]) => [...it, "Connection: close", "", ""].join("\r\n")
const good = (world: GuardWorld) => `POST ${world.base}${PATH} HTTP/1.1`
const own = (world: GuardWorld) => `Host: ${world.host}`

/** A request for a path without the token, with the right Host. */
const at = (name: string, path: (base: string) => string): Attack => ({
  name,
  status: 403,
  code: "GATEWAY_TOKEN_REFUSED",
  text: (world) => lines(`POST ${path(world.base)} HTTP/1.1`, own(world), "Content-Length: 0"),
})

const named = (name: string, host: (port: number) => readonly string[]): Attack => ({
  name,
  status: 421,
  code: "GATEWAY_HOST_REFUSED",
  text: (world) => lines(good(world), ...host(world.port), "Content-Length: 0"),
})

const from = (origin: string): Attack => ({
  name: `Origin ${origin}`,
  status: 403,
  code: "GATEWAY_ORIGIN_REFUSED",
  text: (world) => lines(good(world), own(world), `oRiGiN: ${origin}`, "Content-Length: 0"),
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
    text: (world) => lines(good(world), own(world), `Origin: http://${world.host}`),
  },
]

describe("the guard", () => {
  test.each(ATTACKS)("$name is refused, and nothing goes to the provider", async (attack) => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using world = await newWorld(provider)
    const answer = await sendRaw(world.port, attack.text(world))
    const [head = "", body = ""] = answer.split("\r\n\r\n")
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${attack.status} `))
    expect(JSON.parse(body)).toEqual({
      type: "error",
      error: { type: "permission_error", message: expect.stringContaining(`(${attack.code})`) },
    })
    expect(provider.connections()).toBe(0)
    expect(world.exchanges).toEqual([])
    expect(world.lines.join("\n")).not.toContain(world.base.slice(3))
  })

  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "%s without the token is refused like any other",
    async (method) => {
      await using provider = await newProvider((response) => response.end("{}"))
      await using world = await newWorld(provider)
      expect(await ask(world.port, { method, path: "/v1/models" })).toMatchObject({ status: 403 })
      expect(provider.connections()).toBe(0)
    },
  )

  test("a host that waits for 100 is refused before it sends the body", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using world = await newWorld(provider)
    const head = lines(`POST ${PATH} HTTP/1.1`, own(world), "Expect: 100-continue")
    const answer = await sendRaw(world.port, head)
    expect(answer).toMatch(/^HTTP\/1.1 403 /)
    expect(answer).not.toContain("100 Continue")
  })

  test("[GATE-1] both names of the loopback address are accepted with the token", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    await using world = await newWorld(provider)
    for (const name of ["127.0.0.1", "localhost"]) {
      const host = `Host: ${name}:${world.port}`
      const answer = await sendRaw(world.port, lines(good(world), host, "Content-Length: 0"))
      expect(answer).toMatch(/^HTTP\/1.1 200 /)
    }
    expect(provider.seen.map((it) => it.url)).toEqual([PATH, PATH])
  })

  test("[GATE-1] two proxied sessions have two tokens, and one token does not open the other's provider", async () => {
    await using first = await newProvider((response) => response.end("first"))
    await using second = await newProvider((response) => response.end("second"))
    await using world = await newWorld(first)
    const other = await world.proxy.open({ upstream: second.url, wire: "openai", done() {} })
    const { pathname, port } = new URL(other.url)
    expect(Number(port)).toBe(world.port)
    expect(pathname).not.toBe(world.base)
    expect(pathname).toMatch(/^\/t\/qmgw_[0-9a-f]{48}$/)
    const answers = await Promise.all(
      [world.base, pathname].map((base) => ask(world.port, { path: `${base}/v1` })),
    )
    expect(answers.map((it) => it.body.toString())).toEqual(["first", "second"])
  })
})

describe.runIf(needs("S10", "proc"))("the gateway's socket", () => {
  test("listens on 127.0.0.1 only, and not at all without a proxied session", async () => {
    await using provider = await newProvider((response) => response.end("{}"))
    const world = await newWorld(provider)
    expect(listening(world.port)).toEqual(["0100007F"])
    await world.session.close()
    expect(listening(world.port)).toEqual([])
    const open = createServer()
    await new Promise<void>((resolve) => open.listen(world.port, "0.0.0.0", resolve))
    expect(listening(world.port)).toEqual(["00000000"])
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
