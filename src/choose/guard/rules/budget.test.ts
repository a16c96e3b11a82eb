import path from "node:path"
import { expect, test } from "vitest"
import { createIds, silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, sql } from "#ground/store"
import { hookFixture } from "#test/hook-fixture"
import type { BackgroundWork, HookConfig } from "../event.ts"
import { createOverrides } from "../overrides.ts"
import { budgetRule } from "./budget.ts"

const DAY_MS = 86_400_000
const EDIT = { tool: "Edit", paths: ["a.ts"] }

/** A real store in the state folder of the hook, with calls at these days before now. */
async function withSpending(
  calls: readonly (readonly [key: string, daysAgo: number, usd: number])[],
) {
  const it = await hookFixture()
  const location = { kind: "sqlite", file: path.join(it.stateDirectory, "store.db") } as const
  const deps = { clock: systemClock, random: systemRandom, log: silentLog }
  await using store = await openStore({ location, ...deps })
  await store.forRoom("sessions").transaction(async (tx) => {
    for (const [index, [key, daysAgo, usd]] of calls.entries()) {
      const at = it.clock.now() - daysAgo * DAY_MS
      await tx.run(sql`INSERT INTO session_calls (session, call_key, file, agent, model, at, position,
          turn, input, output, cache_read, cache_write, cache_write_hour, usd, prices)
        VALUES (${`s${index}`}, ${key}, 'f', 'main', 'm', ${at}, 0, 1, 1, 1, 0, 0, 0, ${usd}, 'x')`)
    }
  })
  const started: BackgroundWork[] = []
  const judge = (spending: Partial<HookConfig["spending"]>) =>
    budgetRule.judge(it.event("before-edit", EDIT), {
      ...it,
      config: {
        ...it.config,
        spending: { isStop: true, dayUsd: 0, weekUsd: 0, monthUsd: 0, ...spending },
      },
      afterwards: (work) => void started.push(work),
    })
  return { ...it, judge, started }
}

test("[GUARD-83] tools are denied from the limit of a period on, and only if the user wants that", async () => {
  // A forked session repeats a call of its origin.
  await using it = await withSpending([
    ["a", 0, 6],
    ["a", 0, 6],
    ["b", 0, 4],
    ["c", 9, 90],
  ])
  expect(await it.judge({ dayUsd: 10.01 })).toEqual({ kind: "silent" })
  expect(await it.judge({ dayUsd: 10, isStop: false })).toEqual({ kind: "silent" })
  expect(await it.judge({ dayUsd: 10 })).toMatchObject({
    kind: "deny",
    text: expect.stringMatching(/spent \$10\.00 of \$10\.00 for today \(sessions\.dayBudget\)/),
  })
  expect(await it.judge({ weekUsd: 5 })).toMatchObject({ text: expect.stringMatching(/this week/) })
  expect(await it.judge({ monthUsd: 10 })).toMatchObject({
    text: expect.stringMatching(/this month \(sessions\.monthBudget\)/),
  })
  expect(await it.judge({})).toEqual({ kind: "silent" })
})

test("[GUARD-83] an override of the repository continues, and new lines are looked for once a minute", async () => {
  await using it = await withSpending([["a", 0, 6]])
  expect((await it.judge({ dayUsd: 5 })).kind).toBe("deny")
  const ids = createIds({ clock: it.clock, random: systemRandom })
  const overrides = createOverrides({ stateDirectory: it.stateDirectory, clock: it.clock, ids })
  await overrides.allow({ paths: ["src"], reason: "only this folder", minutes: 5 })
  expect((await it.judge({ dayUsd: 5 })).kind).toBe("deny")
  await overrides.allow({ paths: ["."], reason: "finish the release", minutes: 5 })
  expect(await it.judge({ dayUsd: 5 })).toMatchObject({ kind: "override" })
  expect(it.started).toEqual([{ kind: "import" }])
})

test("[GUARD-83] without an index nothing is denied", async () => {
  await using it = await hookFixture()
  const config = { ...it.config, spending: { isStop: true, dayUsd: 1, weekUsd: 1, monthUsd: 1 } }
  const event = it.event("before-edit", EDIT)
  expect(await budgetRule.judge(event, { ...it, config })).toEqual({ kind: "silent" })
})
