import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { newServer, type ServerFixture } from "#test/server"
import { tempDirectory } from "#test/temp"
import { clientToken, createKeys, LINK_LIFE_MS, MOST_OPEN_LINKS, SESSION_DAYS } from "./keys.ts"
import { readOrMakeToken } from "./token-file.ts"

/** No cookie of these tests is signed out. */
const NO_HOME = "/nonexistent"

const newKeys = (token = "t".repeat(43)) => {
  const clock = testClock()
  const deps = { token: () => token, home: NO_HOME, clock, random: systemRandom }
  return { clock, token, ...createKeys(deps) }
}

const linkTokenOf = (server: ServerFixture) => server.serving().link().split("#t=")[1] ?? ""

/** Exchanges a link like the console does; returns the status and the cookie header. */
async function signIn(server: ServerFixture, token = linkTokenOf(server)) {
  const body = JSON.stringify({ token })
  const answer = await server.ask({ method: "POST", path: "/api/session", token: "none", body })
  const [given = ""] = [answer.headers["set-cookie"] ?? []].flat()
  return { ...answer, given, cookie: given.split(";")[0] ?? "" }
}

describe("links", () => {
  test("[HTTP-3] a link signs in once and sets an HttpOnly cookie", async () => {
    await using server = await newServer()
    const token = linkTokenOf(server)
    const first = await signIn(server, token)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(first.given.split("; ").slice(1)).toEqual([
      "HttpOnly",
      "SameSite=Strict",
      "Path=/",
      `Max-Age=${SESSION_DAYS * 86_400}`,
    ])
    const second = await signIn(server, token)
    expect([second.status, JSON.parse(second.text).code]).toEqual([403, "HTTP_LINK_SPENT"])
    expect(second.given).toBe("")
  })

  test("[HTTP-3] a link is valid for ten minutes", async () => {
    const clock = testClock()
    await using server = await newServer({ clock })
    const [inTime, late] = [linkTokenOf(server), linkTokenOf(server)]
    await clock.advance(LINK_LIFE_MS)
    expect((await signIn(server, inTime)).status).toBe(204)
    await clock.advance(1)
    expect((await signIn(server, late)).status).toBe(403)
  })

  test.each([["{}"], ['{"token":""}'], ['{"token":7}'], ["[]"], ['{"token":"x","more":1}']])(
    "[HTTP-3] %s is refused as a link",
    async (body) => {
      await using server = await newServer()
      const asked = { method: "POST", path: "/api/session", body } as const
      const answer = await server.ask({ ...asked, token: "none" })
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, "HTTP_BODY_INVALID"])
    },
  )

  test("[HTTP-3] beyond the limit of open links the oldest is dropped", async () => {
    const keys = newKeys()
    const links = Array.from({ length: MOST_OPEN_LINKS + 1 }, () => keys.issueLink())
    expect([keys.spendLink(links[0]!), keys.spendLink(links[1]!)]).toEqual([false, true])
    await keys.clock.advance(LINK_LIFE_MS + 1)
    keys.issueLink()
    expect(links.some((it) => keys.spendLink(it))).toBe(false)
  })
})

describe("the session cookie", () => {
  test("[HTTP-2] with the cookie a GET is admitted, and a DELETE needs the client header too", async () => {
    await using server = await newServer()
    const { cookie } = await signIn(server)
    const ask = (method: string, headers: Record<string, string>) =>
      server.ask({ method, path: "/api/session", token: "none", headers: { cookie, ...headers } })
    expect((await ask("GET", {})).status).toBe(200)
    const refused = await ask("DELETE", {})
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([
      403,
      "HTTP_CLIENT_HEADER_MISSING",
    ])
    const left = await ask("DELETE", { "x-qm-client": "console" })
    expect([left.status, left.headers["set-cookie"]]).toEqual([
      204,
      [expect.stringContaining("Max-Age=0")],
    ])
    expect((await server.ask({ method: "DELETE", path: "/api/session" })).status).toBe(204)
  })

  test("[HTTP-2] the cookie is found by its full name among others", async () => {
    await using server = await newServer()
    const { cookie } = await signIn(server)
    const statusOf = async (header: string) =>
      (await server.ask({ path: "/api/session", token: "none", headers: { cookie: header } }))
        .status
    expect(await statusOf(`theme=dark; ${cookie}; a=b`)).toBe(200)
    expect(await statusOf(`x${cookie}`)).toBe(401)
    expect(await statusOf(cookie.replace("=", "x="))).toBe(401)
  })

  test("[HTTP-3] the cookie survives a restart, and becomes invalid with a new token", async () => {
    await using server = await newServer()
    const { cookie } = await signIn(server)
    const status = async () =>
      (await server.ask({ path: "/api/session", token: "none", headers: { cookie } })).status
    await server.restart()
    expect(await status()).toBe(200)
    await rm(path.join(server.home, "token"))
    await server.restart()
    expect(await status()).toBe(401)
  })

  test("[HTTP-3] a forged, truncated, extended, empty or expired cookie is refused", async () => {
    const keys = newKeys()
    const good = keys.issueCookie()
    const [version, until, nonce, signature] = good.split(".")
    const bad = [
      "",
      ".",
      "...",
      good.slice(0, -1),
      good.slice(1),
      `${good}x`,
      `${version}.${Number(until) + 1}.${nonce}.${signature}`,
      `${version}.${until}.${nonce}.`,
      `${version}.Infinity.${nonce}.${signature}`,
      newKeys("u".repeat(43)).issueCookie(),
    ]
    expect(bad.filter((it) => keys.isCookie(it))).toEqual([])
    expect(keys.isCookie(good)).toBe(true)
    await keys.clock.advance(SESSION_DAYS * 86_400_000)
    expect(keys.isCookie(good)).toBe(false)
  })

  test("[HTTP-3] changing any character of the cookie makes it invalid", () => {
    const keys = newKeys()
    const good = keys.issueCookie()
    const flipped = Array.from(good, (it, at) => {
      const other = it === "A" ? "B" : "A"
      return good.slice(0, at) + other + good.slice(at + 1)
    })
    expect(flipped.filter((it) => keys.isCookie(it))).toEqual([])
  })
})

