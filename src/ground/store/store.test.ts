import path from "node:path"
import { expect, test } from "vitest"
import { type ErrorFactory, silentLog, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import * as errors from "./errors.ts"
import { openStore, type Store } from "./store.ts"

const open = (): Promise<Store> =>
  openStore({
    location: { kind: "memory" },
    clock: testClock(),
    random: systemRandom,
    log: silentLog,
  })

test("[STORE-10] a room can emit only its own events with their own data", async () => {
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

test("[STORE-23] a store in memory starts as a copy of a file, and its writes are dropped", async () => {
  await using folder = await tempDirectory()
  const file = path.join(folder.path, "store.db")
  const services = { clock: testClock(), random: systemRandom, log: silentLog }
  const note = async (store: Store) =>
    store
      .forRoom("store")
      .transaction(async (tx) => tx.emit("store.backed-up", { file: "a", sizeBytes: 1 }))
  const count = async (store: Store) => (await store.journal.head()).seq
  const location = { kind: "sqlite", file } as const
  await using original = await openStore({ ...services, location })
  await note(original)
  const before = await count(original)
  await using copy = await openStore({ ...services, location: { kind: "memory" }, copyOf: file })
  expect(await count(copy)).toBe(before)
  await note(copy)
  expect([await count(copy), await count(original)]).toEqual([before + 1, before])
})

test("each store error has a hint of at most 160 characters", () => {
  const factories = Object.values(errors) as unknown as ErrorFactory<string, object>[]
  const shown = new Proxy({}, { get: (_, name) => `‹${String(name)}›` })
  for (const { code, text } of factories) {
    expect(code).toMatch(/^STORE_[A-Z_]+$/)
    expect(text.message(shown), code).toMatch(/\.$/)
    expect(text.hint(shown).length, code).toBeLessThanOrEqual(160)
    expect(text.hint({}).length, code).toBeLessThanOrEqual(160)
  }
  expect(new Set(factories.map((it) => it.code)).size).toBe(factories.length)
})
