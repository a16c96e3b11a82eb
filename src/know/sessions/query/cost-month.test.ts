import { describe, expect, test } from "vitest"
import { sql } from "#ground/store"
import { sessionsFixture } from "#test/sessions-room"
import { costMonth } from "./cost-month.ts"

const DAY_MS = 86_400_000
/** 18 whole days of November have passed, and 11.5 days are left. */
const NOON = Date.UTC(2026, 10, 19, 12)

type Call = { readonly daysAgo: number; readonly usd: number | null; readonly tokens?: number }

/** The cost of the month and its forecast, at noon. */
async function monthAfter(calls: readonly Call[], now = NOON) {
  await using it = await sessionsFixture()
  await it.db.run(sql`INSERT INTO sessions (id, host, title, turns) VALUES ('s', 'codex', 'T', 1)`)
  for (const [index, { daysAgo, usd, tokens = 100 }] of calls.entries()) {
    await it.db.run(sql`INSERT INTO session_calls (session, call_key, file, agent, model, at,
        position, turn, input, output, cache_read, cache_write, cache_write_hour, usd, prices)
      VALUES ('s', ${`c${index}`}, 'f', 'main', 'm', ${now - daysAgo * DAY_MS}, ${index}, 1,
        ${tokens}, 0, 0, 0, 0, ${usd}, '')`)
  }
  const { spend, forecastUsd } = await costMonth(it.db, now)
  return [spend.usd, forecastUsd]
}

const onDays = (first: number, last: number, usd: number): Call[] =>
  Array.from({ length: first - last + 1 }, (_, i) => ({ daysAgo: first - i, usd }))

describe("[SESSIONS-23] the forecast of a month", () => {
  test("adds the mean of the last 14 whole days for the time that is left", async () => {
    expect(await monthAfter([...onDays(14, 1, 2), { daysAgo: 0, usd: 1 }])).toEqual([29, 52])
  })

  test("counts days without cost, and leaves out those before 14 days ago", async () => {
    const calls = [
      { daysAgo: 18, usd: 50 },
      { daysAgo: 1, usd: 14 },
    ]
    expect(await monthAfter(calls)).toEqual([64, 75.5])
  })

  test("uses days of the month before, but not their cost", async () => {
    expect(await monthAfter(onDays(14, 1, 2), Date.UTC(2026, 10, 2, 12))).toEqual([2, 2 + 57])
  })

  test("needs 7 whole days", async () => {
    expect(await monthAfter([{ daysAgo: 6, usd: 7 }])).toEqual([7, null])
    expect(await monthAfter([{ daysAgo: 7, usd: 7 }])).toEqual([7, 18.5])
    expect(await monthAfter([])).toEqual([0, null])
  })

  test("is unknown if most tokens have no price", async () => {
    const calls = onDays(14, 1, 2)
    const unpriced = (tokens: number) => ({ daysAgo: 2, usd: null, tokens })
    expect(await monthAfter([...calls, unpriced(1_400)])).toEqual([28, 51])
    expect(await monthAfter([...calls, unpriced(1_401)])).toEqual([28, null])
    expect(await monthAfter([{ daysAgo: 8, usd: null }])).toEqual([null, null])
  })
})
