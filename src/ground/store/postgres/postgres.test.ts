import { createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { createLog, type Log, silentLog, systemClock, systemRandom } from "#ground/base"
import { needs } from "#test/needs"
import { networkCut } from "#test/network-cut"
import { ask, type PostgresCluster, startPostgres } from "#test/postgres"
import { databaseNow } from "../database-clock.ts"
import { parseDatabaseUrl, parsePostgresUrl } from "../location.ts"
import { MIGRATIONS } from "../migrations/index.ts"
import { sql } from "../sql.ts"
import { openStore, type Store } from "../store.ts"
import { judgePostgres } from "./failures.ts"

const open = (url: string, options: { busyTimeoutMs?: number; log?: Log } = {}) =>
  openStore({
    location: { kind: "postgres", url },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
  })

const say = (store: Store) =>
  store
    .forRoom("store")
    .transaction(async (tx) => tx.emit("store.backed-up", { file: "", sizeBytes: 0 }))

const failure = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => Promise.reject(new Error("it succeeded")),
    (error: Error) => error,
  )

describe("database URL", () => {
  test("[STORE-15] a malformed URL is refused without repeating its password", () => {
    const malformed = [
      "",
      "nonsense",
      "mysql://u:hunter2@h/d",
      "postgres://u:hunter2@/d",
      "postgres://u:hunter2@h:99999/d",
      "postgres://u:hunter2@h:0/d",
      "postgres://u:hunter2@h",
      "postgres://u:hunter2%zz@h/d",
      "postgres://u:hunter2@h/%ff",
      "postgres://u:hunter2@[::1/d",
    ]
    for (const url of malformed) {
      const refused = () => parseDatabaseUrl(url)
      expect(refused, url).toThrow(expect.objectContaining({ code: "STORE_URL_INVALID" }))
      try {
        refused()
      } catch (error) {
        expect(
          JSON.stringify([String(error), error, Object.values(error as object)]),
        ).not.toContain("hunter2")
      }
    }
  })

  test("[STORE-15] the displayed URL never contains the password", () => {
    const url = "postgresql://ann%40work:s3cret@db.example:6543/team%20store?sslmode=require"
    expect(parsePostgresUrl(url)).toEqual({
      server: "db.example:6543",
      database: "team store",
      user: "ann@work",
      masked: "postgres://ann@work:***@db.example:6543/team store",
    })
    expect(parsePostgresUrl("postgres://h/d?host=/run/pg").masked).toBe("postgres:///run/pg:5432/d")
  })
})

test("[STORE-11] each Postgres error maps to one store error", () => {
  const address = parsePostgresUrl("postgres://u:p@h/d")
  const meaning = (code: string, severity = "ERROR") => {
    const error = Object.assign(new Error("said"), { code, severity })
    const judged = judgePostgres(error, { address, during: "writing", waitedMs: 1 })
    return "error" in judged && judged.kind !== "bug" ? judged.kind + judged.error : judged.kind
  }
  expect(meaning("58030")).toContain("stop")
  expect(meaning("XX000", "PANIC")).toContain("stop")
  expect(meaning("53100")).toContain("No space left")
  expect(meaning("XX001")).toContain("damaged")
  expect(meaning("25006")).toContain("cannot be opened for writing")
  expect(meaning("57P01")).toContain("unreachable")
  expect(meaning("40P01")).toBe("again")
  expect(meaning("42601")).toBe("bug")
})

test("[STORE-15] for an unreachable server the error names the server, not the password", async () => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  const error = await failure(open(`postgres://u:hunter2@127.0.0.1:${port}/d`))
  expect(error).toMatchObject({ code: "STORE_UNREACHABLE", data: { server: `127.0.0.1:${port}` } })
  expect(JSON.stringify([error, error.message, String(error.cause)])).not.toContain("hunter2")
})