describe("client tokens", () => {
  test("[HTTP-15] a client token names its client; a forged or foreign one is refused", () => {
    const keys = newKeys()
    const good = clientToken(keys.token, "codex-laptop")
    expect(keys.bearerOf(good)).toBe("client:codex-laptop")
    expect(keys.bearerOf(keys.token)).toBe("owner")
    const [name, seal = ""] = good.split(".")
    const bad = [
      "",
      ".",
      `.${seal}`,
      name ?? "",
      `other.${seal}`,
      `${good}x`,
      good.slice(0, -1),
      good.toUpperCase(),
      clientToken("u".repeat(43), "codex-laptop"),
      clientToken(keys.token, "owner\n"),
      clientToken(keys.token, "Big.Name"),
      clientToken(keys.token, "n".repeat(61)),
    ]
    expect(bad.map((it) => keys.bearerOf(it))).toEqual(bad.map(() => undefined))
  })
})

describe("the token file", () => {
  const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

  test("[S9] token and server record have mode 0600 in folders of 0700, under any umask", async () => {
    const before = process.umask(0)
    try {
      await using server = await newServer()
      const { stateDirectory } = server.app().places.repository
      expect(await modeOf(path.join(server.home, "token"))).toBe("600")
      expect(await modeOf(server.home)).toBe("700")
      expect(await modeOf(path.join(stateDirectory, "server.json"))).toBe("600")
      expect(await modeOf(stateDirectory)).toBe("700")
    } finally {
      process.umask(before)
    }
  })

  test("[HTTP-4] the token has 256 bits and is created once", async () => {
    await using folder = await tempDirectory()
    const home = path.join(folder.path, "home")
    const token = await readOrMakeToken(home, systemRandom)
    expect(Buffer.from(token, "base64url")).toHaveLength(32)
    expect(await readOrMakeToken(home, systemRandom)).toBe(token)
  })

  test("[HTTP-4] two processes that create the token at once use the same one", async () => {
    await using folder = await tempDirectory()
    const home = path.join(folder.path, "home")
    const made = await Promise.all(
      Array.from({ length: 8 }, () => readOrMakeToken(home, systemRandom)),
    )
    expect(new Set(made)).toEqual(new Set([await readOrMakeToken(home, systemRandom)]))
  })

  test.each([0o640, 0o604, 0o660, 0o644])(
    "[HTTP-4] a token file that others can read (mode %i in decimal) is refused",
    async (mode) => {
      await using folder = await tempDirectory()
      await readOrMakeToken(folder.path, systemRandom)
      await chmod(path.join(folder.path, "token"), mode)
      await expect(readOrMakeToken(folder.path, systemRandom)).rejects.toMatchObject({
        code: "HTTP_TOKEN_FILE_UNUSABLE",
        message: expect.stringContaining("other users can read it"),
      })
    },
  )

  test("[HTTP-4] a symbolic link, a folder, a short token and a huge file are refused and unchanged", async () => {
    await using folder = await tempDirectory()
    const file = path.join(folder.path, "token")
    const elsewhere = path.join(folder.path, "elsewhere")
    await writeFile(elsewhere, `${"A".repeat(43)}\n`, { mode: 0o600 })
    const states: readonly (() => Promise<unknown>)[] = [
      () => symlink(elsewhere, file),
      () => symlink(path.join(folder.path, "nowhere"), file),
      () => mkdir(file),
      () => writeFile(file, "short", { mode: 0o600 }),
      () => writeFile(file, "", { mode: 0o600 }),
      () => writeFile(file, "A".repeat(100_000), { mode: 0o600 }),
    ]
    for (const prepare of states) {
      await prepare()
      await expect(readOrMakeToken(folder.path, systemRandom)).rejects.toMatchObject({
        code: "HTTP_TOKEN_FILE_UNUSABLE",
      })
      await rm(file, { recursive: true })
    }
    expect(await readFile(elsewhere, "utf8")).toBe(`${"A".repeat(43)}\n`)
  })
})
