import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#ground/store"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import {
  follow,
  LIVE_URL,
  newServer,
  type ServerFixture,
  send,
  UPGRADE_HEADERS,
} from "#test/server"
import { addPerson, bearer, codeOf, openLink } from "./team.ts"

const LOCAL = { person: undefined, via: "cli" } as const
const CLIENT = { "x-qm-client": "console" }

async function statusOf(server: ServerFixture, headers: Record<string, string>, path = "/api/session") {
  return (await server.ask({ path, token: "none", headers })).status
}

async function upgradeStatus(server: ServerFixture, token: string, path = LIVE_URL) {
  const headers = { ...UPGRADE_HEADERS, ...bearer(token) }
  return (await send(server.port, { path, headers })).status
}

/** Two servers of one store; on SQLite they share the file. */
type Pair = { readonly one: ServerFixture; readonly two: ServerFixture } & AsyncDisposable

function keyRules(open: () => Promise<Pair>): void {
  test("[HTTP-32][TB8] a token revoked on one server is refused by the other at the next request, and its sockets end within a second", async () => {
    await using pair = await open()
    const { one, two } = pair
    const { token, tokenId } = await addPerson(one, "ada")
    expect([await statusOf(one, bearer(token)), await statusOf(two, bearer(token))]).toEqual([200, 200])
    expect(await upgradeStatus(two, token)).toBe(101)
    using client = follow(`http://${two.host}`, { token, after: null })
    await client.until(() => client.replies.length === 1)
    const people = await one.app().people()
    const startedMs = performance.now()
    await people.withdraw(tokenId, LOCAL)
    expect([await statusOf(one, bearer(token)), await statusOf(two, bearer(token))]).toEqual([401, 401])
    await client.until(() => !client.socket.connected)
    // Printed, not asserted: the speed of the machine is not a promise.
    process.stderr.write(`socket ended after ${Math.round(performance.now() - startedMs)} ms\n`)
    expect(await upgradeStatus(two, token)).toBe(401)
  })

  test("[HTTP-32] revoking a person ends token, cookie and socket on both servers", async () => {
    await using pair = await open()
    const { one, two } = pair
    const { token, link } = await addPerson(one, "ada")
    const { cookie } = await openLink(two, link)
    const uses = () =>
      Promise.all(
        [one, two].flatMap((it) => [statusOf(it, bearer(token)), statusOf(it, { cookie })]),
      )
    expect(await uses()).toEqual([200, 200, 200, 200])
    using client = follow(`http://${one.host}`, { token, after: null })
    await client.until(() => client.replies.length === 1)
    await (await two.app().people()).revoke({ name: "ada" }, LOCAL)
    expect(await uses()).toEqual([401, 401, 401, 401])
    await client.until(() => !client.socket.connected)
  })

  test("[HTTP-33][TB8] a link opened on two servers at once signs in one browser, and never again", async () => {
    await using pair = await open()
    const { one, two } = pair
    const { link } = await addPerson(one, "ada")
    const opened = await Promise.all([one, two, one, two].map((it) => openLink(it, link)))
    expect(opened.map((it) => it.status).toSorted()).toEqual([204, 403, 403, 403])
    const refused = opened.filter((it) => it.status === 403)
    expect(refused.map((it) => it.code)).toEqual(Array(3).fill("HTTP_LINK_SPENT"))
    const cookie = opened.find((it) => it.status === 204)?.cookie ?? ""
    expect([await statusOf(one, { cookie }), await statusOf(two, { cookie })]).toEqual([200, 200])
    expect((await openLink(two, link)).status).toBe(403)
    // A link is no token.
    expect(await statusOf(one, bearer(link))).toBe(401)
  })

  test("[HTTP-32] expired tokens, links and sessions are refused", async () => {
    await using pair = await open()
    const { one } = pair
    const { token, link } = await addPerson(one, "ada", { days: 1 })
    const other = await addPerson(one, "ben")
    const { cookie } = await openLink(one, link)
    await (await one.store()).db.run(
      sql`UPDATE person_keys SET expires_at = 1 WHERE expires_at IS NOT NULL`,
    )
    expect(await statusOf(one, bearer(token))).toBe(401)
    expect(await statusOf(one, { cookie })).toBe(401)
    expect((await openLink(one, other.link)).status).toBe(403)
    expect(await statusOf(one, bearer(other.token))).toBe(200)
  })
}

