import { chmod, copyFile, readFile, stat, writeFile } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { createLog, type Log, silentLog, systemClock, systemRandom } from "#ground/base"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { openStore } from "../store.ts"
import { requireRecentSqlite } from "./connection.ts"
import { judgeSqlite } from "./failures.ts"
import { namesIn } from "./files.ts"

const open = (file: string, options: { busyTimeoutMs?: number; log?: Log } = {}) =>
  openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
  })

const say = (store: Awaited<ReturnType<typeof open>>, size = 0) =>
  store
    .forRoom("store")
    .transaction(async (tx) => tx.emit("store.backed-up", { file: "", sizeBytes: size }))

test("[S9][STORE-17] folder and files are private under any umask", async () => {
  await using directory = await tempDirectory()
  for (const umask of [0o000, 0o077]) {
    const folder = `${directory.path}/${umask}`
    const before = process.umask(umask)
    try {
      await using store = await open(`${folder}/store.db`)
      await say(store)
      await store.backup(`${folder}/backups`)
      for (const name of ["", "/backups", "/store.open"]) {
        expect((await stat(`${folder}${name}`)).mode & 0o777, name).toBe(0o700)
      }
      const backups = (await namesIn(`${folder}/backups`)).map((it) => `backups/${it}`)
      for (const name of ["store.db", "store.db-wal", "store.db-shm", ...backups]) {
        expect((await stat(`${folder}/${name}`)).mode & 0o777, name).toBe(0o600)
      }
    } finally {
      process.umask(before)
    }
  }
})

test("[S9][STORE-17] permissions of other users are removed from an existing store", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await open(file)).close()
  await chmod(file, 0o644)
  await using _ = await open(file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test("[D3] every commit is synced and cell_size_check is on", async () => {
  await using directory = await tempDirectory()
  const { openConnection } = await import("./connection.ts")
  const connection = openConnection(`${directory.path}/pragmas.db`, "write")
  connection.configure()
  const settings = ["journal_mode", "synchronous", "foreign_keys", "cell_size_check"]
  const read = [...settings, "trusted_schema", "wal_autocheckpoint"].map((name) =>
    Object.values(connection.database.prepare(`PRAGMA ${name}`).get() ?? {}),
  )
  expect(read.flat()).toEqual(["wal", 2, 1, 1, 0, 0])
  connection.close()
})

test("[STORE-4] a SQLite version with the multi-process race is refused", () => {
  expect(() => requireRecentSqlite("3.51.2")).toThrow(
    expect.objectContaining({ code: "STORE_SQLITE_TOO_OLD" }),
  )
  for (const version of ["3.51.3", "3.52.0", "4.0.0"]) requireRecentSqlite(version)
})

test("[STORE-20] waiting for another process leaves the event loop free, then times out", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await using store = await open(file, { busyTimeoutMs: 400 })
  using other = new DatabaseSync(file)
  other.exec("BEGIN IMMEDIATE")
  let turns = 0
  const ticking = setInterval(() => turns++, 5)
  await expect(say(store)).rejects.toMatchObject({ code: "STORE_BUSY" })
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(3)
  other.exec("ROLLBACK")
  await say(store)
  expect((await store.journal.head()).seq).toBe(2)
})

test("[STORE-20] reads do not wait for a writer", async () => {
  await using directory = await tempDirectory()
  await using store = await open(`${directory.path}/store.db`)
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const writing = store.forRoom("store").transaction(async (tx) => {
    tx.emit("store.backed-up", { file: "", sizeBytes: 0 })
    await held
  })
  expect((await store.journal.head()).seq).toBe(1)
  letGo()
  await writing
  expect((await store.journal.head()).seq).toBe(2)
})

test("[D8][STORE-13] after a clean close the next open skips the check", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await open(file)).close()
  expect(await namesIn(directory.path)).toEqual(["store.clean.json", "store.db", "store.open"])
  expect(await namesIn(`${directory.path}/store.open`)).toEqual([])
  const seal: unknown = JSON.parse(await readFile(`${directory.path}/store.clean.json`, "utf8"))
  expect(seal).toMatchObject({ sizeBytes: (await stat(file)).size, inode: (await stat(file)).ino })
})

test("[D8][STORE-13] a close without a change does not write the seal again", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const sealFile = `${directory.path}/store.clean.json`
  await (await open(file)).close()
  const { ino } = await stat(sealFile)
  await (await open(file)).close()
  expect((await stat(sealFile)).ino).toBe(ino)
  const store = await open(file)
  await say(store)
  await store.close()
  expect((await stat(sealFile)).ino).not.toBe(ino)
})

test("[D8][STORE-13] the mark of a dead process is removed; that of a live one stays", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await open(file)).close()
  await writeFile(`${directory.path}/store.open/4194303-1.dead-00000000`, "")
  await using store = await open(file)
  expect(await namesIn(`${directory.path}/store.open`)).toHaveLength(1)
  await (await open(file)).close()
  expect(await namesIn(`${directory.path}/store.open`)).toHaveLength(1)
  expect((await store.journal.head()).seq).toBe(1)
})

