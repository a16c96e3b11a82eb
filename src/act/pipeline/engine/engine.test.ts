import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import { parseDatabaseUrl } from "#ground/store"
import { needs } from "#test/needs"
import { newPipelines, PIPELINE_OWNER, type PipelineRoom, SIX_STAGES } from "#test/pipeline-room"
import { startPostgres } from "#test/postgres"
import type { StageWork } from "../stage.ts"

const AUTO = { ...SIX_STAGES, autoAdvance: true }
const THERE = { ...PIPELINE_OWNER, pid: 77, instance: "2" }
const started = { agent: "tester", query: "x", depth: "standard", auto: false } as const

function held(): { work: StageWork; go(): void; begun: Promise<void>; runs(): number } {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let runs = 0
  const work: StageWork = async ({ effects }) => {
    const label = { tool: "Knowledge Base Search", kind: "search", title: "wait" } as const
    const found = await effects.step("wait", label, async () => {
      runs++
      begun.resolve()
      await gate.promise
      return { result: "waited" }
    })
    return { output: { found }, summary: found }
  }
  return { work, go: gate.resolve, begun: begun.promise, runs: () => runs }
}

const typesOf = async (room: Pick<PipelineRoom, "show">): Promise<string[]> =>
  (await room.show("p-1")).events.map((it) => it.body.type)

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(5)
}

test("[PIPE-15] `stop` cancels a run in this process at once, also effects that ignore the signal", async () => {
  const { work, begun } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  await room.run(started)
  await begun
  expect(await room.stop("p-1")).toMatchObject({
    status: "stopped",
    isPartial: true,
    reason: "Stopped by the user",
  })
  const last = (await room.show("p-1")).events.slice(-2).map((it) => it.body)
  expect(last).toMatchObject([{ outcome: "stopped" }, { type: "run_completed" }])
})

test("[PIPE-15] `stop` reaches the process that works on the run", async () => {
  const { work, begun } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  await room.run(started)
  await begun
  const other = room.another({ owner: THERE, isAlive: () => true })
  expect(await other.stop("p-1")).toMatchObject({ status: "stopped" })
  await room.settled("p-1")
  await other.close()
})

test("[PIPE-15] a paused run, or one without a process, is stopped by the caller itself", async () => {
  await using room = await newPipelines()
  await room.goes()
  const other = room.another({ owner: THERE })
  expect(await other.stop("p-1")).toMatchObject({ status: "stopped" })
  await other.close()
})

test("[PIPE-11] while a run is paused nothing runs and no process holds its lease", async () => {
  await using room = await newPipelines()
  await room.goes()
  const before = await typesOf(room)
  room.watch()
  expect(await room.recover()).toBe(0)
  await systemClock.sleep(50)
  expect(await typesOf(room)).toEqual(before)
  expect(before.at(-1)).toBe("pause_requested")
})

test("[PIPE-16] of two answers to one pause the first counts, and the second is rejected", async () => {
  const { work, go } = held()
  await using room = await newPipelines({ stages: { web: work } })
  await room.goes()
  const other = room.another({ owner: THERE, isAlive: () => true })
  const both = await Promise.allSettled([room.resume("p-1", "one"), other.resume("p-1", "two")])
  expect(both.map((it) => it.status).toSorted()).toEqual(["fulfilled", "rejected"])
  expect(both.find((it) => it.status === "rejected")?.reason).toMatchObject({
    code: "PIPELINE_NOT_PAUSED",
  })
  go()
  await Promise.all([room.settled("p-1"), other.settled("p-1")])
  expect((await typesOf(room)).filter((it) => it === "resumed")).toHaveLength(1)
  expect((await room.show("p-1")).run.status).toBe("completed")
  await other.close()
})

test("[PIPE-17] a run whose process died is interrupted, and the watcher of another process resumes it", async () => {
  const { work, begun, go, runs } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  const dead = room.another({ owner: THERE })
  await dead.run(started)
  await begun
  expect(await room.list({ limit: 1 })).toMatchObject({ runs: [{ status: "interrupted" }] })
  expect(await room.recover()).toBe(1)
  expect((await room.show("p-1")).run).toMatchObject({ status: "interrupted" })
  room.watch()
  go()
  await until(async () => (await room.show("p-1")).run.endedAt !== null)
  const { run, events } = await room.show("p-1")
  expect(run).toMatchObject({ status: "completed", stages: [{}, {}, { attempt: 2 }, {}, {}, {}] })
  expect(runs()).toBe(2)
  const calls = events.filter((it) => it.body.type === "llm_called")
  expect(calls).toHaveLength(2)
  await dead.close()
})

