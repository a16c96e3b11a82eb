import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { CaptureText, Manifest, Observation } from "#ground/contract"
import { openStore, type Store, type StoreLocation, sql } from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { createHistory, MOST_CAPTURES_KEPT } from "./history.ts"
import { anItem } from "./items.fixture.ts"

const open = (location: StoreLocation): Promise<Store> =>
  openStore({ location, clock: systemClock, random: systemRandom, log: silentLog })

const manifest = (id: string, at: number, given: Partial<Manifest> = {}): Manifest => ({
  id,
  kind: "estimated",
  host: "claude-code",
  workingDirectory: "/x",
  capturedAt: at,
  estimator: "claude",
  disclaimer: "An estimation.",
  items: [anItem("/x/CLAUDE.md")],
  searched: [],
  notes: [],
  totals: { files: 1, bytes: 4, tokensInWindow: 1, tokensOnDemand: 0 },
  ...given,
})
const text = (path: string, body: string): CaptureText => ({
  path,
  text: body,
  later: "",
  isCut: false,
})
const OBSERVED: Observation = {
  by: "host",
  at: 5,
  files: [],
  agreed: 0,
  compared: 0,
  accuracy: 1,
  categories: [],
}
const Count = z.object({ count: z.int() })

function historySuite(make: () => Promise<Store>): void {
  test("[CAPTURE-7] an unchanged context is one entry, seen twice, with one event", async () => {
    await using store = await make()
    const history = createHistory(store.forRoom("capture"))
    const texts = [text("/x/CLAUDE.md", "one")]
    const first = { manifest: manifest("cap_1", 10), fingerprint: "f1", texts, observation: null }
    const again = { ...first, manifest: manifest("cap_2", 20), observation: OBSERVED }
    expect(await history.keep(first)).toEqual({ id: "cap_1", isNew: true })
    expect(await history.keep(again)).toEqual({ id: "cap_1", isNew: false })
    expect(await history.list({}, 10)).toMatchObject([
      { id: "cap_1", capturedAt: 10, lastSeenAt: 20, times: 2 },
    ])
    expect(await history.observation("cap_1")).toEqual(OBSERVED)
    const told = await store.journal.read({ after: undefined, limit: 10, namePrefix: "capture." })
    const body = { id: "cap_1", host: "claude-code", workingDirectory: "/x", files: 1 }
    expect(told).toMatchObject({ entries: [{ body: { ...body, tokensInWindow: 1 } }] })
  })

  test("[CAPTURE-9] two entries are compared with their texts; before() returns the previous entry", async () => {
    await using store = await make()
    const history = createHistory(store.forRoom("capture"))
    await history.keep({
      manifest: manifest("cap_1", 10, { hostVersion: "2.1.325" }),
      fingerprint: "f1",
      texts: [text("/x/CLAUDE.md", "one\nNUL \u0000 and half a pair \ud800")],
      observation: OBSERVED,
    })
    expect(await history.observation("cap_1")).toEqual(OBSERVED)
    const items = [anItem("/x/CLAUDE.md", { sha: "1" })]
    const texts = [text("/x/CLAUDE.md", "one\ntwo")]
    await history.keep({
      manifest: manifest("cap_2", 20, { items }),
      fingerprint: "f2",
      texts,
      observation: null,
    })
    const [from, to] = [await history.find("cap_1", {}), await history.find("last", {})]
    expect(await history.before(to)).toEqual(from)
    expect(from.hostVersion).toBe("2.1.325")
    expect(await history.before(from)).toBeUndefined()
    expect((await history.compare(from, to)).changes).toMatchObject([
      { path: "/x/CLAUDE.md", change: "changed", linesAdded: 1, linesRemoved: 1 },
    ])
    expect(await history.text("cap_2", "/x/CLAUDE.md")).toEqual(texts[0])
    expect(await history.text("cap_2", "/x/none")).toBeUndefined()
  })

  test("[CAPTURE-15] an unknown id, and `last` before the first capture, are coded errors", async () => {
    await using store = await make()
    const history = createHistory(store.forRoom("capture"))
    for (const id of ["cap_none", "last", "'; DROP TABLE captures"]) {
      await expect(history.find(id, {})).rejects.toMatchObject({ code: "CAPTURE_UNKNOWN" })
    }
    await expect(history.manifest("cap_none")).rejects.toMatchObject({ code: "CAPTURE_UNKNOWN" })
  })
}

describe("in memory", () => {
  historySuite(() => open({ kind: "memory" }))
})

describe.runIf(needs("CAPTURE-7", "postgres"))("on Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  historySuite(async () => open({ kind: "postgres", url: await cluster.createDatabase() }))
})

test("[CAPTURE-7] the oldest entries over the limit are removed with their unused texts", async () => {
  await using store = await open({ kind: "memory" })
  const history = createHistory(store.forRoom("capture"))
  await history.keep({
    manifest: manifest("cap_other", 1, { workingDirectory: "/y" }),
    fingerprint: "other",
    texts: [text("/y/CLAUDE.md", "kept")],
    observation: null,
  })
  for (let at = 1; at <= MOST_CAPTURES_KEPT + 3; at++) {
    const id = `cap_${String(at).padStart(4, "0")}`
    const texts = [text("/x/CLAUDE.md", `text ${Math.floor(at / 2)}`)]
    await history.keep({
      manifest: manifest(id, at),
      fingerprint: `f${at}`,
      texts,
      observation: null,
    })
  }
  const kept = await history.list({ workingDirectory: "/x" }, 500)
  expect(kept).toHaveLength(MOST_CAPTURES_KEPT)
  expect(kept.at(-1)?.id).toBe("cap_0004")
  const count = async (query: ReturnType<typeof sql>) => (await store.db.get(Count, query))?.count
  expect(await count(sql`SELECT count(*) AS count FROM capture_pages`)).toBe(MOST_CAPTURES_KEPT + 1)
  const ofTwoEach = MOST_CAPTURES_KEPT / 2
  expect(await count(sql`SELECT count(*) AS count FROM capture_texts`)).toBe(ofTwoEach + 1)
  expect(await history.find("cap_other", {})).toMatchObject({ workingDirectory: "/y" })
})

test("[CAPTURE-7] if any database call fails, an entry is stored completely or not at all", async () => {
  await using store = await open({ kind: "memory" })
  const db = store.forRoom("capture")
  const texts = [text("/x/CLAUDE.md", "one"), text("/x/B.md", "two")]
  const entry = { manifest: manifest("cap_1", 10), fingerprint: "f1", texts, observation: null }
  const pages = () => db.get(Count, sql`SELECT count(*) AS count FROM capture_pages`)
  await failAtEveryCall(db, {
    write: async (faulty) => void (await createHistory(faulty).keep(entry)),
    afterFailure: async () => {
      expect(await createHistory(db).list({}, 10)).toEqual([])
      expect(await pages()).toEqual({ count: 0 })
    },
  })
  expect(await pages()).toEqual({ count: 2 })
})