describe.runIf(needs("N4", "postgres"))("Postgres server", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  test("[STORE-15] wrong password, role and database have different errors", async () => {
    const { port } = cluster
    const at = (who: string, database: string) => `postgres://${who}@127.0.0.1:${port}/${database}`
    const refused = [
      at("qm:wrong-one", "postgres"),
      at(`nobody-here:${cluster.password}`, "postgres"),
      at(`qm:${cluster.password}`, "nowhere"),
    ]
    for (const url of refused) {
      const error = await failure(open(url))
      expect(error).toMatchObject({ code: "STORE_LOGIN_REFUSED" })
      const shown = JSON.stringify([error, error.message, String(error.cause)])
      expect(shown).not.toContain("wrong-one")
      expect(shown).not.toContain(cluster.password)
    }
  })

  test("[STORE-18] all tables are in the schema qm; existing tables are untouched", async () => {
    const url = await cluster.createDatabase()
    await ask(
      url,
      "CREATE TABLE public.journal (mine text); INSERT INTO public.journal VALUES ('x')",
    )
    await using store = await open(url)
    await say(store)
    expect(await ask(url, "SELECT mine FROM public.journal")).toEqual([{ mine: "x" }])
    const tables = await ask(
      url,
      "SELECT schemaname AS schema, count(*)::int AS tables FROM pg_tables WHERE schemaname NOT LIKE 'pg_%' AND schemaname <> 'information_schema' GROUP BY 1 ORDER BY 1",
    )
    expect(tables).toEqual([
      { schema: "public", tables: 1 },
      { schema: "qm", tables: expect.any(Number) },
    ])
    expect((await store.status()).sizeBytes).toBeGreaterThan(0)
  })

  test("[STORE-18] a role without permission to create gets an error that says so", async () => {
    const url = await cluster.createDatabase()
    const { database } = parsePostgresUrl(url)
    await ask(url, "CREATE ROLE guest LOGIN PASSWORD 'guest-pw'")
    const guest = `postgres://guest:guest-pw@127.0.0.1:${cluster.port}/${database}`
    const error = await failure(open(guest))
    expect(error).toMatchObject({ code: "STORE_NOT_WRITABLE" })
    expect(error.message).toContain("postgres://guest:***@")
  })

  test("[D10][STORE-14] a newer schema is refused", async () => {
    const url = await cluster.createDatabase()
    await (await open(url)).close()
    const newer = MIGRATIONS.length + 1
    await ask(url, `INSERT INTO qm.schema_migrations VALUES (${newer}, 'from the future', 0)`)
    expect(await failure(open(url))).toMatchObject({
      code: "STORE_SCHEMA_NEWER",
      data: { found: newer, known: MIGRATIONS.length },
    })
  })

  test("[STORE-4] a writer that waits too long fails with the number of seconds", async () => {
    const url = await cluster.createDatabase()
    await using store = await open(url)
    await using impatient = await open(url, { busyTimeoutMs: 150 })
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const writing = store.db.transaction(async () => {
      begin()
      await held
    })
    await begun
    expect(await failure(say(impatient))).toMatchObject({
      code: "STORE_BUSY",
      data: { waitedMs: 150 },
    })
    letGo()
    await writing
    await say(impatient)
  })

  test("[STORE-3] a transaction undone by a deadlock is retried a few times", async () => {
    const url = await cluster.createDatabase()
    await using store = await open(url)
    let tries = 0
    const raise = sql`DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '40P01'; END $$`
    const attempt = (failures: number) =>
      store.forRoom("store").transaction(async (tx) => {
        tx.emit("store.backed-up", { file: "", sizeBytes: 1 })
        if (tries++ < failures) await tx.run(raise)
      })
    await attempt(2)
    expect(tries).toBe(3)
    expect((await store.journal.head()).seq).toBe(2)
    tries = 0
    expect(await failure(attempt(99))).toMatchObject({ code: "STORE_BUSY" })
    expect(tries).toBe(5)
    expect((await store.journal.head()).seq).toBe(2)
  })

  test("[N4] a lost server is an error, and a server that comes back is used again", async () => {
    const url = await cluster.createDatabase()
    const lines: string[] = []
    const log = createLog({ clock: systemClock, level: "debug", write: (it) => lines.push(it) })
    await using store = await open(url, { log })
    await say(store)
    const inTheMiddle = failure(
      store.db.transaction(async (tx) => {
        await tx.run(sql`SELECT 1`)
        await cluster.crash().then((it) => {
          start = it
        })
        await tx.run(sql`SELECT 1`)
      }),
    )
    let start = async () => {}
    expect(await inTheMiddle).toMatchObject({ code: "STORE_UNREACHABLE" })
    expect(await failure(say(store))).toMatchObject({ code: "STORE_UNREACHABLE" })
    expect(await failure(store.journal.head())).toMatchObject({ code: "STORE_UNREACHABLE" })
    await start()
    await say(store)
    expect((await store.journal.head()).seq).toBe(3)
    expect(lines.join("\n")).not.toContain(cluster.password)
  })

  test("[STORE-25] a connection that answers nothing is dropped, and the next one is used", async () => {
    const url = new URL(await cluster.createDatabase())
    using network = await networkCut(cluster.port)
    url.port = String(network.port)
    await using store = await open(url.href, { busyTimeoutMs: 100 })
    await say(store)
    network.freeze()
    const both = await Promise.all([failure(say(store)), failure(store.journal.head())])
    for (const error of both) expect(error).toMatchObject({ code: "STORE_UNREACHABLE" })
    network.heal()
    await say(store)
    expect((await store.journal.head()).seq).toBe(3)
  })

  test("[STORE-26] the time of a Postgres store is the server's, whatever the clock here says", async () => {
    await using store = await open(await cluster.createDatabase())
    const wrong = { ...systemClock, now: () => 0 }
    const Now = z.object({ now: z.int() })
    const row = await store.db.get(Now, sql`SELECT ${databaseNow(store.db, wrong)} AS now`)
    const [server] = await ask(
      await cluster.createDatabase(),
      "SELECT extract(epoch FROM now())::float8 AS now",
    )
    const serverMs = z.object({ now: z.number() }).parse(server).now * 1_000
    expect(Math.abs((row?.now ?? 0) - serverMs)).toBeLessThan(600_000)
    const sqlite = databaseNow({ dialect: "sqlite" }, { ...wrong, now: () => 7 })
    expect(sqlite.values).toEqual([7])
  })
})
