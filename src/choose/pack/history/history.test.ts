import { deflateRawSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type Store, type StoreLocation } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { onePack } from "../context-pack.fixture.ts"
import { MOST_PACKS_KEPT } from "../limits.ts"
import { createHistory, sentBefore } from "./history.ts"
import { BodyRow } from "./queries.ts"

const open = (location: StoreLocation): Promise<Store> =>
  openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })

const SHOP = { root: "/shop" }

function historySuite(make: () => Promise<Store>): void {
  test("[PACK-28] a package reads back unchanged, the newest also as `last`", async () => {
    await using store = await make()
    const history = createHistory(store.forRoom("pack"), SHOP)
    const odd = onePack({
      id: "pk_1",
      task: "NUL \u0000, half \ud800, 世界",
      session: "s",
      builtAt: 5,
    })
    await history.store(odd, "xml")
    const large = onePack({ id: "pk_2", builtAt: 6, task: "a long task ".repeat(5_000) })
    await history.store(large, null)
    expect(await history.find("pk_1")).toEqual(odd)
    expect(await history.find("pk_2")).toEqual(large)
    expect((await history.find("last")).id).toBe("pk_2")
    expect((await history.list(1)).map((it) => it.id)).toEqual(["pk_2"])
    expect((await history.sentIn("s")).map((it) => it.id)).toEqual(["pk_1"])
    await expect(history.find("pk_3")).rejects.toThrow("No stored package")
  })

  test("[PACK-28] a repository sees only its own packages in a shared database", async () => {
    await using store = await make()
    const [shop, farm] = ["/shop", "/farm"].map((root) =>
      createHistory(store.forRoom("pack"), { root }),
    )
    if (shop === undefined || farm === undefined) throw new Error("two were made")
    await shop.store(onePack({ id: "pk_1", builtAt: 1, session: "s" }), "markdown")
    await farm.store(onePack({ id: "pk_2", builtAt: 2, session: "s" }), "markdown")
    expect((await shop.find("last")).id).toBe("pk_1")
    await expect(shop.find("pk_2")).rejects.toThrow("No stored package")
    expect((await shop.list(10)).map((it) => it.id)).toEqual(["pk_1"])
    expect((await shop.sentIn("s")).map((it) => it.id)).toEqual(["pk_1"])
    expect((await farm.list(10)).map((it) => it.id)).toEqual(["pk_2"])
  })

  test("[PACK-20] only text that was written out counts as sent", async () => {
    await using store = await make()
    const history = createHistory(store.forRoom("pack"), SHOP)
    for (const format of ["markdown", "xml", "json", "summary", null] as const) {
      await history.store(onePack({ id: `pk_${format}`, session: "s" }), format)
    }
    const ids = (await history.sentIn("s")).map((it) => it.id)
    expect(ids.toSorted()).toEqual(["pk_json", "pk_markdown", "pk_xml"])
  })

  test("[PACK-28] package and event are written together or not at all", async () => {
    await using store = await make()
    const db = store.forRoom("pack")
    await failAtEveryCall(db, {
      write: (faulty) => createHistory(faulty, SHOP).store(onePack({ id: "pk_1" }), null),
      afterFailure: async () => {
        expect(await createHistory(db, SHOP).list(10)).toEqual([])
        const page = await store.journal.read({ after: undefined, limit: 10, namePrefix: "pack." })
        expect(page).toMatchObject({ entries: [] })
      },
    })
    expect(await createHistory(db, SHOP).list(10)).toHaveLength(1)
  })
}

describe("history on SQLite", () => {
  historySuite(() => open({ kind: "memory" }))

  test("[PACK-28] a package stored before choices existed has none", async () => {
    const { choices: _, ...old } = onePack()
    const empty = { target: [], drop: [], full: [], symbols: [], signatures: [], mention: [] }
    const body = Uint8Array.from(deflateRawSync(JSON.stringify(old)))
    expect(BodyRow.parse({ body }).body).toEqual({ ...old, choices: { ...empty, order: [] } })
  })

  test("[PACK-28] deletes the oldest packages above the limit", async () => {
    await using store = await open({ kind: "memory" })
    const history = createHistory(store.forRoom("pack"), SHOP)
    for (let at = 0; at < MOST_PACKS_KEPT + 3; at++) {
      await history.store(onePack({ id: `pk_${at}`, builtAt: at }), null)
    }
    const all = await history.list(1_000)
    expect(all).toHaveLength(MOST_PACKS_KEPT)
    expect(all.at(-1)?.id).toBe("pk_3")
    const farm = createHistory(store.forRoom("pack"), { root: "/farm" })
    await farm.store(onePack({ id: "pk_farm", builtAt: 0 }), null)
    expect(await farm.list(10)).toHaveLength(1)
    expect(await history.list(1_000)).toHaveLength(MOST_PACKS_KEPT)
  })
})

describe.runIf(needs("PACK-28", "postgres"))("history on Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  historySuite(async () => open({ kind: "postgres", url: await cluster.createDatabase() }))
})

test("[PACK-20] lines of all earlier packages count as sent, signatures do not", () => {
  const [file] = onePack().files
  if (file === undefined) throw new Error("the package of the tests has a file")
  const piece = (fromLine: number, toLine: number) => ({ fromLine, toLine, text: "x\n" })
  const [blobId, { path }] = ["b", file]
  const isSent = sentBefore([
    { files: [{ ...file, blobId, pieces: [piece(1, 5), piece(20, 22)] }] },
    { files: [{ ...file, blobId, pieces: [piece(6, 9)] }] },
    { files: [{ ...file, blobId, form: "signatures", pieces: [piece(30, 40)] }] },
  ])
  const ranges = [
    [1, 9],
    [2, 3],
    [1, 10],
    [20, 22],
    [9, 20],
    [30, 40],
  ] as const
  expect(ranges.map(([fromLine, toLine]) => isSent({ path, blobId, fromLine, toLine }))).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
  ])
  expect(isSent({ path, blobId: "other", fromLine: 1, toLine: 2 })).toBe(false)
  expect(isSent({ path: "copy.ts", blobId, fromLine: 1, toLine: 2 })).toBe(false)
})
