import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { operationCaller } from "#test/operations"
import { tempDirectory } from "#test/temp"
import { eventsHandlers, storeHandlers } from "./handlers.ts"
import type { StoreLocation } from "./location.ts"
import { MIGRATIONS } from "./migrations/index.ts"
import { openStore } from "./store.ts"

const fixture = { clock: systemClock, random: systemRandom, log: silentLog }

function surface(location: StoreLocation) {
  return async (name: string, input: unknown = {}): Promise<unknown> => {
    const opened: AsyncDisposable[] = []
    const store = async () => {
      const made = await openStore({ ...fixture, location })
      opened.push(made)
      return made
    }
    const places = () => ({ backups: "/nowhere" })
    const deps = { ...fixture, store, location: () => location, places }
    const call = operationCaller({ store: storeHandlers(deps), events: eventsHandlers(deps) })
    try {
      return await call(name, input)
    } finally {
      for (const it of opened) await it[Symbol.asyncDispose]()
    }
  }
}

test("[STORE-19] status, backup, check, restore and events work together", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const call = surface({ kind: "sqlite", file })

  expect(await call("store.status")).toMatchObject({
    dialect: "sqlite",
    location: file,
    schemaVersion: MIGRATIONS.length,
    events: 1,
    lastBackup: null,
    corruptFiles: [],
    stopped: null,
    integrity: "ok",
  })
  await expect(call("store.restore")).rejects.toMatchObject({ code: "STORE_BACKUP_MISSING" })
  const made = await call("store.backup")
  expect(await call("store.status")).toMatchObject({
    lastBackup: made,
    events: 2,
  })
  expect(await call("store.check")).toEqual({ isSound: true, checkedEvents: 2, findings: [] })
  expect(await call("store.restore")).toMatchObject({ events: 1 })
  expect(await call("events.list", { name: "store.r" })).toMatchObject({
    entries: [{ seq: 2, name: "store.restored" }],
    next: 2,
    head: { seq: 2 },
  })
  expect(await call("events.list", { limit: 1 })).toMatchObject({ entries: [{ seq: 2 }] })
  expect(await call("events.list")).toMatchObject({ entries: [{ seq: 1 }, { seq: 2 }] })
  expect(await call("events.list", { after: 1, limit: 1 })).toMatchObject({
    entries: [{ seq: 2 }],
    next: 2,
  })
  expect(await call("events.list", { after: 99 })).toMatchObject({ entries: [], head: { seq: 2 } })
})

test("[STORE-19] a store in memory has no backups", async () => {
  const call = surface({ kind: "memory" })
  for (const name of ["store.backup", "store.restore"]) {
    await expect(call(name)).rejects.toMatchObject({ code: "STORE_BACKUP_NOT_HERE" })
  }
})

test("[STORE-15] a backup of an unreachable server names it without its password", async () => {
  await using directory = await tempDirectory()
  const call = surface({ kind: "postgres", url: "postgres://a:hidden@localhost:1/x" })
  const error = await call("store.backup", { to: directory.path }).catch((it: unknown) => it)
  expect(error).toMatchObject({ code: "STORE_UNREACHABLE", data: { server: "localhost:1" } })
  expect(String(error)).not.toContain("hidden")
})
