import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import {
  access,
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import type { Caller } from "#ground/contract"
import { sql } from "#ground/store"
import { digest } from "#know/ledger"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { AGENT, fakeToken, foldFixture, openWith, TASK, words } from "../fold.fixture.ts"
import { createSpool } from "./spool.ts"

const SESSION = AGENT.session
const OTHER: Caller = { ...AGENT, session: "s2" }

/** A fold with a spool folder beside its database. */
async function newFixture(options: { readonly budget?: number } = {}) {
  const temp = await tempDirectory()
  // A separate store: an open branch of another repository in the same store would keep a session's
  // marker.
  const store = await openWith({ kind: "memory" })
  const clock = testClock({ now: Date.now() })
  const place = { stateDirectory: temp.path, random: systemRandom, now: clock.now }
  const fixture = await foldFixture(store, clock, { deps: { spool: createSpool(place) } })
  const folder = path.join(temp.path, "charges")
  const spool = (session = SESSION) => path.join(folder, `${digest(session)}.jsonl`)
  return {
    ...fixture,
    folder,
    place,
    names: async () => (await readdir(folder)).toSorted(),
    /** As the track rule of a hook does it. */
    async leave(line: Readonly<Record<string, unknown>>, session = SESSION) {
      const whole = { session, host: "claude-code", tool: "Read", paths: [], at: 1, ...line }
      await appendFile(spool(session), `${JSON.stringify(whole)}\n`)
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await temp[Symbol.asyncDispose]()
    },
    openBranch: (caller = AGENT) =>
      fixture.fold.branch({ ...TASK, budget: options.budget ?? 1_000 }, caller),
  }
}

const MARKER = { id: "br_1", budgetUsed: 0, budgetTotal: 10, told: null, scale: 1 }

const marker = (session: string) => `open-${digest(session)}`

describe("markers", () => {
  test("[FOLD-27] a session has a marker only while one of its branches is open", async () => {
    await using fixture = await newFixture()
    const first = await fixture.openBranch()
    const second = await fixture.openBranch()
    await fixture.openBranch(OTHER)
    expect(await fixture.names()).toEqual([marker(SESSION), marker("s2")].toSorted())
    expect((await stat(path.join(fixture.folder, marker("s2")))).mode & 0o777).toBe(0o600)
    const back = (branchId: string) => fixture.fold.return({ branchId, message: "done" }, AGENT)
    await back(second.branchId)
    await fixture.fold.end("", OTHER)
    await expect.poll(fixture.names).toEqual([marker(SESSION)])
    await back(first.branchId)
    await expect.poll(fixture.names).toEqual([])
  })

  test("[FOLD-27] a marker is removed at a deadline, a shutdown and a start after a crash", async () => {
    await using fixture = await newFixture()
    await fixture.openBranch()
    await fixture.clock.advance(301_000)
    await fixture.fold.list({})
    await expect.poll(fixture.names).toEqual([])
    await fixture.openBranch()
    await fixture.leave({ textUnits: 4 })
    await fixture.fold.close()
    expect(await fixture.names()).toEqual([])
    // A process died with its branches, and another one ended them; only this marker is left.
    await writeFile(path.join(fixture.folder, marker("gone")), "")
    await writeFile(path.join(fixture.folder, "drain-of-the-dead"), "")
    await utimes(path.join(fixture.folder, "drain-of-the-dead"), 1, 1)
    await fixture.other({}).recover()
    expect(await fixture.names()).toEqual([])
  })

  test("[FOLD-27] a marker created while others are removed exists afterwards", async () => {
    await using temp = await tempDirectory()
    const spool = createSpool({ stateDirectory: temp.path, random: systemRandom, now: () => 0 })
    await spool.open("late", MARKER)
    let looks = 0
    await spool.keepOnly(async () => (looks++ === 0 ? [] : ["late"]))
    expect(await readdir(path.join(temp.path, "charges"))).toEqual([marker("late")])
  })

  test("[FOLD-27] a folder that cannot be written affects the count, never the branch", async () => {
    await using fixture = await newFixture()
    await writeFile(fixture.folder, "a file stands there")
    const { branchId } = await fixture.openBranch()
    const done = await fixture.fold.return({ branchId, message: "done" }, AGENT)
    expect(done).toMatchObject({ status: "completed", isLowerBound: true })
  })
})

describe("charges of hooks", () => {
  test("[FOLD-27] charges left by hooks are applied before a branch is read, once, at a quarter of their length", async () => {
    await using fixture = await newFixture()
    const { branchId } = await fixture.openBranch()
    await fixture.leave({ textUnits: 401, paths: ["src/a.ts"] })
    const { branch } = await fixture.fold.status({}, AGENT)
    expect(branch).toMatchObject({ budgetUsed: 101, touchedPaths: ["src/a.ts"] })
    expect(branch).toMatchObject({ isLowerBound: false })
    await fixture.leave({ textUnits: 40 })
    expect((await fixture.fold.list({})).branches[0]?.budgetUsed).toBe(111)
    await fixture.leave({ textUnits: 40 })
    const done = await fixture.fold.return({ branchId, message: "done" }, AGENT)
    expect(done).toMatchObject({ budgetUsed: 121, isLowerBound: false })
    const { trail } = await fixture.fold.show({ id: branchId })
    expect(trail.filter((it) => it.kind === "charge").map((it) => it.tokens)).toEqual([101, 10, 10])
  })

  test("[FOLD-27] charges left before a child is opened go to its parent", async () => {
    await using fixture = await newFixture()
    const parent = await fixture.openBranch()
    await fixture.leave({ textUnits: 400 })
    const child = await fixture.openBranch()
    await fixture.leave({ textUnits: 40 })
    const usedBy = async (branchId: string) =>
      (await fixture.fold.status({ branchId }, AGENT)).branch?.budgetUsed
    expect(await usedBy(child.branchId)).toBe(10)
    expect(await usedBy(parent.branchId)).toBe(100)
  })

  test("[FOLD-6] a return that settles hook charges over the budget keeps its message", async () => {
    await using fixture = await newFixture({ budget: 100 })
    const { branchId } = await fixture.openBranch()
    await fixture.leave({ textUnits: 360 })
    await fixture.leave({ textUnits: 80 })
    const { branch } = await fixture.fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "active", isExhausted: true, budgetUsed: 110 })
    await fixture.leave({ textUnits: 400 })
    const done = await fixture.fold.return({ branchId, message: "the result" }, AGENT)
    expect(done).toMatchObject({ status: "completed", message: "the result", budgetUsed: 210 })
    expect(await fixture.eventNames()).toEqual([
      "fold.branch-created",
      "fold.budget-warned",
      "fold.budget-exhausted",
      "fold.returned",
      "fold.ended",
    ])
    await expect.poll(fixture.names).toEqual([])
  })

  test("[FOLD-27] charges of hooks are settled while the branch works, without a call of our tools", async () => {
    await using fixture = await newFixture({ budget: 100 })
    fixture.fold.watch()
    const { branchId } = await fixture.openBranch()
    await fixture.leave({ tokens: 90 })
    await fixture.clock.advance(1_000)
    await expect.poll(fixture.eventNames).toEqual(["fold.branch-created", "fold.budget-warned"])
    const row = await fixture.store
      .forRoom("fold")
      .get(
        z.object({ budget_used: z.int() }),
        sql`SELECT budget_used FROM fold_branches WHERE id = ${branchId}`,
      )
    expect(row).toEqual({ budget_used: 90 })
    await fixture.fold.close()
  })

  test("[FOLD-27] the marker says how much is used, and what a hook told counts as told", async () => {
    await using fixture = await newFixture({ budget: 100 })
    const { branchId } = await fixture.openBranch()
    const markerNow = async () =>
      JSON.parse(await readFile(path.join(fixture.folder, marker(SESSION)), "utf8"))
    const fresh = { id: branchId, budgetUsed: 0, budgetTotal: 100, told: null, scale: 1 }
    expect(await markerNow()).toEqual(fresh)
    await fixture.leave({ tokens: 85, told: "warned" })
    await fixture.fold.status({}, AGENT)
    expect(await markerNow()).toEqual({ ...fresh, budgetUsed: 85, told: "warned" })
    const call = { caller: AGENT, tool: "search", input: "q", text: "w", label: "x" }
    expect((await fixture.fold.meter(call)).notice).toBeUndefined()
    const child = await fixture.openBranch()
    expect((await markerNow()).id).toBe(child.branchId)
    await fixture.fold.return({ branchId: child.branchId, message: "done" }, AGENT)
    await expect.poll(async () => (await markerNow()).id).toBe(branchId)
  })

  test("[FOLD-6] a warning that only a hook's charge made due comes with the next answer of our tools, once", async () => {
    await using fixture = await newFixture({ budget: 100 })
    await fixture.openBranch()
    await fixture.leave({ tokens: 85 })
    const call = { caller: AGENT, tool: "search", input: "q", text: "w", label: "x" }
    expect((await fixture.fold.meter(call)).notice).toContain("has used 87 % of its budget")
    expect((await fixture.fold.meter(call)).notice).toBeUndefined()
  })

  test("[FOLD-27] our own tools are charged where they answer, and not again", async () => {
    await using fixture = await newFixture()
    await fixture.openBranch()
    await fixture.leave({ tool: "mcp__qm__search", textUnits: 4_000 })
    await fixture.leave({ tool: "mcp__other__find", textUnits: 40 })
    const call = { caller: AGENT, tool: "search", input: words(2), text: words(3), label: "x" }
    await fixture.fold.meter(call)
    expect((await fixture.fold.status({}, AGENT)).branch?.budgetUsed).toBe(15)
    expect(await fixture.fold.hasReadUntrusted(SESSION)).toBe(true)
  })

  test("[FOLD-27] secrets in names are scrubbed; damaged lines and those of other sessions are skipped", async () => {
    await using fixture = await newFixture()
    const { branchId } = await fixture.openBranch()
    const token = fakeToken()
    await fixture.leave({ tool: `t-${token}`, textUnits: 4, paths: [`src/${token}.ts`, 7] })
    await appendFile(path.join(fixture.folder, `${digest(SESSION)}.jsonl`), '{"torn\n[]\n\0\n')
    const wrong = [{ textUnits: -4 }, { textUnits: 1.5 }, { textUnits: "4" }, { tool: 7 }]
    for (const line of wrong) await fixture.leave({ textUnits: 4, ...line })
    await fixture.leave({ textUnits: 4, session: "another" })
    expect((await fixture.fold.status({}, AGENT)).branch?.budgetUsed).toBe(1)
    expect(JSON.stringify(await fixture.fold.show({ id: branchId }))).not.toContain(token)
  })
})

