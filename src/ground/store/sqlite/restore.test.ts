import { copyFile, readFile, writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { openStore, type Store } from "../store.ts"
import { namesIn } from "./files.ts"
import { restoreBackup } from "./restore.ts"

const deps = { clock: systemClock, random: systemRandom, log: silentLog }
const open = (file: string) => openStore({ ...deps, location: { kind: "sqlite", file } })
const say = (store: Store, file: string) =>
  store
    .forRoom("store")
    .transaction(async (tx) => tx.emit("store.backed-up", { file, sizeBytes: 0 }))

test("[D9][STORE-19] a restored store has the events of the backup and a new epoch", async () => {
  await using directory = await tempDirectory()
  const into = `${directory.path}/store.db`
  const store = await open(into)
  await say(store, "before")
  const before = await store.journal.head()
  const { file } = await store.backup(`${directory.path}/backups`)
  await say(store, "after")
  await store.close()

  const restored = await restoreBackup({ ...deps, file, into })
  expect(restored).toMatchObject({ file, events: 2 })
  await using again = await open(into)
  const page = await again.journal.read({ after: undefined, limit: 10 })
  expect(page).toMatchObject({
    entries: [
      { name: "store.created" },
      { body: { file: "before" } },
      { name: "store.restored", body: { file, events: 2 } },
    ],
  })
  expect(await again.journal.read({ after: before, limit: 1 })).toMatchObject({
    kind: "foreign-cursor",
  })
  expect(await again.check()).toEqual({ checkedEvents: 3, findings: [] })
  const old = new DatabaseSync(restored.replaced ?? "")
  expect(old.prepare("SELECT count(*) AS n FROM journal").get()).toEqual({ n: 4 })
  old.close()
})

test("[STORE-19] a store that is open elsewhere is not replaced", async () => {
  await using directory = await tempDirectory()
  const into = `${directory.path}/store.db`
  await using store = await open(into)
  const { file } = await store.backup(`${directory.path}/backups`)
  await expect(restoreBackup({ ...deps, file, into })).rejects.toMatchObject({
    code: "STORE_IN_USE",
    data: { processes: String(process.pid) },
  })
})

test("[STORE-19] a store that a process holds without a mark is not replaced", async () => {
  await using directory = await tempDirectory()
  const into = `${directory.path}/store.db`
  const store = await open(into)
  const { file } = await store.backup(`${directory.path}/backups`)
  await store.close()
  using other = new DatabaseSync(into)
  other.exec("PRAGMA journal_mode = WAL; SELECT count(*) FROM journal")
  await expect(restoreBackup({ ...deps, file, into })).rejects.toMatchObject({
    code: "STORE_IN_USE",
  })
})

test("[STORE-19] a damaged, missing or foreign backup leaves the store unchanged", async () => {
  await using directory = await tempDirectory()
  const into = `${directory.path}/store.db`
  const store = await open(into)
  const { file: good } = await store.backup(`${directory.path}/backups`)
  await store.close()
  const before = await readFile(into)

  const damaged = `${directory.path}/damaged.db`
  const bytes = await readFile(good)
  await writeFile(damaged, bytes.fill(0xff, 4_000, 9_000))
  const foreign = `${directory.path}/foreign.db`
  const stranger = new DatabaseSync(foreign)
  stranger.exec("CREATE TABLE other (a)")
  stranger.close()
  for (const file of [damaged, foreign, `${directory.path}/missing.db`, directory.path]) {
    await expect(restoreBackup({ ...deps, file, into }), file).rejects.toMatchObject({
      code: "STORE_BACKUP_UNUSABLE",
    })
  }
  expect(await readFile(into)).toEqual(before)
})

test("[STORE-19] a damaged store is replaced and stays beside the new one", async () => {
  await using directory = await tempDirectory()
  const into = `${directory.path}/store.db`
  const store = await open(into)
  const { file } = await store.backup(`${directory.path}/backups`)
  await store.close()
  await writeFile(into, "x".repeat(9_000))
  const { replaced } = await restoreBackup({ ...deps, file, into })
  expect(await readFile(replaced ?? "", "utf8")).toBe("x".repeat(9_000))
  await using again = await open(into)
  expect((await again.status()).events).toBe(2)
})

test("[STORE-19] the oldest backups are removed, never the one just made", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const clock = testClock()
  await using store = await openStore({ ...deps, clock, location: { kind: "sqlite", file } })
  const backups = `${directory.path}/backups`
  const made: string[] = []
  for (const hours of [0, 1, 1, 2, -48]) {
    clock.setWall(clock.now() + hours * 3_600_000)
    made.push((await store.backup(backups, { keep: 3 })).file)
  }
  expect(new Set(made).size).toBe(5)
  const names = (await namesIn(backups)).map((it) => `${backups}/${it}`)
  expect(new Set(names)).toEqual(new Set([made[2], made[3], made[4]]))
  const copy = `${directory.path}/elsewhere.db`
  await copyFile(made[4] ?? "", copy)
  using opened = new DatabaseSync(copy)
  expect(opened.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
})
