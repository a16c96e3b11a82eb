import { io, type ManagerOptions, type SocketOptions } from "socket.io-client"
import { describe, expect, test } from "vitest"
import { restOf } from "#test/run-client"
import { newServer, type ServerFixture, say, stored } from "#test/server"
import { clientToken } from "../guard/keys.ts"

type Headers = Readonly<Record<string, string>>
type Options = Partial<ManagerOptions & SocketOptions>

/** A socket.io client with default options except headers. */
function connect(server: ServerFixture, extraHeaders: Headers, options: Options = {}) {
  return io(server.serving().url, {
    ...options,
    forceNew: true,
    reconnection: false,
    extraHeaders: { ...extraHeaders },
  })
}

async function bearer(server: ServerFixture): Promise<Headers> {
  return { authorization: `Bearer ${await server.token()}` }
}

describe("a plain socket.io client", () => {
  test.each([
    ["by default", {}, "websocket"],
    ["by polling alone", { transports: ["polling"] }, "polling"],
    ["by web socket alone", { transports: ["websocket"] }, "websocket"],
  ])(
    "[HTTP-16] a client with the token subscribes %s and gets events and messages",
    async (...given) => {
      const [, options, transport] = given
      await using server = await newServer()
      const store = await server.store()
      const head = await store.journal.head()
      const socket = connect(server, await bearer(server), options)
      const seqs: number[] = []
      const contents: string[] = []
      const isComplete = Promise.withResolvers<void>()
      socket.on("events", ({ entries }: { entries: readonly { seq: number }[] }) => {
        seqs.push(...entries.map((it) => it.seq))
      })
      socket.on("agent:message", ({ message }: { message: { content: string } }) => {
        contents.push(message.content)
      })
      socket.on("agent:complete", () => isComplete.resolve())
      expect(await socket.emitWithAck("subscribe", { after: { ...head, seq: 0 } })).toMatchObject({
        kind: "subscribed",
      })
      await say(store, 3)
      const script = JSON.stringify({ event: "turn.ended", outcome: "completed", text: "Bye." })
      const agentId = await restOf(server).start("Hello.", { script })
      expect(await socket.emitWithAck("subscribe", { agentId })).toMatchObject({ agentId })
      await isComplete.promise
      await expect.poll(() => socket.io.engine.transport.name).toBe(transport)
      expect(contents).toContain("Bye.")
      await expect.poll(() => seqs).toEqual((await stored(store)).map((it) => it.seq))
      socket.disconnect()
    },
  )

  test("[HTTP-16] a client without a token, with a foreign one, or from another Origin or Host is refused", async () => {
    await using server = await newServer()
    const token = await server.token()
    const own = await bearer(server)
    const refused: readonly Headers[] = [
      {},
      { authorization: `Bearer ${"A".repeat(43)}` },
      { authorization: `Bearer ${clientToken(token, "agent")}` },
      { ...own, origin: "http://evil.example" },
      { ...own, origin: "null" },
      { ...own, host: `evil.example:${server.port}` },
      { ...own, "sec-fetch-site": "cross-site" },
    ]
    for (const headers of refused) {
      for (const transports of [["polling"], ["websocket"]]) {
        // A polling client of Node always sends its own Host.
        if ("host" in headers && transports.includes("polling")) continue
        const socket = connect(server, headers, { transports })
        const outcome = await new Promise((resolve) => {
          socket.on("connect", () => resolve("connected"))
          socket.on("connect_error", () => resolve("refused"))
        })
        socket.disconnect()
        expect([headers, transports, outcome]).toEqual([headers, transports, "refused"])
      }
    }
    expect(server.serving().live.clients()).toBe(0)
  })
})

describe("polling", () => {
  const POLL = "/socket.io/?EIO=4&transport=polling"

  test("[HTTP-16] polling accepts plain text with a bearer token only", async () => {
    await using server = await newServer()
    const opened = await server.ask({ path: POLL })
    expect(opened.status).toBe(200)
    const { sid } = JSON.parse(opened.text.slice(1)) as { sid: string }
    const path = `${POLL}&sid=${sid}`
    const text = { "content-type": "text/plain;charset=UTF-8" }
    const post = { method: "POST", path, body: "40", headers: text } as const
    expect((await server.ask({ ...post, token: "none" })).status).toBe(415)
    const cookie = { ...text, cookie: "qm_session=x" }
    expect((await server.ask({ ...post, token: "none", headers: cookie })).status).toBe(415)
    expect((await server.ask({ ...post, path: "/api/store/backup" })).status).toBe(415)
    expect((await server.ask({ path, token: "none" })).status).toBe(401)
    const rebound = { host: `evil.example:${server.port}` }
    expect((await server.ask({ path, headers: rebound })).status).toBe(421)
    const foreign = { origin: "http://evil.example" }
    expect((await server.ask({ path, headers: foreign })).status).toBe(403)
    const taken = await server.ask(post)
    expect([taken.status, taken.text]).toEqual([200, "ok"])
    expect(taken.headers["x-frame-options"]).toBe("DENY")
    expect(taken.headers["access-control-allow-origin"]).toBeUndefined()
  })
})
