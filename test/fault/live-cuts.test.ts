import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { seed } from "#test/seed"
import { follow, newServer, say, stored } from "#test/server"

const CUTS = 300
const RESTARTS = 10

test("[N1] 300 cuts at random bytes and 10 restarts: received is stored, once and in order", async () => {
  await using server = await newServer()
  const chance = createChance(seed())
  using proxy = await cuttingProxy(server.port, () => budgetOf(chance))
  await using writer = await openWriter(server.app().places.database)
  const from = { ...(await writer.journal.head()), seq: 0 }
  using reader = follow(proxy.url, {
    token: await server.token(),
    after: from,
    reconnectMs: 1,
    host: server.host,
  })

  let restarts = 0
  for (let round = 0; proxy.cuts() < CUTS || restarts < RESTARTS; round++) {
    await say(writer, 1 + chance(40), `round ${round}`)
    const isDue = restarts < RESTARTS && proxy.cuts() >= (restarts + 1) * (CUTS / (RESTARTS + 1))
    if (isDue) {
      await server.restart()
      restarts++
    }
    // Give the client the time to come back: a cut that hits nobody is none.
    await systemClock.sleep(2)
  }
  proxy.calm()
  await say(writer, 1, "the last")
  const all = await stored(writer)
  await reader.until(() => reader.entries.length >= all.length)
  expect(`SEED=${seed()} ${findFault(reader.entries, all)}`).toBe(`SEED=${seed()} none`)
  expect(reader.entries).toEqual(all)
  // Most lines lived long enough to matter, and none was sent back to the start.
  expect(reader.replies.length).toBeGreaterThan(CUTS / 4)
  expect(reader.replies.every((it) => it.kind === "subscribed")).toBe(true)
}, 60_000)

test("[N1] a line that died without a word loses nothing once the client calls again", async () => {
  await using server = await newServer()
  using proxy = await cuttingProxy(server.port, () => Number.POSITIVE_INFINITY)
  const store = await server.store()
  const from = { ...(await store.journal.head()), seq: 0 }
  using reader = follow(proxy.url, { token: await server.token(), after: from, host: server.host })
  await say(store, 5)
  await reader.until(() => reader.entries.length >= 6)

  proxy.freeze()
  await say(store, 700)
  reader.socket.disconnect().connect()
  await reader.until(() => reader.entries.length >= 706)
  expect(reader.entries).toEqual(await stored(store))
  // The server still holds the dead line; its end must not wait for it (the test's time is the guard).
})

/** Another hand on the same file: the server learns of its commits only by looking. */
function openWriter(file: string) {
  return openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
}

type Numbered = { readonly seq: number; readonly id: string }

/** The first difference in a few words: two lists of thousands are nothing to look at. */
function findFault(received: readonly Numbered[], all: readonly Numbered[]): string {
  const at = all.findIndex((it, place) => received[place]?.id !== it.id)
  if (at === -1) return received.length === all.length ? "none" : "more came than there is"
  return `place ${at}: expected ${all[at]?.seq}, received ${received[at]?.seq}`
}

/** Whole numbers below a bound, the same ones for the same seed (mulberry32). */
function createChance(from: number): (below: number) => number {
  let state = from >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Most lines end in the handshake or soon after, a third in the middle of a page. */
function budgetOf(chance: (below: number) => number): number {
  return 1 + chance(chance(3) === 0 ? 150_000 : 2_000)
}

/** Passes bytes on until so many have gone either way, then cuts both sides at that byte. */
async function cuttingProxy(port: number, budget: () => number) {
  let cuts = 0
  let isCalm = false
  let pairs: { client: Socket; target: Socket; isFrozen: boolean }[] = []
  const proxy = createServer((client) => {
    const target = connect(port, "127.0.0.1")
    const pair = { client, target, isFrozen: false }
    pairs.push(pair)
    let left = isCalm ? Number.POSITIVE_INFINITY : budget()
    const end = () => {
      client.destroy()
      target.destroy()
    }
    const pass = (to: Socket) => (chunk: Buffer) => {
      if (pair.isFrozen || left <= 0) return
      to.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      cuts++
      // Ended, not reset, so that the bytes before the cut arrive; then nothing more.
      client.end(end)
    }
    client.on("data", pass(target))
    target.on("data", pass(client))
    for (const socket of [client, target]) {
      socket.on("error", end)
      socket.on("close", () => !pair.isFrozen && end())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cuts: () => cuts,
    /** No more cuts; who is on a line with a budget is sent to a new one. */
    calm(): void {
      isCalm = true
      for (const { client, target } of pairs) for (const it of [client, target]) it.destroy()
      pairs = []
    },
    /** The lines that are open go dead: nothing passes, and nobody is told. */
    freeze(): void {
      for (const pair of pairs) pair.isFrozen = true
    },
    [Symbol.dispose]() {
      for (const { client, target } of pairs) for (const it of [client, target]) it.destroy()
      proxy.close()
    },
  }
}
