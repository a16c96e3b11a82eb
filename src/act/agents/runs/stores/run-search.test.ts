import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { RunConfiguration } from "#ground/contract"
import { openStore, type StoreLocation } from "#ground/store"
import { needs } from "#test/needs"
import { startPostgres } from "#test/postgres"
import { madeRun } from "#test/run"
import { insertMessages } from "./message-store.ts"
import { MAX_SEARCHED_RUNS } from "./run-search.ts"
import { insertRun, NO_LEASE, RunRow, selectRuns } from "./run-store.ts"

const RUN = madeRun({ title: "", prompt: "", cwd: "/r", mode: "ask", sessionId: null })
const CONFIGURATION: RunConfiguration = { mode: "ask" }

type RunTexts = { readonly title?: string; readonly prompt?: string; readonly said?: string }

async function storeOf(location: StoreLocation, runs: readonly RunTexts[]) {
  const parts = { clock: systemClock, random: systemRandom, log: silentLog }
  const store = await openStore({ location, ...parts })
  const db = store.forRoom("agents")
  const row = { configuration: CONFIGURATION, owner: null, leaseUntil: NO_LEASE }
  await db.transaction(async (tx) => {
    for (const [at, { said = "", ...it }] of runs.entries()) {
      const id = String(at).padStart(4, "0")
      const message = { id: `m${at}`, seq: 1, type: "assistant", role: "assistant" } as const
      await tx.run(insertRun({ ...RUN, ...it, id, createdAt: at }, row))
      await tx.run(insertMessages(id, [{ ...message, content: said, timestamp: 0, metadata: {} }]))
    }
  })
  return {
    async found(text: string): Promise<readonly number[]> {
      const filter = { limit: 500, archived: false, text }
      return (await db.all(RunRow, selectRuns(filter))).map(({ run }) => Number(run.id))
    },
    [Symbol.asyncDispose]: () => store.close(),
  }
}

const WORDS: readonly RunTexts[] = [
  { title: "Ärger mit GRÖSSE" },
  { prompt: "über die Straße" },
  { said: "ÜBER Łódź and ЗДРАВСТВУЙ" },
  { said: "One Two three four five" },
]

const SEARCHES: readonly (readonly [string, readonly number[]])[] = [
  ["ärger", [0]],
  ["Ärger", [0]],
  ["ÄRGER", [0]],
  ["grösse", [0]],
  ["über", [2, 1]],
  ["Über", [2, 1]],
  ["łódź", [2]],
  ["здравствуй", [2]],
  ["one TWO", [3]],
  ["one six", []],
  // A sixth word is ignored.
  ["one two three four five six", [3]],
]

async function searchedIn(location: StoreLocation) {
  await using store = await storeOf(location, WORDS)
  const found: (readonly [string, readonly number[]])[] = []
  for (const [text] of SEARCHES) found.push([text, await store.found(text)])
  return found
}

test("search ignores ASCII case and uses at most five terms", async () => {
  expect(await searchedIn({ kind: "memory" })).toEqual(SEARCHES)
})

test.runIf(needs("N1", "postgres"))("Postgres finds the same terms", async () => {
  await using cluster = await startPostgres()
  const url = await cluster.createDatabase()
  expect(await searchedIn({ kind: "postgres", url })).toEqual(SEARCHES)
})

test("messages are searched in the newest runs, titles and prompts in all runs", async () => {
  const runs = Array.from({ length: MAX_SEARCHED_RUNS + 2 }, (): RunTexts => ({ said: "needle" }))
  const old = [{ title: "a needle" }, { prompt: "a needle" }]
  await using store = await storeOf({ kind: "memory" }, [...old, ...runs])
  const found = await store.found("needle")
  expect(found).toHaveLength(MAX_SEARCHED_RUNS + old.length)
  expect(found.slice(-3)).toEqual([4, 1, 0])
})