describe("SQLite", () => {
  // One server per repository and machine, so it is both.
  keyRules(async () => {
    const server = await newServer()
    return { one: server, two: server, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
  })
})

describe.runIf(needs("TB8", "postgres"))("Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())
  keyRules(async () => {
    const environment = { QM_DATABASE_URL: await cluster.createDatabase() }
    return pairOf(await newServer({ environment }), await newServer({ environment }))
  })

  test("[TB8] a token of one team's store opens nothing of another team's server", async () => {
    const open = async () =>
      newServer({ environment: { QM_DATABASE_URL: await cluster.createDatabase() } })
    await using one = await open()
    await using two = await open()
    const [ada, ben] = [await addPerson(one, "ada"), await addPerson(two, "ada")]
    const { cookie } = await openLink(one, ada.link)
    expect(await statusOf(two, bearer(ada.token))).toBe(401)
    expect(await statusOf(one, bearer(ben.token))).toBe(401)
    expect(await statusOf(two, { cookie })).toBe(401)
    expect((await openLink(one, ben.link)).status).toBe(403)
  })
})

function pairOf(one: ServerFixture, two: ServerFixture): Pair {
  return {
    one,
    two,
    async [Symbol.asyncDispose]() {
      await two[Symbol.asyncDispose]()
      await one[Symbol.asyncDispose]()
    },
  }
}