test("[PIPE-17] an interrupted run can be resumed by hand", async () => {
  const { work, begun, go } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  const dead = room.another({ owner: THERE })
  await dead.run(started)
  await begun
  go()
  await dead.close()
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
  expect(await typesOf(room)).not.toContain("resumed")
})

test("[PIPE-17] a run of another machine is left alone until its lease expires", async () => {
  const { work, begun, go } = held()
  let aheadMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs }
  await using room = await newPipelines({
    config: AUTO,
    stages: { retrieve: work },
    deps: { clock },
  })
  const far = room.another({ owner: { ...THERE, machine: "far" }, clock: systemClock })
  await far.run(started)
  await begun
  expect(await room.recover()).toBe(0)
  aheadMs = 60_000
  expect(await room.recover()).toBe(1)
  go()
  await far.close()
})

test("[PIPE-16] a process that lost its run writes nothing more to it", async () => {
  const { work, begun, go } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  const slow = room.another({ owner: THERE })
  await slow.run(started)
  await begun
  // Another process considers it dead although it is only slow.
  await room.resume("p-1", "you")
  go()
  await Promise.all([room.settled("p-1"), slow.settled("p-1")])
  const types = await typesOf(room)
  expect(types.filter((it) => it === "run_completed")).toHaveLength(1)
  expect(types.filter((it) => it === "stage_output")).toHaveLength(6)
  await slow.close()
})

test("[PIPE-15] a process that shuts down releases its runs unchanged", async () => {
  const { work, begun } = held()
  await using room = await newPipelines({ config: AUTO, stages: { retrieve: work } })
  const leaving = room.another()
  await leaving.run(started)
  await begun
  await leaving.close()
  const { run, events } = await room.show("p-1")
  expect([run.status, events.at(-1)?.body]).toMatchObject(["interrupted", { phase: "started" }])
})

test("a stage that was interrupted 100 times pauses the run before the next attempt", async () => {
  let begun = Promise.withResolvers<void>()
  const ask: StageWork = () => {
    begun.resolve()
    return new Promise(() => {})
  }
  await using room = await newPipelines({ stages: { ask } })
  for (let nth = 0; nth < 100; nth++) {
    begun = Promise.withResolvers<void>()
    const next = room.another()
    await (nth === 0 ? next.run(started) : next.resume("p-1", "you"))
    await begun.promise
    await next.close()
  }
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({
    status: "paused",
    error: { code: "PIPELINE_STAGE_CUT_TOO_OFTEN" },
  })
})

test.runIf(needs("PIPE-30", "postgres"))(
  "two servers on one Postgres share runs: start, answer and stop",
  async () => {
    await using cluster = await startPostgres()
    const location = parseDatabaseUrl(await cluster.createDatabase())
    const { work, begun } = held()
    await using here = await newPipelines({ location, stages: { web: work } })
    await using there = await newPipelines({
      location,
      stages: { web: work },
      deps: { owner: { ...THERE, machine: "there" } },
    })
    const made = await Promise.all([here.run(started), there.run(started)])
    expect(made.map((it) => it.id).toSorted()).toEqual(["p-1", "p-2"])
    await Promise.all([here.settled("p-1"), here.settled("p-2")])
    await Promise.all([there.settled("p-1"), there.settled("p-2")])
    await there.resume("p-1", "you")
    await begun
    expect(await here.stop("p-1")).toMatchObject({ status: "stopped" })
    expect(await there.stop("p-2")).toMatchObject({ status: "stopped" })
  },
)

test("[PIPE-15] a process that does not react to `stop` is named after a timeout", async () => {
  const { work, begun } = held()
  await using room = await newPipelines({
    config: AUTO,
    stages: { retrieve: work },
    deps: { onAdvance: () => () => {} },
  })
  await room.run(started)
  await begun
  let passedMs = 0
  const clock = {
    ...systemClock,
    monotonicMs: () => passedMs,
    sleep: async (ms: number) => void (passedMs += ms),
  }
  const other = room.another({ owner: THERE, isAlive: () => true, clock })
  await expect(other.stop("p-1")).rejects.toMatchObject({ code: "PIPELINE_AT_WORK_ELSEWHERE" })
  await other.close()
})