test("[FOLD-27] when several processes drain at once, each line goes to one of them", async () => {
  await using temp = await tempDirectory()
  const folder = path.join(temp.path, "charges")
  await mkdir(folder)
  const children = [1, 2, 3].map((n) => drainInChild(temp.path, `ready-${n}`))
  // A process that starts earlier would get all lines.
  const ready = () => readdirSync(temp.path).filter((it) => it.startsWith("ready-")).length
  await expect.poll(ready).toBe(3)
  const line = JSON.stringify({ session: SESSION, tool: "Read", textUnits: 4, paths: [] })
  const file = path.join(folder, `${digest(SESSION)}.jsonl`)
  const isThere = () =>
    access(file).then(
      () => true,
      () => false,
    )
  for (let round = 0; round < 40; round++) {
    await writeFile(`${file}.new`, `${line}\n`.repeat(25))
    await rename(`${file}.new`, file)
    await expect.poll(isThere, { interval: 1 }).toBe(false)
  }
  await writeFile(path.join(temp.path, "over"), "")
  const counts = await Promise.all(children)
  expect(counts.reduce((sum, it) => sum + it, 0)).toBe(40 * 25)
})

/** Drains as fast as it can until told to stop; prints how many lines it got. */
async function drainInChild(stateDirectory: string, ready: string): Promise<number> {
  const script = `
    import { existsSync, writeFileSync } from "node:fs"
    import { systemRandom } from "#ground/base"
    import { createSpool } from "#choose/fold"
    const [stateDirectory, ready] = process.argv.slice(1)
    const spool = createSpool({ stateDirectory, random: systemRandom, now: () => 0 })
    let count = 0
    writeFileSync(stateDirectory + "/" + ready, "")
    while (!existsSync(stateDirectory + "/over")) count += (await spool.drain("s1")).length
    process.stdout.write(String(count))
  `
  const args = ["--input-type=module", "--eval", script, stateDirectory, ready]
  const cwd = fileURLToPath(new URL("../../../..", import.meta.url))
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
  return Number(await text(child.stdout))
}
