import { expect, test } from "vitest"
import { type StoreLocation, sql } from "#ground/store"
import { child } from "#test/child"
import { needs } from "#test/needs"
import { startPostgres } from "#test/postgres"
import { longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { Count, Counter } from "../conformance/tables.ts"
import { openTestStore } from "./store-journal.ts"

const SCRIPT = new URL("store-counter.child.ts", import.meta.url)
const PROCESSES = 4
const ROUNDS = 500

test("[C1] four processes share one SQLite file: no update is lost and no process is refused", async () => {
  await using directory = await tempDirectory()
  const location = { kind: "sqlite", file: `${directory.path}/store.db` } as const
  expect(await countTogether(location)).toEqual(EXACT)
})

test.runIf(needs("C1", "postgres"))(
  "[C1] four processes share one Postgres: no update is lost and no process is refused",
  async () => {
    await using cluster = await startPostgres()
    const location = { kind: "postgres", url: await cluster.createDatabase() } as const
    expect(await countTogether(location)).toEqual(EXACT)
  },
  longestTestMs(),
)

const TOTAL = PROCESSES * ROUNDS
const EXACT = {
  said: Array(PROCESSES).fill(["failures 0"]),
  counter: TOTAL,
  notes: TOTAL,
  check: { checkedEvents: TOTAL + 1, findings: [] },
}

async function countTogether(location: StoreLocation) {
  await using store = await openTestStore(location)
  await store.db.run(sql`INSERT INTO counters (name, value) VALUES (${"n"}, ${0})`)
  const counting = Array.from({ length: PROCESSES }, async (_, index) => {
    await using process = child(SCRIPT, [JSON.stringify(location), `p${index}`, String(ROUNDS)])
    return await process.restOfLines()
  })
  const said = await Promise.all(counting)
  const counter = await store.db.get(Counter, sql`SELECT value FROM counters`)
  const notes = await store.db.get(Count, sql`SELECT count(*) AS count FROM notes`)
  return { said, counter: counter?.value, notes: notes?.count, check: await store.check() }
}
