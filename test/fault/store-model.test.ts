import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { sql } from "#ground/store"
import { needs } from "#test/needs"
import { ask, startPostgres } from "#test/postgres"
import { fcParameters, longestTestMs } from "#test/seed"
import { openTestStore } from "./store-journal.ts"
import { type StoreUnderTest, storeSteps } from "./store-model.ts"

test(
  "[C7] a SQLite file behaves like the model in random histories",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "qm-model-"))
    let histories = 0
    try {
      await fc.assert(
        fc.asyncProperty(storeSteps(), async (steps) => {
          const directory = `${root}/${++histories}`
          const real = await sqliteReal(directory)
          try {
            await fc.asyncModelRun(() => ({ model: { notes: new Map(), events: 0 }, real }), steps)
            expect((await real.store.check()).findings).toEqual([])
          } finally {
            await real.store.close()
            rmSync(directory, { recursive: true, force: true })
          }
        }),
        fcParameters({ numRuns: 400, nightRuns: 16_000 }),
      )
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  },
  longestTestMs(),
)

test.runIf(needs("C7", "postgres"))(
  "[C7] Postgres behaves like the model in random histories",
  async () => {
    await using cluster = await startPostgres()
    const url = await cluster.createDatabase()
    let store = await openTestStore({ kind: "postgres", url })
    await fc.assert(
      fc.asyncProperty(storeSteps(), async (steps) => {
        await store.db.run(sql`DELETE FROM notes`)
        const { seq: firstEvent } = await store.journal.head()
        const real = postgresReal({ url, store, firstEvent })
        await fc.asyncModelRun(() => ({ model: { notes: new Map(), events: 0 }, real }), steps)
        store = real.store
      }),
      fcParameters({ numRuns: 100, nightRuns: 4_000 }),
    )
    expect((await store.check()).findings).toEqual([])
    await store.close()
  },
  longestTestMs(),
)

/** Simulates a crash by copying the files at that moment and opening the copy. */
async function sqliteReal(directory: string): Promise<StoreUnderTest> {
  let life = 0
  const fileOf = (number: number) => `${directory}/${number}/store.db`
  const real: StoreUnderTest = {
    store: await openTestStore({ kind: "sqlite", file: fileOf(life) }),
    firstEvent: 1,
    async reopen() {
      await real.store.close()
      real.store = await openTestStore({ kind: "sqlite", file: fileOf(life) })
    },
    async crash(work) {
      const [from, to] = [fileOf(life), fileOf(++life)]
      mkdirSync(`${directory}/${life}`)
      await work(dyingAtTheEnd(real.store, () => copyStore(from, to))).catch(() => {})
      await real.store.close()
      real.store = await openTestStore({ kind: "sqlite", file: to })
    },
  }
  return real
}

function postgresReal(start: {
  url: string
  store: StoreUnderTest["store"]
  firstEvent: number
}): StoreUnderTest {
  const reopen = () => openTestStore({ kind: "postgres", url: start.url })
  const real: StoreUnderTest = {
    store: start.store,
    firstEvent: start.firstEvent,
    async reopen() {
      await real.store.close()
      real.store = await reopen()
    },
    async crash(work) {
      const dying = dyingAtTheEnd(real.store, () => ask(start.url, END_OTHERS))
      await work(dying).catch(() => {})
      await real.store.close()
      real.store = await reopen()
    },
  }
  return real
}

const END_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'qm' AND datname = current_database()`

/** The crash happens after the last statement of the transaction and before the commit. */
function dyingAtTheEnd(
  store: StoreUnderTest["store"],
  die: () => unknown,
): StoreUnderTest["store"] {
  return {
    ...store,
    forRoom(room) {
      const db = store.forRoom(room)
      return {
        ...db,
        transaction: (work) =>
          db.transaction(async (tx) => {
            try {
              return await work(tx)
            } finally {
              await die()
            }
          }),
      }
    },
  }
}

function copyStore(from: string, to: string): void {
  for (const part of ["", "-wal"]) {
    if (existsSync(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}`)
  }
}
