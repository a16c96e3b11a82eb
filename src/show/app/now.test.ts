import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test, vi } from "vitest"
import { systemClock, systemRandom } from "#ground/base"
import { createLedger } from "#know/ledger"
import { commit, git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"
import { sumSpend } from "./now.ts"

const signal = new AbortController().signal

async function newApp(directory: string) {
  return createApp({
    directory,
    environment: { QM_HOME: path.join(directory, "home") },
    settings: [],
    writeLog: () => {},
  })
}

test("[APP-5] now.show returns repository and health, and no runs in a new store", async () => {
  await using folder = await tempDirectory()
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({
    repository: { root: folder.path, name: path.basename(folder.path), branch: null },
    health: { isHealthy: true, failed: 0 },
    store: { dialect: "sqlite", events: 1 },
    spend: { todayUsd: null, runs: 0, unknown: 0 },
    isNew: true,
    running: [],
    waiting: [],
    ended: [],
  })
})

test("[APP-5] now.show answers with a store that cannot be opened, and reports it in health", async () => {
  await using folder = await tempDirectory()
  const places = path.join(folder.path, ".qm", "local")
  await mkdir(places, { recursive: true })
  await mkdir(path.join(places, "store.db"))
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({
    health: { isHealthy: false },
    store: null,
  })
})

test("[APP-5] now.show answers with an invalid config", async () => {
  await using folder = await tempDirectory()
  await mkdir(path.join(folder.path, ".qm"))
  await writeFile(path.join(folder.path, ".qm", "config.json"), "{")
  await using app = await newApp(folder.path)
  expect(await app.call("now.show", {}, { signal })).toMatchObject({ health: { isHealthy: false } })
})

test("[APP-5][H9] now.show does not read every page of the store, doctor.run does", async () => {
  await using folder = await tempDirectory()
  await using app = await newApp(folder.path)
  const reading = vi.spyOn(await app.store(), "findDamage")
  await app.call("now.show", {}, { signal })
  expect(reading).toHaveBeenCalledTimes(0)
  await app.call("doctor.run", {}, { signal })
  expect(reading).toHaveBeenCalledTimes(1)
})

test("[APP-50] now.repository returns branch and changes, or the reason without git", async () => {
  await using folder = await tempDirectory()
  await using outside = await newApp(folder.path)
  expect(await outside.call("now.repository", {}, { signal })).toMatchObject({
    branch: null,
    changes: null,
    problem: "this folder is not in a git repository",
  })
  await using temp = await tempDirectory()
  git(temp.path, "init", "-q", "-b", "main")
  commit(temp.path, "first", { "a.ts": "one\n", ".gitignore": "home/\n" })
  await writeFile(path.join(temp.path, "a.ts"), "two, longer\n")
  await writeFile(path.join(temp.path, "b.ts"), "new\n")
  const { PATH } = process.env
  const environment = { PATH, QM_HOME: path.join(temp.path, "home") }
  const options = { directory: temp.path, environment, settings: [], writeLog: () => {} }
  await using app = await createApp(options)
  expect(await app.call("now.repository", {}, { signal })).toEqual({
    branch: "main",
    upstream: null,
    apart: null,
    fetchedAt: null,
    problem: null,
    changes: {
      modified: 1,
      added: 0,
      deleted: 0,
      conflict: 0,
      untracked: 1,
      files: [
        { path: "a.ts", kind: "modified" },
        { path: "b.ts", kind: "untracked" },
      ],
    },
  })
})

test("[APP-51] spend counts known and unknown costs by local day and leaves out scripted agents", () => {
  const noon = new Date(2026, 10, 15, 12).getTime()
  const DAY_MS = 86_400_000
  const cost = (usd: number | null) => ({
    reportedUsd: usd,
    computedUsd: null,
    inputTokens: 0,
    outputTokens: 0,
  })
  const run = (usd: number | null, endedAt: number | null, type = "codex") =>
    ({ cost: cost(usd), endedAt, type, turns: 1, updatedAt: noon }) as never
  const runs = [
    run(1.5, noon),
    run(0.25, null),
    run(null, noon),
    run(null, noon - DAY_MS),
    run(null, null, "synthetic"),
    run(9, noon, "synthetic"),
    run(2, noon - DAY_MS),
    run(4, noon - 20 * DAY_MS),
  ]
  const pipeline = (spentUsd: number, unknownCalls: number) =>
    ({ cost: { spentUsd, unknownCalls }, endedAt: noon, updatedAt: noon }) as never
  const pipelines = [pipeline(0.5, 0), pipeline(0, 3)]
  const { todayUsd, runs: count, unknown, days } = sumSpend({ runs, pipelines }, noon)
  expect([todayUsd, count, unknown, days.length]).toEqual([2.25, 3, 2, 14])
  expect(days.slice(-2)).toEqual([
    { day: "2026-11-14", usd: 2 },
    { day: "2026-11-15", usd: 2.25 },
  ])
  expect(sumSpend({ runs: [run(null, noon)], pipelines: [] }, noon)).toMatchObject({
    todayUsd: null,
    unknown: 1,
  })
  const queued = { ...(run(null, null) as object), turns: 0 } as never
  expect(sumSpend({ runs: [queued], pipelines: [] }, noon)).toMatchObject({ unknown: 0 })
})

test("[APP-51] now.show is new until a run or a session of a hook exists", async () => {
  await using folder = await tempDirectory()
  await using app = await newApp(folder.path)
  const isNew = async () => {
    const now = await app.call("now.show", {}, { signal })
    return (now as { isNew: boolean }).isNew
  }
  expect(await isNew()).toBe(true)
  const { stateDirectory } = app.places.repository
  const ledger = createLedger({ stateDirectory, clock: systemClock, random: systemRandom })
  await ledger.modified("s-1", { path: "a.ts", tool: "Edit" })
  expect(await isNew()).toBe(false)
})
