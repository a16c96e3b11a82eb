import { expect, test } from "vitest"
import { silentLog, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { openStore, type Store } from "./store.ts"

const open = (): Promise<Store> =>
  openStore({
    location: { kind: "memory" },
    clock: testClock(),
    random: systemRandom,
    log: silentLog,
  })

test("[STORE-10] a room can only emit events of its own, and with their own bodies", async () => {
  await using store = await open()
  const db = store.forRoom("store")
  await db.transaction(async (tx) => tx.emit("store.created", { dialect: "sqlite" }))

  const wrong = [
    // @ts-expect-error an event that is in no list
    db.transaction(async (tx) => tx.emit("store.exploded", {})),
    // @ts-expect-error an event of another room
    db.transaction(async (tx) => tx.emit("pack.created", {})),
    // @ts-expect-error a body that is not this event's
    db.transaction(async (tx) => tx.emit("store.created", { file: "x" })),
    // @ts-expect-error a database without a room has nothing to say
    store.db.transaction(async (tx) => tx.emit("store.created", { dialect: "sqlite" })),
  ]
  for (const attempt of wrong) await expect(attempt).rejects.toThrow(/invariant broken|dialect/)
  // @ts-expect-error a room without events has no voice
  expect(store.forRoom("unheard-of")).toBeDefined()
  expect((await store.journal.head()).seq).toBe(2)
})
