import { copyFile, readdir, stat, writeFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { needs } from "#test/needs"
import { ask, type PostgresCluster, startPostgres } from "#test/postgres"
import { tempDirectory } from "#test/temp"
import { MIGRATIONS } from "../migrations/index.ts"
import { sql } from "../sql.ts"
import { openStore, type Store } from "../store.ts"
import { restorePostgresBackup } from "./restore.ts"

const deps = { clock: systemClock, random: systemRandom, log: silentLog }
const open = (url: string) => openStore({ ...deps, location: { kind: "postgres", url } })
const restore = (url: string, file: string) =>
  restorePostgresBackup({ ...deps, url, file, migrations: MIGRATIONS })

const emit = (store: Store, count: number) =>
  store.forRoom("store").transaction(async (tx) => {
    for (let n = 0; n < count; n++) tx.emit("store.backed-up", { file: "x", sizeBytes: n })
  })

describe.runIf(needs("STORE-24", "postgres"))("backup of a Postgres store", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  test("[STORE-24] a backup is restored into another database with every row and a new epoch", async () => {
    await using folder = await tempDirectory()
    const [from, to] = [await cluster.createDatabase(), await cluster.createDatabase()]
    await using store = await open(from)
    await emit(store, 1_200)
    await ask(
      from,
      `INSERT INTO qm.session_words VALUES (7, to_tsvector('simple', 'a round ''quoted'' word'))`,
    )
    // Its triggers refuse every change but an insert.
    await ask(
      from,
      `INSERT INTO qm.audit_log VALUES
        (1, 1, NULL, 'ada', 'owner', 'http', 'people.invite', '{}', 'done', NULL, 'hash')`,
    )
    const before = await store.journal.head()
    const made = await store.backup(folder.path)
    expect((await stat(made.file)).mode & 0o777).toBe(0o600)
    const tables = await tablesOf(from)

    const restored = await restore(to, made.file)
    expect(restored).toMatchObject({ events: before.seq, replaced: undefined })
    expect(restored.epoch).not.toBe(before.epoch)
    await using again = await open(to)
    expect(await again.check()).toEqual({ checkedEvents: 1_202, findings: [] })
    // An older cursor belongs to another history.
    expect((await again.journal.read({ after: before, limit: 1 })).kind).toBe("foreign-cursor")
    for (const table of tables.filter((it) => !it.startsWith("journal"))) {
      const rows = (url: string) =>
        ask(url, `SELECT t::text AS row FROM qm.${table} t ORDER BY t::text`)
      expect([table, await rows(to)]).toEqual([table, await rows(from)])
    }
  })

  test("[STORE-24] a backup is one snapshot while others write", async () => {
    await using folder = await tempDirectory()
    const [from, to] = [await cluster.createDatabase(), await cluster.createDatabase()]
    await using store = await open(from)
    await emit(store, 2_000)
    const over = new AbortController()
    const writing = (async () => {
      while (!over.signal.aborted) await emit(store, 20)
    })()
    const made = await store.backup(folder.path)
    over.abort()
    await writing
    const { events } = await restore(to, made.file)
    expect(events).toBeGreaterThanOrEqual(2_001)
    await using again = await open(to)
    expect((await again.check()).findings).toEqual([])
  })

  test("[STORE-24] a restore keeps the replaced schema, and refuses while a server is connected", async () => {
    await using folder = await tempDirectory()
    const url = await cluster.createDatabase()
    const store = await open(url)
    await store.db.run(sql`INSERT INTO memory_locks (root, owner, held_until) VALUES ('r', 'o', 1)`)
    const { file } = await store.backup(folder.path)
    await expect(restore(url, file)).rejects.toMatchObject({ code: "STORE_IN_USE" })
    await emit(store, 5)
    await store.close()
    const { replaced } = await restore(url, file)
    expect(replaced).toMatch(/^qm_replaced_\d{8}t\d{9}z$/)
    expect(await ask(url, `SELECT seq::int FROM ${replaced}.journal_head`)).toEqual([{ seq: 7 }])
    expect(await ask(url, "SELECT owner FROM qm.memory_locks")).toEqual([{ owner: "o" }])
    await using again = await open(url)
    expect((await again.journal.head()).seq).toBe(2)
  })

  test("[STORE-24] an unusable backup changes nothing", async () => {
    await using folder = await tempDirectory()
    const url = await cluster.createDatabase()
    const store = await open(url)
    const { file } = await store.backup(folder.path)
    await store.close()
    const broken = `${folder.path}/broken.db`
    await writeFile(broken, "this is no database")
    await expect(restore(url, broken)).rejects.toMatchObject({ code: "STORE_BACKUP_UNUSABLE" })
    const short = `${folder.path}/short.db`
    await copyFile(file, short)
    const { DatabaseSync } = await import("node:sqlite")
    using database = new DatabaseSync(short)
    database.exec("DROP TABLE runs")
    await expect(restore(url, short)).rejects.toMatchObject({
      code: "STORE_BACKUP_UNUSABLE",
      data: { problem: "the table runs is missing" },
    })
    await using again = await open(url)
    expect((await again.check()).findings).toEqual([])
    expect(await ask(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'qm%'")).toEqual([
      { nspname: "qm" },
    ])
  })

  test("[STORE-24] only the newest backups are kept", async () => {
    await using folder = await tempDirectory()
    await using store = await open(await cluster.createDatabase())
    for (let n = 0; n < 4; n++) await store.backup(folder.path, { keep: 2 })
    expect(await readdir(folder.path)).toHaveLength(2)
  })
})

async function tablesOf(url: string): Promise<readonly string[]> {
  const rows = await ask(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'qm'")
  return rows.map((it) => String((it as { tablename: string }).tablename))
}
