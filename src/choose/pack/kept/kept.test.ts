import { deflateRawSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type Store, type StoreLocation } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { MOST_PACKS_KEPT } from "../limits.ts"
import { BodyRow } from "../queries.ts"
import { onePack } from "../render/pack.fixture.ts"
import { createKept } from "./kept.ts"
import { sentBefore } from "./sent.ts"

const open = (location: StoreLocation): Promise<Store> =>
  openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })

function keptSuite(make: () => Promise<Store>): void {
  test("[PACK-28] a package comes back as it was, the newest by its name too", async () => {
    await using store = await make()
    const kept = createKept(store.forRoom("pack"))
    const odd = onePack({
      id: "pk_1",
      task: "NUL \u0000, half \ud800, 世界",
      session: "s",
      builtAt: 5,
    })
    await kept.keep(odd)
    await kept.keep(onePack({ id: "pk_2", builtAt: 6 }))
    expect(await kept.find("pk_1")).toEqual(odd)
    expect((await kept.find("last")).id).toBe("pk_2")
    expect((await kept.list(1)).map((it) => it.id)).toEqual(["pk_2"])
    expect((await kept.ofSession("s")).map((it) => it.id)).toEqual(["pk_1"])
    await expect(kept.find("pk_3")).rejects.toThrow("no kept package")
  })

  test("[PACK-28] package and event are written together or not at all", async () => {
    await using store = await make()
    const db = store.forRoom("pack")
    await failAtEveryCall(db, {
      write: (faulty) => createKept(faulty).keep(onePack({ id: "pk_1" })),
      afterFailure: async () => {
        expect(await createKept(db).list(10)).toEqual([])
        const page = await store.journal.read({ after: undefined, limit: 10, namePrefix: "pack." })
        expect(page).toMatchObject({ entries: [] })
      },
    })
    expect(await createKept(db).list(10)).toHaveLength(1)
  })
}

describe("[PACK-28] on SQLite", () => {
  keptSuite(() => open({ kind: "memory" }))

  test("[PACK-28] a package that was kept before there were choices has none", async () => {
    const { choices: _, ...old } = onePack()
    const empty = { target: [], drop: [], full: [], symbols: [], signatures: [], mention: [] }
    const body = Uint8Array.from(deflateRawSync(JSON.stringify(old)))
    expect(BodyRow.parse({ body }).body).toEqual({ ...old, choices: { ...empty, order: [] } })
  })

  test("[PACK-28] the oldest go when there are more than are kept", async () => {
    await using store = await open({ kind: "memory" })
    const kept = createKept(store.forRoom("pack"))
    for (let at = 0; at < MOST_PACKS_KEPT + 3; at++) {
      await kept.keep(onePack({ id: `pk_${at}`, builtAt: at }))
    }
    const all = await kept.list(1_000)
    expect(all).toHaveLength(MOST_PACKS_KEPT)
    expect(all.at(-1)?.id).toBe("pk_3")
  })
})

describe.runIf(needs("PACK-28", "postgres"))("[PACK-28] on Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  keptSuite(async () => open({ kind: "postgres", url: await cluster.createDatabase() }))
})

test("[PACK-20] lines that earlier packages had together count as sent, signatures do not", () => {
  const [file] = onePack().files
  if (file === undefined) throw new Error("the package of the tests has a file")
  const piece = (fromLine: number, toLine: number) => ({ fromLine, toLine, text: "x\n" })
  const blobId = "b"
  const isSent = sentBefore([
    { files: [{ ...file, blobId, pieces: [piece(1, 5), piece(20, 22)] }] },
    { files: [{ ...file, blobId, pieces: [piece(6, 9)] }] },
    { files: [{ ...file, blobId, form: "signatures", pieces: [piece(30, 40)] }] },
  ])
  const asked = [
    [1, 9],
    [2, 3],
    [1, 10],
    [20, 22],
    [9, 20],
    [30, 40],
  ] as const
  expect(asked.map(([from, to]) => isSent(blobId, from, to))).toEqual([
    true,
    true,
    false,
    true,
    false,
    false,
  ])
  expect(isSent("other", 1, 2)).toBe(false)
})
