import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { HANG_MS, visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([
    // Simulates the attacker's name server, whose name now resolves to this machine.
    launchChromium(["--host-resolver-rules=MAP evil.test 127.0.0.1"]),
    startConsole({ backups: 1 }),
  ])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

type Outcome = { readonly [attack: string]: number | string }

/** Every request a page can try against a server with a known address, and its result. */
const ATTACK = (base: string, mode: "same-origin" | "no-cors" | "cors") => `(async () => {
  const base = ${JSON.stringify(base)}
  const mode = ${JSON.stringify(mode)}
  const say = (it) => it.type === "opaque" ? "opaque" : it.status
  const ask = (path, options) =>
    fetch(base + path, { mode, credentials: "include", ...options }).then(say, () => "refused")
  const socket = () => new Promise((done) => {
    const it = new WebSocket(base.replace("http", "ws") + "/live/?EIO=4&transport=websocket")
    it.onopen = () => done("open")
    it.onerror = () => done("refused")
  })
  const text = (type) => ({ method: "POST", body: "{}", headers: { "content-type": type } })
  return {
    page: await ask("/"),
    session: await ask("/api/session"),
    status: await ask("/api/store/status"),
    health: await ask("/healthz"),
    "plain post": await ask("/api/store/backup", text("text/plain")),
    "form post": await ask("/api/store/backup", text("application/x-www-form-urlencoded")),
    "empty post": await ask("/api/store/backup", { method: "POST" }),
    "json post": await ask("/api/store/backup", text("application/json")),
    socket: await socket(),
  }
})()`

test("[TB1] a rebound name reaches the server and every response is 421", async () => {
  // The server's own refusal represents the attacker's page: it has that origin and comes from this
  // machine, so Chromium's local-network check (which we must not rely on) does not interfere. The
  // test removes our CSP, which an attacker's page would not have.
  await using owner = await visit(chromium.browser, fixture, { bypassCSP: true })
  const evil = `http://evil.test:${fixture.port}`
  const before = await fixture.head()
  const page = await owner.context.newPage()
  const said: string[] = []
  page.on("console", (it) => said.push(it.text()))
  expect((await page.goto(`${evil}/`))?.status(), "not even the page").toBe(421)
  const outcome = (await page.evaluate(ATTACK(evil, "same-origin"))) as Outcome
  expect(outcome).toEqual({
    page: 421,
    session: 421,
    status: 421,
    health: 421,
    "plain post": 421,
    "form post": 421,
    "empty post": 421,
    "json post": 421,
    socket: "refused",
  })
  expect(said.join("\n")).toMatch(/WebSocket connection.*(Unexpected response code: 421|421)/)
  expect([await fixture.head(), fixture.liveClients()]).toEqual([before, 1])
})

test("[TB1] the same requests from our own page succeed, so the refusals are meaningful", async () => {
  await using owner = await visit(chromium.browser, fixture, { expects: [/status of 4\d\d/] })
  const outcome = (await owner.page.evaluate(ATTACK(fixture.url, "same-origin"))) as Outcome
  expect(outcome).toMatchObject({ page: 200, session: 200, status: 200, socket: "open" })
  expect(outcome).toMatchObject({ "plain post": 415, "form post": 415, "empty post": 403 })
})

test.each(["127.0.0.1", "localhost"])(
  "[TB1] a page on another port of %s with the owner's cookie changes and reads nothing",
  async (host) => {
    await using stranger = await serveStranger()
    const foreign = `http://${host}:${stranger.port}`
    await using owner = await visit(chromium.browser, fixture)
    const before = await fixture.head()
    const page = await owner.context.newPage()
    const granted = listGranted(page)
    await page.goto(foreign)
    const blind = (await page.evaluate(ATTACK(fixture.url, "no-cors"))) as Outcome
    const open = (await page.evaluate(ATTACK(fixture.url, "cors"))) as Outcome
    expect(new Set(Object.values(open)), "nothing is readable").toEqual(new Set(["refused"]))
    expect(blind["socket"]).toBe("refused")
    expect(Object.values(blind)).not.toContain(200)

    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      await page.goto(foreign)
      const answered = page.waitForResponse(`${fixture.url}/api/store/backup`)
      await page.evaluate(SUBMIT_FORM(`${fixture.url}/api/store/backup`, type))
      expect((await answered).status()).toBe(403)
      await page.waitForURL(`${fixture.url}/api/store/backup`)
    }
    await page.goto(foreign)
    const framed = await page.evaluate(FRAME(fixture.url))
    expect(framed, "the console is never in a frame").toBe("nothing readable")
    // A frame's GET has no Origin header and, from another port, includes the cookie. The server
    // answers the page, and the browser discards it (frame-ancestors, CORP); the API refuses.
    const isPage = (it: string) => it.startsWith("200 GET ") && !it.includes("/api/")
    expect(granted().filter((it) => !isPage(it))).toEqual([])
    expect([await fixture.head(), fixture.liveClients()]).toEqual([before, 1])
  },
)

const SUBMIT_FORM = (action: string, enctype: string) => `(() => {
  const form = document.createElement("form")
  Object.assign(form, { action: ${JSON.stringify(action)}, method: "POST" })
  form.enctype = ${JSON.stringify(enctype)}
  const field = document.createElement("input")
  Object.assign(field, { name: '{"keep":1,"x":"', value: '"}' })
  form.append(field)
  document.body.append(form)
  form.submit()
})()`

const FRAME = (url: string) => `new Promise((done) => {
  const frame = document.createElement("iframe")
  frame.onload = () => {
    try {
      done(frame.contentWindow.document.body.textContent || "nothing readable")
    } catch {
      done("nothing readable")
    }
  }
  frame.src = ${JSON.stringify(url)} + "/api/session"
  document.body.append(frame)
})`

function listGranted(page: Page): () => readonly string[] {
  const granted: string[] = []
  page.on("response", (it) => {
    const isOurs = it.url().startsWith(`${fixture.url}/`)
    const { method, url } = { method: it.request().method(), url: new URL(it.url()).pathname }
    if (isOurs && it.status() < 400) granted.push(`${it.status()} ${method} ${url}`)
  })
  return () => granted
}

async function serveStranger() {
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html")
    response.end("<title>games</title><body></body>")
  })
  server.listen(0)
  await once(server, "listening", { signal: AbortSignal.timeout(HANG_MS) })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