test("[D8][STORE-13] a damaged file is renamed and reported, and the next open starts an empty store", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const store = await open(file)
  await say(store)
  const { file: backup } = await store.backup(`${directory.path}/backups`)
  await store.close()
  const damaged = Buffer.alloc(8_192, "x")
  await writeFile(file, damaged)

  const error = await open(file).catch((it: unknown) => it)
  expect(error).toMatchObject({ code: "STORE_CORRUPT", data: { backup } })
  expect(error).toMatchObject({ hint: expect.stringContaining("qm store restore") })
  const [kept] = (await namesIn(directory.path)).filter((it) => it.includes(".corrupt-"))
  expect(await readFile(`${directory.path}/${kept}`)).toEqual(damaged)

  const lines: string[] = []
  const log = createLog({ clock: testClock(), level: "warn", write: (it) => lines.push(it) })
  await using fresh = await open(file, { log })
  expect(lines.join("\n")).toContain("starting an empty store; a damaged one was renamed")
  expect(await fresh.status()).toMatchObject({
    events: 1,
    lastBackup: { file: backup },
    corruptFiles: [`${directory.path}/${kept}`],
  })
})

test("[D8][STORE-13] damage in pages that nothing has read yet is found on open", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await open(file)).close()
  const raw = new DatabaseSync(file)
  raw.exec("CREATE TABLE unread (body TEXT); PRAGMA journal_mode = DELETE")
  const insert = raw.prepare("INSERT INTO unread VALUES (?)")
  for (let row = 0; row < 50; row++) insert.run("x".repeat(1_000))
  raw.close()
  const bytes = await readFile(file)
  // The last page belongs to that table; its first bytes are the page type.
  await writeFile(file, bytes.fill(0xee, bytes.length - 4_096, bytes.length - 4_000))
  await expect(open(file)).rejects.toMatchObject({ code: "STORE_CORRUPT" })
})

test("[D8][STORE-13] the complete write-ahead log of another store is not accepted", async () => {
  await using directory = await tempDirectory()
  const [file, other] = [`${directory.path}/a/store.db`, `${directory.path}/b/store.db`]
  await (await open(file)).close()
  // Never closed, so that only the log contains the pages of the other store.
  await using stranger = await open(other)
  await say(stranger)
  await copyFile(`${other}-wal`, `${file}-wal`)
  await expect(open(file)).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    data: { what: "its write-ahead log belongs to another store" },
  })
})

test("[STORE-3] the write-ahead log stays bounded over many commits", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await using store = await open(file)
  const db = store.forRoom("store")
  for (let round = 0; round < 200; round++) {
    const file = "x".repeat(50_000)
    await db.transaction(async (tx) => tx.emit("store.backed-up", { file, sizeBytes: round }))
  }
  expect((await stat(`${file}-wal`)).size).toBeLessThan(9_000_000)
  expect((await stat(file)).size).toBeGreaterThan(3_000_000)
})

test("[STORE-11][STORE-12] each SQLite error maps to one store error", () => {
  const meaning = (errcode: number, isWrite = true, message = "said") => {
    const error = Object.assign(new Error(message), { errcode })
    const failure = judgeSqlite(error, { file: "f", isWrite })
    return failure.kind === "typed" || failure.kind === "stop" ? failure.error.code : failure.kind
  }
  const table = [
    5, 261, 15, 13, 18, 4874, 1034, 1290, 778, 1546, 266, 522, 11, 26, 8, 1032, 14, 19, 1,
  ]
  expect(Object.fromEntries(table.map((it) => [it, meaning(it)]))).toEqual({
    1: "bug",
    5: "busy",
    8: "STORE_NOT_WRITABLE",
    11: "STORE_CORRUPT",
    13: "STORAGE_FULL",
    14: "STORE_NOT_WRITABLE",
    15: "busy",
    18: "STORE_CORRUPT",
    19: "STORE_CONSTRAINT_BROKEN",
    26: "STORE_CORRUPT",
    261: "busy",
    266: "STORE_CORRUPT",
    522: "STORE_CORRUPT",
    778: "STORE_STOPPED",
    1032: "STORE_STOPPED",
    1034: "STORE_STOPPED",
    1290: "STORE_STOPPED",
    1546: "STORE_STOPPED",
    4874: "STORAGE_FULL",
  })
  expect(meaning(1034, false)).toBe("STORE_CORRUPT")
  const cutTable = "invalid fts5 file format (found 0, expected 4 or 5) - run 'rebuild'"
  expect(meaning(1, false, cutTable)).toBe("STORE_CORRUPT")
  expect(meaning(1, false, 'fts5: syntax error near ""')).toBe("bug")
})
