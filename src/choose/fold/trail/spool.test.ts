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
import { AGENT, fakeToken, foldWorld, openWith, TASK, words } from "../fold.fixture.ts"
import { createSpool } from "./spool.ts"

const SESSION = AGENT.session
const OTHER: Caller = { ...AGENT, session: "s2" }

/** A fold with a spool folder beside its database. */
async function newWorld(options: { readonly budget?: number } = {}) {
  const temp = await tempDirectory()
  // A separate store: an open branch of another repository in the same store would keep a session's
  // marker.
  const store = await openWith({ kind: "memory" })
  const clock = testClock({ now: Date.now() })
  const place = { stateDirectory: temp.path, random: systemRandom, now: clock.now }
  const world = await foldWorld(store, clock, { deps: { spool: createSpool(place) } })
  const folder = path.join(temp.path, "charges")
  const spool = (session = SESSION) => path.join(folder, `${digest(session)}.jsonl`)
  return {
    ...world,
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
      world.fold.branch({ ...TASK, budget: options.budget ?? 1_000 }, caller),
  }
}

const MARKER = { id: "br_1", budgetUsed: 0, budgetTotal: 10, told: null, scale: 1 }

const marker = (session: string) => `open-${digest(session)}`

describe("markers", () => {
  test("[FOLD-27] a session has a marker only while one of its branches is open", async () => {
    await using world = await newWorld()
    const first = await world.openBranch()
    const second = await world.openBranch()
    await world.openBranch(OTHER)
    expect(await world.names()).toEqual([marker(SESSION), marker("s2")].toSorted())
    expect((await stat(path.join(world.folder, marker("s2")))).mode & 0o777).toBe(0o600)
    const back = (branchId: string) => world.fold.return({ branchId, message: "done" }, AGENT)
    await back(second.branchId)
    await world.fold.end("", OTHER)
    await expect.poll(world.names).toEqual([marker(SESSION)])
    await back(first.branchId)
    await expect.poll(world.names).toEqual([])
  })

  test("[FOLD-27] a marker is removed at a deadline, a shutdown and a start after a crash", async () => {
    await using world = await newWorld()
    await world.openBranch()
    await world.clock.advance(301_000)
    await world.fold.list({})
    await expect.poll(world.names).toEqual([])
    await world.openBranch()
    await world.leave({ textUnits: 4 })
    await world.fold.close()
    expect(await world.names()).toEqual([])
    // A process died with its branches, and another one ended them; only this marker is left.
    await writeFile(path.join(world.folder, marker("gone")), "")
    await writeFile(path.join(world.folder, "drain-of-the-dead"), "")
    await utimes(path.join(world.folder, "drain-of-the-dead"), 1, 1)
    await world.other({}).recover()
    expect(await world.names()).toEqual([])
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
    await using world = await newWorld()
    await writeFile(world.folder, "a file stands there")
    const { branchId } = await world.openBranch()
    const done = await world.fold.return({ branchId, message: "done" }, AGENT)
    expect(done).toMatchObject({ status: "completed", isLowerBound: true })
  })
})