describe("one server", () => {
  let server: ServerFixture
  beforeAll(async () => {
    server = await newServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  async function session(name: string, options: Parameters<typeof addPerson>[2] = {}) {
    const member = await addPerson(server, name, options)
    return { ...member, ...(await openLink(server, member.link)) }
  }

  test("[HTTP-33] the cookie of a person is HttpOnly and SameSite=Strict, and a write needs the client header", async () => {
    const { cookie, given } = await session("cleo")
    expect(given).toMatch(/^qm_session=qms_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=2592000$/)
    const ask = (headers: Record<string, string>) =>
      server.ask({ method: "POST", path: "/api/ticket/undo", token: "none", headers, body: "[]" })
    expect((await ask({ cookie })).status).toBe(403)
    expect(codeOf((await ask({ cookie })).text)).toBe("HTTP_CLIENT_HEADER_MISSING")
    expect((await ask({ cookie, ...CLIENT })).status).toBe(400)
    expect((await ask({ cookie, ...CLIENT, origin: "http://evil.example" })).status).toBe(403)
  })

  test("[HTTP-33] /api/session names the person and role; the machine's own user has none", async () => {
    const { cookie, person } = await session("dora", { role: "viewer" })
    const answer = await server.ask({ path: "/api/session", token: "none", headers: { cookie } })
    expect(JSON.parse(answer.text).person).toEqual(person)
    expect(JSON.parse((await server.ask({ path: "/api/session" })).text).person).toBeNull()
  })

  test("[HTTP-33] signing out ends one browser; everywhere ends all of the person and nobody else's", async () => {
    const [one, other] = [await session("eva"), await session("eva")]
    const ben = await session("finn")
    const own = await server.token()
    const end = (path: string, cookie: string) =>
      server.ask({ method: "DELETE", path, token: "none", headers: { cookie, ...CLIENT } })
    expect((await end("/api/session", one.cookie)).status).toBe(204)
    const statuses = () =>
      Promise.all([one, other, ben].map(({ cookie }) => statusOf(server, { cookie })))
    expect(await statuses()).toEqual([401, 200, 200])
    expect((await end("/api/session/all", other.cookie)).status).toBe(204)
    expect(await statuses()).toEqual([401, 401, 200])
    // The machine's own token is not replaced.
    expect([await server.token(), await statusOf(server, bearer(own))]).toEqual([own, 200])
    expect(await statusOf(server, bearer(one.token))).toBe(200)
  })

  test("[HTTP-33] a person cannot create a link of the machine's own user", async () => {
    const { token } = await addPerson(server, "gil", { role: "owner" })
    const asked = { method: "POST", path: "/api/session/link", token: "none" } as const
    const answer = await server.ask({ ...asked, headers: bearer(token), body: "{}" })
    expect([answer.status, codeOf(answer.text)]).toEqual([403, "HTTP_MACHINE_OWNER_ONLY"])
  })

  test("[HTTP-31] a token for tools opens /mcp and nothing else", async () => {
    const { token } = await addPerson(server, "hana", { scope: "tools" })
    expect(await statusOf(server, bearer(token), "/mcp")).toBe(405)
    expect(await statusOf(server, bearer(token))).toBe(403)
    expect(await upgradeStatus(server, token)).toBe(403)
  })

  test("[HTTP-34][TB8] another repository of the machine's user is not shared with people", async () => {
    const { token } = await addPerson(server, "ida", { role: "owner" })
    const path = "/r/another-0123abcd/api/session"
    const answer = await server.ask({ path, token: "none", headers: bearer(token) })
    expect([answer.status, codeOf(answer.text)]).toEqual([403, "HTTP_REPOSITORY_NOT_SHARED"])
    expect((await server.ask({ path })).status).toBe(404)
    expect(await upgradeStatus(server, token, `/r/another-0123abcd${LIVE_URL}`)).toBe(403)
  })

  test("[HTTP-35] a person sees only their own tokens and row unless they are an owner", async () => {
    const [jo, kim] = [await addPerson(server, "jo"), await addPerson(server, "kim")]
    const ask = async (path: string, token: string) =>
      JSON.parse((await server.ask({ path, token: "none", headers: bearer(token) })).text)
    expect((await ask("/api/people/list", jo.token)).people.map((it: { name: string }) => it.name)).toEqual(["jo"])
    expect((await ask("/api/people/tokens", jo.token)).tokens.map((it: { id: string }) => it.id)).toEqual([jo.tokenId])
    expect((await ask("/api/people/tokens?name=kim", jo.token)).code).toBe("PEOPLE_UNKNOWN")
    const body = JSON.stringify({ id: kim.tokenId })
    const asked = { method: "POST", path: "/api/people/withdraw", token: "none", body } as const
    const answer = await server.ask({ ...asked, headers: bearer(jo.token) })
    expect([answer.status, codeOf(answer.text)]).toEqual([404, "PEOPLE_TOKEN_UNKNOWN"])
    expect(await statusOf(server, bearer(kim.token))).toBe(200)
  })

  test("[PEOPLE-7] writes of a person are in the audit log, refused and failed ones too, without texts", async () => {
    const { token } = await addPerson(server, "lea", { role: "operator" })
    const secretText = "a text of the ticket"
    const post = (path: string, input: object) =>
      server.ask({ method: "POST", path, token: "none", headers: bearer(token), body: JSON.stringify(input) })
    await post("/api/ticket/new", { title: secretText })
    await post("/api/config/set", { key: "log.level", value: "debug", layer: "user" })
    await post("/api/agents/stop", { id: "run_none" })
    const log = await (await server.app().people()).log({ operation: "", person: "lea", limit: 50 })
    expect(log.entries.map((it) => [it.operation, it.outcome, it.code, it.via, it.role])).toEqual([
      ["ticket.new", "done", null, "http", "operator"],
      ["config.set", "denied", "PEOPLE_ROLE_TOO_LOW", "http", "operator"],
      ["agents.stop", "failed", "AGENTS_RUN_UNKNOWN", "http", "operator"],
    ])
    expect(log.entries[2]?.ids).toEqual(["run_none"])
    expect(JSON.stringify(log)).not.toContain(secretText)
  })
})

test("[HTTP-36] requests of one person are limited, those of others are not", async () => {
  await using server = await newServer({ environment: { QM_TEAM_REQUESTS_PER_MINUTE: "5" } })
  const [ada, ben] = [await addPerson(server, "ada"), await addPerson(server, "ben")]
  const statuses: number[] = []
  // A minute may begin in between, once.
  for (let n = 0; n < 11; n++) statuses.push(await statusOf(server, bearer(ada.token)))
  expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
  expect(statuses).toContain(429)
  expect(await statusOf(server, bearer(ben.token))).toBe(200)
  expect(await statusOf(server, bearer(await server.token()))).toBe(200)
})

test("[PEOPLE-6][TB8] doctor fails on a tampered audit log", async () => {
  await using server = await newServer()
  await addPerson(server, "ada")
  const examine = async () => {
    const { text } = await server.ask({ path: "/api/doctor/run" })
    const { checks } = JSON.parse(text) as { checks: { name: string; state: string; detail: string }[] }
    return checks.find((it) => it.name === "audit log")
  }
  expect(await examine()).toMatchObject({ state: "ok", detail: "2 entries, unchanged" })
  const { db } = await server.store()
  await db.run(sql`DROP TRIGGER audit_log_no_update`)
  await db.run(sql`UPDATE audit_log SET role = 'viewer' WHERE seq = 1`)
  expect(await examine()).toMatchObject({
    state: "fail",
    detail: "entry 1 of the audit log was changed",
  })
})
