import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { type AuthorizationOptions, authorizationServer } from "#test/authorization-server"
import { newFixture } from "../sources.fixture.ts"

const { signal } = new AbortController()
const QUESTION = { tool: "search", args: {} }

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

/** A source behind a strict server, with a credential store that tests can read. */
async function scene(options: AuthorizationOptions = {}, oauth: object = {}) {
  const server = await authorizationServer(options)
  const stored = new Map<string, string>()
  let nowMs = 0
  const fixture = await newFixture({
    credential: async (name) => stored.get(name),
    async storeCredential(name, value) {
      if (value === undefined) stored.delete(name)
      else stored.set(name, value)
    },
  })
  const clock = { ...fixture.clock, now: () => fixture.clock.now() + nowMs }
  const sources = fixture.make({ clock })
  await fixture.add("tracker", "", {
    transport: { type: "http", url: server.url, oauth },
    provides: ["other"],
  })
  const call = () => codeOf(sources.call("tracker", QUESTION, { signal }))
  return {
    ...fixture,
    sources,
    server,
    stored,
    call,
    moveTime: (ms: number) => (nowMs += ms),
    again: () => fixture.make({ clock }),
    /** Starts a sign-in and returns the address the browser is sent back to. */
    async begin(): Promise<string> {
      const { url } = await sources.login("tracker", { signal })
      return server.signIn(url ?? "")
    },
    finish: () => codeOf(sources.login("tracker", { signal, isWaiting: true })),
    async [Symbol.asyncDispose]() {
      await sources.close()
      await fixture[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function signedIn(options: AuthorizationOptions = {}) {
  const it = await scene(options)
  await it.sources.approve("tracker")
  const back = await it.begin()
  expect((await fetch(back)).status).toBe(200)
  expect(await it.finish()).toBe("ok")
  return { ...it, back }
}

describe("sign-in with OAuth", () => {
  test("[SOURCES-22] discovery, registration, PKCE and exchange satisfy a strict server, and calls send the token", async () => {
    await using it = await signedIn()
    expect(await it.call()).toBe("ok")
    expect(it.server.violations).toEqual([])
    expect(it.server.requests.slice(0, 6)).toEqual([
      "GET /mcp",
      "GET /.well-known/oauth-protected-resource/mcp",
      "GET /.well-known/oauth-authorization-server",
      "POST /register",
      "POST /token",
      "POST /mcp",
    ])
    const [view] = await it.sources.list()
    expect(view).toMatchObject({ login: "signed in", health: "ok", tools: ["search"] })
    // Another process uses the stored tokens; nothing that is shown contains one.
    const other = it.again()
    expect(await codeOf(other.call("tracker", QUESTION, { signal }))).toBe("ok")
    await other.close()
    const shown = JSON.stringify(await it.sources.list())
    expect(it.server.tokens().filter((token) => shown.includes(token))).toEqual([])
    expect([...it.stored.keys()]).toEqual([expect.stringMatching(/^oauth\.tracker\.[0-9a-f]{8}$/)])
  })

  test("[SOURCES-22] a source is not signed in to before it is approved, and not called before it is signed in to", async () => {
    await using it = await scene()
    expect(await codeOf(it.sources.login("tracker", { signal }))).toBe("SOURCES_NOT_APPROVED")
    expect(it.server.requests).toEqual([])
    await it.sources.approve("tracker")
    expect(await it.call()).toBe("SOURCES_LOGIN_NEEDED")
    expect((await it.sources.list())[0]).toMatchObject({ login: "needed", isApproved: true })
    expect(it.server.requests).toEqual([])
    await it.add("plain", "good")
    expect(await codeOf(it.sources.login("plain", { signal }))).toBe("SOURCES_LOGIN_NOT_OFFERED")
  })

  test("[SOURCES-23] an expired token is refreshed once, also by processes at the same time", async () => {
    await using it = await signedIn({ expiresInSeconds: 60 })
    expect(await it.call()).toBe("ok")
    it.moveTime(120_000)
    const others = [it.again(), it.again()]
    const calls = [it.sources, ...others].map((room) =>
      codeOf(room.call("tracker", QUESTION, { signal })),
    )
    expect(await Promise.all(calls)).toEqual(["ok", "ok", "ok"])
    for (const room of others) await room.close()
    expect(it.server.violations).toEqual([])
    const refreshes = it.server.requests.filter((one) => one === "POST /token").length - 1
    expect(refreshes).toBe(1)
  })

  test("[SOURCES-23] a token that the server refuses before its time is refreshed, and the call is repeated", async () => {
    await using it = await signedIn()
    expect(await it.call()).toBe("ok")
    it.server.expireAccess()
    expect(await it.call()).toBe("ok")
    expect(it.server.violations).toEqual([])
  })

  test("[SOURCES-23] when the refresh token has expired, the user must sign in again and nothing is left", async () => {
    await using it = await signedIn({ expiresInSeconds: 60 })
    it.moveTime(120_000)
    it.server.expireRefresh()
    expect(await it.call()).toBe("SOURCES_LOGIN_EXPIRED")
    expect(it.stored.size).toBe(0)
    expect(await it.call()).toBe("SOURCES_LOGIN_NEEDED")
    // Not a failure of the server: the source does not pause.
    expect((await it.sources.list())[0]?.health).not.toBe("dead")
  })

  test("[SOURCES-24] signing out revokes both tokens and deletes them, also if the server cannot revoke", async () => {
    await using it = await signedIn()
    expect(await it.sources.logout("tracker")).toMatchObject({
      isRevoked: true,
      source: { login: "needed" },
    })
    expect(it.server.revoked).toEqual(["refresh_token", "access_token"])
    expect(it.stored.size).toBe(0)
    expect(await codeOf(it.sources.logout("tracker"))).toBe("SOURCES_LOGIN_NEEDED")
    await using unable = await signedIn({ revokes: false })
    expect(await unable.sources.logout("tracker")).toMatchObject({ isRevoked: false })
    expect(unable.stored.size).toBe(0)
  })
})

describe("bad input to a sign-in", () => {
  test("[SOURCES-25] a refusal by the user ends the sign-in and stores nothing", async () => {
    await using it = await scene({ denies: true })
    await it.sources.approve("tracker")
    const back = await it.begin()
    const finished = it.finish()
    expect(await (await fetch(back)).text()).toContain("refused")
    expect(await finished).toBe("SOURCES_LOGIN_DENIED")
    expect(it.stored.size).toBe(0)
  })

  test("[SOURCES-25] a code that is too old is refused by the server and stores nothing", async () => {
    await using it = await scene({ expiresCodes: true })
    await it.sources.approve("tracker")
    const back = await it.begin()
    const finished = it.finish()
    const page = await (await fetch(back)).text()
    expect(page, "the page promises no success").toContain("completes the sign-in")
    expect(await finished).toBe("SOURCES_LOGIN_CODE_REFUSED")
    expect(it.stored.size).toBe(0)
  })

  test("[SOURCES-25] a wrong, missing or repeated state does not count, and a used one cannot be replayed", async () => {
    await using it = await scene()
    await it.sources.approve("tracker")
    const back = await it.begin()
    const finished = it.finish()
    const changed = (change: (params: URLSearchParams) => void): string => {
      const url = new URL(back)
      change(url.searchParams)
      return url.href
    }
    const wrong = [
      changed((params) => params.set("state", "x".repeat(43))),
      changed((params) => params.delete("state")),
      changed((params) => params.append("state", params.get("state") ?? "")),
    ]
    for (const url of wrong) expect((await fetch(url)).status).toBe(400)
    expect((await fetch(new URL("/other", back))).status).toBe(404)
    expect((await fetch(back, { method: "POST" })).status).toBe(404)
    expect(it.stored.size).toBe(0)
    const [first, replay] = await Promise.allSettled([fetch(back), fetch(back)])
    expect(first).toMatchObject({ value: { status: 200 } })
    const isRefused = replay.status === "rejected" || replay.value.status === 400
    expect(isRefused).toBe(true)
    expect(await finished).toBe("ok")
    await expect(fetch(back)).rejects.toThrow("fetch failed")
    expect(it.server.requests.filter((one) => one === "POST /token").length).toBe(1)
  })

  test("[SOURCES-25] the state of an earlier sign-in is not accepted by a later one", async () => {
    await using it = await scene()
    await it.sources.approve("tracker")
    const first = new URL(await it.begin())
    const second = new URL(await it.begin())
    const replayed = new URL(second)
    replayed.searchParams.set("state", first.searchParams.get("state") ?? "")
    expect((await fetch(replayed)).status).toBe(400)
    await expect(fetch(first)).rejects.toThrow("fetch failed")
    const finished = it.finish()
    await fetch(second)
    expect(await finished).toBe("ok")
  })

  test("[SOURCES-25] a callback that names another authorization server is refused", async () => {
    await using it = await scene()
    await it.sources.approve("tracker")
    const back = new URL(await it.begin())
    back.searchParams.set("iss", "https://evil.example")
    const finished = it.finish()
    await fetch(back)
    expect(await finished).toBe("SOURCES_LOGIN_FAILED")
    expect(it.server.requests).not.toContain("POST /token")
  })

  test("[SOURCES-25] a sign-in that the user does not complete ends with its process", async () => {
    await using it = await scene()
    await it.sources.approve("tracker")
    const back = await it.begin()
    const finished = it.finish()
    await it.sources.close()
    expect(await finished).toBe("SOURCES_LOGIN_TIMED_OUT")
    await expect(fetch(back)).rejects.toThrow("fetch failed")
  })

  test("[SOURCES-25] a server without PKCE, with another issuer or another resource is not trusted", async () => {
    const rows: readonly (readonly [AuthorizationOptions, string])[] = [
      [{ supportsPkce: false }, "SOURCES_LOGIN_UNSUPPORTED"],
      [{ registers: false }, "SOURCES_LOGIN_FAILED"],
      [{ resource: () => "https://bank.example/mcp" }, "SOURCES_LOGIN_UNSUPPORTED"],
      [{ issuer: () => "http://127.0.0.1:1" }, "SOURCES_LOGIN_FAILED"],
      [{ issuer: () => "http://192.168.0.1" }, "SOURCES_LOGIN_FAILED"],
    ]
    for (const [options, code] of rows) {
      await using it = await scene(options)
      await it.sources.approve("tracker")
      expect(await codeOf(it.sources.login("tracker", { signal }))).toBe(code)
      expect(it.stored.size).toBe(0)
    }
  })

  test("[SOURCES-25] tokens of one address are not sent to another one with the same name", async () => {
    await using it = await signedIn()
    await using thief = await authorizationServer()
    await it.add("tracker", "", { transport: { type: "http", url: thief.url, oauth: {} } })
    await it.sources.approve("tracker")
    expect(await it.call()).toBe("SOURCES_LOGIN_NEEDED")
    expect(thief.requests).toEqual([])
  })
})
