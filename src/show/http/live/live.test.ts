import { io } from "socket.io-client"
import { describe, expect, test } from "vitest"
import type { Cursor } from "#ground/contract"
import { sql } from "#ground/store"
import { isNight } from "#test/seed"
import { follow, newServer, type Reply, type ServerFixture, say, stored } from "#test/server"
import { MOST_LIVE_CLIENTS } from "./live.ts"

const begin = async (server: ServerFixture): Promise<Cursor> => ({
  ...(await (await server.store()).journal.head()),
  seq: 0,
})

async function client(server: ServerFixture, after: Cursor | null) {
  return follow(server.serving().url, { token: await server.token(), after })
}

/** Sends one message and returns its acknowledgement. */
async function ask(server: ServerFixture, ...message: readonly unknown[]): Promise<Reply> {
  using one = await client(server, null)
  await one.until(() => one.replies.length > 0)
  return await new Promise((resolve) => one.socket.emit("subscribe", ...message, resolve))
}

describe("subscribe", () => {
  test("[HTTP-8] subscribing from a cursor sends everything after it, then new events, in order", async () => {
    await using server = await newServer()
    const store = await server.store()
    await say(store, 1_234)
    using reader = await client(server, await begin(server))
    await reader.until(() => reader.entries.length >= 1_235)
    await say(store, 3)
    await reader.until(() => reader.entries.length >= 1_238)
    expect(reader.entries).toEqual(await stored(store))
  })

  test("[HTTP-8] subscribing without a cursor sends only new events", async () => {
    await using server = await newServer()
    const store = await server.store()
    await say(store, 5)
    using reader = await client(server, null)
    await reader.until(() => reader.replies.length > 0)
    await say(store, 1, "after")
    await reader.until(() => reader.entries.length > 0)
    expect(reader.entries.map((it) => it.body["key"])).toEqual(["after"])
  })

  test("[HTTP-8] a second subscription replaces the first", async () => {
    await using server = await newServer()
    const store = await server.store()
    using reader = await client(server, null)
    await reader.until(() => reader.replies.length > 0)
    const after = await store.journal.head()
    await reader.socket.emitWithAck("subscribe", { after })
    await say(store, 2)
    await reader.until(() => reader.entries.length >= 2)
    await say(store, 1)
    await reader.until(() => reader.entries.length >= 3)
    expect(reader.entries.map((it) => it.seq)).toEqual([1, 2, 3].map((it) => after.seq + it))
  })

  test("[HTTP-9] a foreign cursor and one beyond the end get `resync`", async () => {
    await using server = await newServer()
    const head = await (await server.store()).journal.head()
    expect(await ask(server, { after: { epoch: "another", seq: 1 } })).toEqual({
      kind: "resync",
      head,
      reason: "foreign-cursor",
    })
    expect(await ask(server, { after: { ...head, seq: head.seq + 1 } })).toEqual({
      kind: "resync",
      head,
      reason: "future-cursor",
    })
    expect(await ask(server, { after: head })).toEqual({ kind: "subscribed", head })
  })

  test.each([
    [undefined],
    [null],
    ["cursor"],
    [{}],
    [{ after: 7 }],
    [{ after: {} }],
    [{ after: { epoch: "", seq: 0 } }],
    [{ after: { epoch: "e", seq: -1 } }],
    [{ after: { epoch: "e", seq: 1.5 } }],
    [{ after: { epoch: "e", seq: "1" } }],
    [{ after: { epoch: "e", seq: 2 ** 60 } }],
    [[]],
  ])("[HTTP-9] %j is refused, and the connection stays open", async (message) => {
    await using server = await newServer()
    expect(await ask(server, message)).toEqual({
      kind: "refused",
      reason: "the cursor is malformed",
    })
  })

  test("[HTTP-9] a message without a callback or with extra arguments does no harm", async () => {
    await using server = await newServer()
    using reader = await client(server, await begin(server))
    reader.socket.emit("subscribe")
    reader.socket.emit("subscribe", { after: null }, "no function", 7)
    reader.socket.emit("unknown", { after: null })
    await reader.until(() => reader.entries.length > 0)
    expect((await server.ask({ path: "/healthz" })).status).toBe(200)
  })

  test("[HTTP-9] when the store is restored the client is disconnected and must reload", async () => {
    await using server = await newServer()
    const store = await server.store()
    using reader = await client(server, await begin(server))
    await reader.until(() => reader.entries.length > 0)
    await store.db.transaction((tx) => tx.run(sql`UPDATE journal_head SET epoch = ${"restored"}`))
    await reader.until(() => reader.replies.some((it) => it.kind === "resync"))
    expect(reader.cuts).toEqual([{ cursor: expect.any(Object), reason: "other-history" }])
    await say(store, 1, "after the restore")
    await reader.until(() => reader.entries.length >= 2)
    expect(reader.entries.at(-1)).toMatchObject({ epoch: "restored" })
  })
})

describe("load", () => {
  // Fewer by day, so that the test takes about a second.
  const SUBSCRIPTIONS = isNight() ? 10_000 : 2_000

  test("[N2] thousands of subscriptions of one client do not disturb another", async () => {
    await using server = await newServer()
    const store = await server.store()
    using noisy = await client(server, null)
    using quiet = await client(server, null)
    await noisy.until(() => noisy.replies.length > 0)
    await quiet.until(() => quiet.replies.length > 0)
    const after = await store.journal.head()
    let answered = 0
    for (let n = 0; n < SUBSCRIPTIONS; n++) {
      noisy.socket.emit("subscribe", { after }, () => {
        answered++
      })
    }
    await say(store, 10)
    await quiet.until(() => quiet.entries.length >= 10)
    await noisy.until(() => noisy.entries.length >= 10)
    await noisy.socket.emitWithAck("subscribe", { after: null })
    expect([answered, server.serving().live.clients()]).toEqual([SUBSCRIPTIONS, 2])
    expect(quiet.entries).toEqual(await stored(store, after))
    const before = noisy.entries.length
    await say(store, 1)
    await noisy.until(() => noisy.entries.length > before)
    expect(noisy.entries).toHaveLength(before + 1)
  })

  test("[N2] a client beyond the limit is refused with a reason; the others stay", async () => {
    await using server = await newServer()
    const { url } = server.serving()
    const extraHeaders = { authorization: `Bearer ${await server.token()}` }
    const options = { path: "/live", transports: ["websocket"], forceNew: true, extraHeaders }
    const all = Array.from({ length: MOST_LIVE_CLIENTS }, () => io(url, options))
    await Promise.all(all.map((it) => new Promise<void>((done) => it.on("connect", done))))
    const late = io(url, { ...options, reconnection: false })
    const why = await new Promise((resolve) => late.on("cut", resolve))
    expect(why).toEqual({ reason: `more than ${MOST_LIVE_CLIENTS} clients` })
    expect(all.filter((it) => !it.connected)).toEqual([])
    for (const it of [...all, late]) it.disconnect()
  })

  test("[HTTP-8] a message above the size limit ends that connection only", async () => {
    await using server = await newServer()
    using rude = await client(server, null)
    using quiet = await client(server, null)
    await rude.until(() => rude.replies.length > 0)
    await quiet.until(() => quiet.replies.length > 0)
    rude.socket.emit("subscribe", { after: null, more: "x".repeat(100_000) })
    await rude.until(() => rude.replies.length > 1)
    expect([quiet.socket.connected, quiet.replies.length]).toEqual([true, 1])
  })
})
