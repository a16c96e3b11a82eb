import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { indexOn, madeTree, memorySource } from "#test/indexed-tree"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { dumpTree } from "./store/dump.ts"
import type { ScanOptions } from "./types.ts"

const { signal } = new AbortController()
const INCREMENTAL: ScanOptions = { mode: "incremental", signal }

const text = (at: number) => `class Ship${at}:\n    def moor(self):\n        return "é😀${at}"\n`

describe.runIf(needs("MAP-26", "postgres"))("SQLite and Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster?.[Symbol.asyncDispose]())

  test("give the same tree after edits, merges and two simultaneous scans", {
    timeout: 600_000,
  }, async () => {
    const url = await cluster.createDatabase()
    const open = () =>
      openStore({
        location: { kind: "postgres", url },
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
      })
    await using store = await open()
    await using another = await open()
    const files: Record<string, string> = {}
    for (let at = 0; at < 40; at++) files[`f${at}.py`] = text(at)
    const source = memorySource({ files })
    const [index, other] = [indexOn(store.forRoom("map")), indexOn(another.forRoom("map"))]
    await Promise.all([index.scan(source, INCREMENTAL), other.scan(source, INCREMENTAL)])
    for (let at = 0; at < 12; at++) {
      files[`f${at}.py`] = text(at + 100)
      delete files[`f${39 - at}.py`]
      await (at % 2 === 0 ? index : other).scan(source, INCREMENTAL)
    }
    await using clean = await madeTree(files)
    const expected = await dumpTree(clean.tree)
    for (const it of [index, other]) {
      const tree = await it.open(source)
      expect(tree && (await dumpTree(tree))).toBe(expected)
    }
  })
})