describe("charges of hooks", () => {
  test("[FOLD-27] charges left by hooks are applied before a branch is read, once, at a quarter of their length", async () => {
    await using world = await newWorld()
    const { branchId } = await world.openBranch()
    await world.leave({ textUnits: 401, paths: ["src/a.ts"] })
    const { branch } = await world.fold.status({}, AGENT)
    expect(branch).toMatchObject({ budgetUsed: 101, touchedPaths: ["src/a.ts"] })
    expect(branch).toMatchObject({ isLowerBound: false })
    await world.leave({ textUnits: 40 })
    expect((await world.fold.list({})).branches[0]?.budgetUsed).toBe(111)
    await world.leave({ textUnits: 40 })
    const done = await world.fold.return({ branchId, message: "done" }, AGENT)
    expect(done).toMatchObject({ budgetUsed: 121, isLowerBound: false })
    const { trail } = await world.fold.show({ id: branchId })
    expect(trail.filter((it) => it.kind === "charge").map((it) => it.tokens)).toEqual([101, 10, 10])
  })

  test("[FOLD-27] charges left before a child is opened go to its parent", async () => {
    await using world = await newWorld()
    const parent = await world.openBranch()
    await world.leave({ textUnits: 400 })
    const child = await world.openBranch()
    await world.leave({ textUnits: 40 })
    const usedBy = async (branchId: string) =>
      (await world.fold.status({ branchId }, AGENT)).branch?.budgetUsed
    expect(await usedBy(child.branchId)).toBe(10)
    expect(await usedBy(parent.branchId)).toBe(100)
  })

  test("[FOLD-6] a return that settles hook charges over the budget keeps its message", async () => {
    await using world = await newWorld({ budget: 100 })
    const { branchId } = await world.openBranch()
    await world.leave({ textUnits: 360 })
    await world.leave({ textUnits: 80 })
    const { branch } = await world.fold.status({ branchId }, AGENT)
    expect(branch).toMatchObject({ status: "active", isExhausted: true, budgetUsed: 110 })
    await world.leave({ textUnits: 400 })
    const done = await world.fold.return({ branchId, message: "the result" }, AGENT)
    expect(done).toMatchObject({ status: "completed", message: "the result", budgetUsed: 210 })
    expect(await world.eventNames()).toEqual([
      "fold.branch-created",
      "fold.budget-warned",
      "fold.budget-exhausted",
      "fold.returned",
      "fold.ended",
    ])
    await expect.poll(world.names).toEqual([])
  })

  test("[FOLD-27] charges of hooks are settled while the branch works, without a call of our tools", async () => {
    await using world = await newWorld({ budget: 100 })
    world.fold.watch()
    const { branchId } = await world.openBranch()
    await world.leave({ tokens: 90 })
    await world.clock.advance(1_000)
    await expect.poll(world.eventNames).toEqual(["fold.branch-created", "fold.budget-warned"])
    const row = await world.store
      .forRoom("fold")
      .get(
        z.object({ budget_used: z.int() }),
        sql`SELECT budget_used FROM fold_branches WHERE id = ${branchId}`,
      )
    expect(row).toEqual({ budget_used: 90 })
    await world.fold.close()
  })

  test("[FOLD-27] the marker says how much is used, and what a hook told counts as told", async () => {
    await using world = await newWorld({ budget: 100 })
    const { branchId } = await world.openBranch()
    const markerNow = async () =>
      JSON.parse(await readFile(path.join(world.folder, marker(SESSION)), "utf8"))
    const fresh = { id: branchId, budgetUsed: 0, budgetTotal: 100, told: null, scale: 1 }
    expect(await markerNow()).toEqual(fresh)
    await world.leave({ tokens: 85, told: "warned" })
    await world.fold.status({}, AGENT)
    expect(await markerNow()).toEqual({ ...fresh, budgetUsed: 85, told: "warned" })
    const call = { caller: AGENT, tool: "search", input: "q", text: "w", label: "x" }
    expect((await world.fold.meter(call)).notice).toBeUndefined()
    const child = await world.openBranch()
    expect((await markerNow()).id).toBe(child.branchId)
    await world.fold.return({ branchId: child.branchId, message: "done" }, AGENT)
    await expect.poll(async () => (await markerNow()).id).toBe(branchId)
  })

  test("[FOLD-6] a warning that only a hook's charge made due comes with the next answer of our tools, once", async () => {
    await using world = await newWorld({ budget: 100 })
    await world.openBranch()
    await world.leave({ tokens: 85 })
    const call = { caller: AGENT, tool: "search", input: "q", text: "w", label: "x" }
    expect((await world.fold.meter(call)).notice).toContain("has used 87 % of its budget")
    expect((await world.fold.meter(call)).notice).toBeUndefined()
  })

  test("[FOLD-27] our own tools are charged where they answer, and not again", async () => {
    await using world = await newWorld()
    await world.openBranch()
    await world.leave({ tool: "mcp__qm__search", textUnits: 4_000 })
    await world.leave({ tool: "mcp__other__find", textUnits: 40 })
    const call = { caller: AGENT, tool: "search", input: words(2), text: words(3), label: "x" }
    await world.fold.meter(call)
    expect((await world.fold.status({}, AGENT)).branch?.budgetUsed).toBe(15)
    expect(await world.fold.hasReadUntrusted(SESSION)).toBe(true)
  })

  test("[FOLD-27] secrets in names are scrubbed; damaged lines and those of other sessions are skipped", async () => {
    await using world = await newWorld()
    const { branchId } = await world.openBranch()
    const token = fakeToken()
    await world.leave({ tool: `t-${token}`, textUnits: 4, paths: [`src/${token}.ts`, 7] })
    await appendFile(path.join(world.folder, `${digest(SESSION)}.jsonl`), '{"torn\n[]\n\0\n')
    const wrong = [{ textUnits: -4 }, { textUnits: 1.5 }, { textUnits: "4" }, { tool: 7 }]
    for (const line of wrong) await world.leave({ textUnits: 4, ...line })
    await world.leave({ textUnits: 4, session: "another" })
    expect((await world.fold.status({}, AGENT)).branch?.budgetUsed).toBe(1)
    expect(JSON.stringify(await world.fold.show({ id: branchId }))).not.toContain(token)
  })
})

test("[FOLD-27] when several processes drain at once, each line goes to one of them", async () => {
  await using temp = await tempDirectory()
  const folder = path.join(temp.path, "charges")
  await mkdir(folder)
  const children = [1, 2, 3].map((n) => drainInChild(temp.path, `ready-${n}`))
  // A process that starts earlier would get all lines.
  const ready = () => readdirSync(temp.path).filter((it) => it.startsWith("ready-")).length
  await expect.poll(ready, { timeout: 60_000 }).toBe(3)
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
    await expect.poll(isThere, { interval: 1, timeout: 60_000 }).toBe(false)
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
