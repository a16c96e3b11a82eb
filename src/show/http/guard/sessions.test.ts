import { readdir, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { follow, newServer, type ServerFixture } from "#test/server"
import { token } from "../server/commands.ts"
import { MOST_REQUESTS_A_MINUTE } from "./gate.ts"
import { clientToken, SESSION_DAYS } from "./keys.ts"
import { readOrMakeToken } from "./token-file.ts"

const CLIENT = { "x-qm-client": "console" }

async function signIn(server: ServerFixture): Promise<string> {
  const body = JSON.stringify({ token: server.serving().link().split("#t=")[1] ?? "" })
  const answer = await server.ask({ method: "POST", path: "/api/session", token: "none", body })
  const [given = ""] = [answer.headers["set-cookie"] ?? []].flat()
  return given.split(";")[0] ?? ""
}

function statusOf(server: ServerFixture) {
  return async (headers: Record<string, string>, path = "/api/session") =>
    (await server.ask({ path, token: "none", headers })).status
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` })

/** Every credential of the user, with the status of a request that uses it. */
async function credentials(server: ServerFixture) {
  const own = await server.token()
  const cookie = await signIn(server)
  const status = statusOf(server)
  const used = { own: bearer(own), client: bearer(clientToken(own, "ci")), cookie: { cookie } }
  return {
    ...used,
    statuses: async () => [
      await status(used.own),
      // 405: admitted, and the tools have no GET.
      await status(used.client, "/mcp"),
      await status(used.cookie),
    ],
  }
}

const ADMITTED = [200, 405, 200]
const REFUSED = [401, 401, 401]

describe("a running server", () => {
  test("[H5][HTTP-17] removing the token file ends cookies, bearer tokens and live sockets at once", async () => {
    await using server = await newServer()
    const used = await credentials(server)
    expect(await used.statuses()).toEqual(ADMITTED)
    using client = follow(`http://${server.host}`, { token: await server.token(), after: null })
    await client.until(() => client.replies.length === 1)
    await rm(path.join(server.home, "token"))
    expect(await used.statuses()).toEqual(REFUSED)
    await client.until(() => !client.socket.connected)
  })

  test("[HTTP-17] a new token file is accepted without a restart, and only the new token", async () => {
    await using server = await newServer()
    const used = await credentials(server)
    await rm(path.join(server.home, "token"))
    const fresh = await readOrMakeToken(server.home, systemRandom)
    expect(await statusOf(server)(bearer(fresh))).toBe(200)
    expect(await used.statuses()).toEqual(REFUSED)
  })

  test("[HTTP-17] an emptied token file admits no request", async () => {
    await using server = await newServer()
    const used = await credentials(server)
    await writeFile(path.join(server.home, "token"), "")
    expect(await used.statuses()).toEqual(REFUSED)
    expect(await statusOf(server)(bearer(""))).toBe(401)
  })

  test("[H5][HTTP-17] qm token --revoke ends all sessions, links and client tokens, and prints the new token", async () => {
    await using server = await newServer()
    const used = await credentials(server)
    const link = server.serving().link().split("#t=")[1] ?? ""
    const said: string[] = []
    const call = { environment: {}, isTerminal: false, signal: AbortSignal.timeout(10_000) }
    const say = (text: string) => void said.push(text)
    expect(await token({ ...call, app: server.app(), input: { revoke: true }, say })).toBe(0)
    expect(await used.statuses()).toEqual(REFUSED)
    const body = JSON.stringify({ token: link })
    const spent = { method: "POST", path: "/api/session", token: "none", body } as const
    expect((await server.ask(spent)).status).toBe(403)
    expect(said[0]).toBe(await server.token())
    expect(await statusOf(server)(bearer(said[0] ?? ""))).toBe(200)
  })

  test("[H5][HTTP-17] sign out everywhere ends every session and client token, also this one", async () => {
    await using server = await newServer()
    const used = await credentials(server)
    using client = follow(`http://${server.host}`, { token: await server.token(), after: null })
    await client.until(() => client.replies.length === 1)
    const headers = { ...used.cookie, ...CLIENT }
    const asked = { method: "DELETE", path: "/api/session/all", token: "none", headers } as const
    const answer = await server.ask(asked)
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([
      204,
      [expect.stringContaining("Max-Age=0")],
    ])
    expect(await used.statuses()).toEqual(REFUSED)
    await client.until(() => !client.socket.connected)
  })
})

describe("signing out", () => {
  const signOut = (server: ServerFixture, cookie: string) =>
    server.ask({
      method: "DELETE",
      path: "/api/session",
      token: "none",
      headers: { cookie, ...CLIENT },
    })

  test("[H5][HTTP-17] signing out ends this cookie, also after a restart, and no other session", async () => {
    await using server = await newServer()
    const [mine, other] = [await signIn(server), await signIn(server)]
    const status = statusOf(server)
    expect((await signOut(server, mine)).status).toBe(204)
    expect([await status({ cookie: mine }), await status({ cookie: other })]).toEqual([401, 200])
    await server.restart()
    expect([await status({ cookie: mine }), await status({ cookie: other })]).toEqual([401, 200])
    expect((await server.ask({ path: "/api/session" })).status).toBe(200)
  })

  test("[HTTP-17] another server of the same user refuses a cookie that was signed out here", async () => {
    await using server = await newServer()
    await using other = await newServer({ environment: { QM_HOME: server.home } })
    const cookie = await signIn(server)
    expect(await statusOf(other)({ cookie })).toBe(200)
    await signOut(server, cookie)
    expect(await statusOf(other)({ cookie })).toBe(401)
  })

  test("[HTTP-17] the record of a signed-out cookie is removed once the cookie has expired", async () => {
    const clock = testClock()
    await using server = await newServer({ clock })
    await signOut(server, await signIn(server))
    await clock.advance((SESSION_DAYS + 1) * 86_400_000)
    await signOut(server, await signIn(server))
    expect(await readdir(path.join(server.home, "signed-out"))).toHaveLength(1)
  })
})

describe("requests of others", () => {
  test("[H5][HTTP-2] a bad cookie sent first does not block the good one", async () => {
    await using server = await newServer()
    const cookie = await signIn(server)
    const status = statusOf(server)
    expect(await status({ cookie: `qm_session=planted; ${cookie}` })).toBe(200)
    expect(await status({ cookie: `${cookie}; qm_session=planted` })).toBe(200)
    expect(await status({ cookie: "qm_session=planted; qm_session=other" })).toBe(401)
  })

  test("[H5][HTTP-7] 3,000 refused cross-site requests do not lock the owner out", async () => {
    const clock = testClock()
    await using server = await newServer({ clock })
    const cookie = await signIn(server)
    const attacks = [
      { path: "/api/session", headers: { "sec-fetch-site": "cross-site" } },
      { path: "/api/session", headers: {} },
      { path: "/", headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } },
    ]
    for (let sent = 0; sent < MOST_REQUESTS_A_MINUTE + 60; sent += 30) {
      const ask = (n: number) => server.ask({ ...attacks[n % attacks.length]!, token: "none" })
      await Promise.all(Array.from({ length: 90 }, (_, n) => ask(n)))
    }
    const status = statusOf(server)
    expect(await status({ cookie })).toBe(200)
    expect(await status({}, "/healthz")).toBe(200)
    expect(await status(bearer(await server.token()))).toBe(200)
    expect(await status(attacks[0]!.headers)).toBe(429)
  })
})
