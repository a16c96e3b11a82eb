import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { seed } from "#test/seed"
import { follow, newServer, say, stored } from "#test/server"
import { budgetOf, createChance, cuttingProxy, findFault } from "./cutting-proxy.ts"

const CUTS = 300
const RESTARTS = 10
/** In parallel, because a cut connection spends most of its time waiting for detection. */
const READERS = 4

test("[N1] over 300 cuts at random bytes and 10 restarts, events are received as stored, once and in order", async () => {
  await using server = await newServer()
  const chance = createChance(seed())
  using proxy = await cuttingProxy(server.port, () => budgetOf(chance, 150_000))
  await using writer = await openWriter(server.app().places.database)
  const from = { ...(await writer.journal.head()), seq: 0 }
  const token = await server.token()
  using ending = new DisposableStack()
  const readers = Array.from({ length: READERS }, () =>
    ending.use(follow(proxy.url, { token, after: from, reconnectMs: 1, host: server.host })),
  )

  let restarts = 0
  for (let round = 0; proxy.cuts() < CUTS || restarts < RESTARTS; round++) {
    await say(writer, 1 + chance(40), `round ${round}`)
    const isDue = restarts < RESTARTS && proxy.cuts() >= (restarts + 1) * (CUTS / (RESTARTS + 1))
    if (isDue) {
      await server.restart()
      restarts++
    }
    // Gives the client time to reconnect, because a cut without a connection proves nothing.
    await systemClock.sleep(2)
  }
  proxy.calm()
  await say(writer, 1, "the last")
  const all = await stored(writer)
  for (const reader of readers) {
    await reader.until(() => reader.entries.length >= all.length)
    expect(`SEED=${seed()} ${findFault(reader.entries, all)}`).toBe(`SEED=${seed()} none`)
    expect(reader.entries).toEqual(all)
  }
  // Most connections lived long enough to be useful, and none had to start again.
  const replies = readers.flatMap((it) => it.replies)
  expect(replies.length).toBeGreaterThan(CUTS / 4)
  expect(replies.every((it) => it.kind === "subscribed")).toBe(true)
})

test("[N1] a connection that died silently loses nothing once the client reconnects", async () => {
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
  // The server still has the dead connection; closing must not wait for it (the test timeout guards
  // this).
})

/** A second writer of the same file: the server learns of its commits only by polling. */
function openWriter(file: string) {
  return openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
}
