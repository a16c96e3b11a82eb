import { expect, test } from "vitest"
import type { PipelineEventBody } from "#ground/contract"
import { sql } from "#ground/store"
import {
  echo,
  newPipelines,
  type PipelineRoom,
  SIX_STAGES,
  scriptedModel,
} from "#test/pipeline-room"
import type { StageWork } from "./stage.ts"

const AUTO = { ...SIX_STAGES, autoAdvance: true }
const { signal } = new AbortController()

async function bodiesOf(room: PipelineRoom, id = "p-1"): Promise<PipelineEventBody[]> {
  return (await room.show(id)).events.map((it) => it.body)
}

const edit = (room: PipelineRoom, query: ReturnType<typeof sql>) =>
  room.store.forRoom("pipeline").transaction((tx) => tx.run(query))

const loseTail = (room: PipelineRoom, after: number) =>
  edit(room, sql`DELETE FROM pipeline_events WHERE run = ${"p-1"} AND seq > ${after}`)

const damage = (room: PipelineRoom) =>
  edit(room, sql`UPDATE pipeline_events SET body = ${"{}"} WHERE run = ${"p-1"} AND seq = ${2}`)

test("[PIPE-4] a run that lost its pause event is interrupted and can be resumed or stopped", async () => {
  await using room = await newPipelines()
  const { lastSeq } = await room.goes()
  await loseTail(room, lastSeq - 1)
  expect((await room.show("p-1")).run).toMatchObject({ status: "interrupted", pause: null })
  for (const answered of [room.amend("p-1", "x", "you"), room.skip("p-1", "you")]) {
    await expect(answered).rejects.toMatchObject({
      code: "PIPELINE_NOT_PAUSED",
      hint: expect.stringContaining("qm pipeline resume p-1"),
    })
  }
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "paused", pause: { stage: 0 } })
  await loseTail(room, lastSeq - 1)
  expect(await room.stop("p-1")).toMatchObject({ status: "stopped" })
})

test("[PIPE-4] a run that lost its end event continues from there", async () => {
  await using room = await newPipelines({ config: AUTO })
  const { lastSeq } = await room.goes()
  await loseTail(room, lastSeq - 1)
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "completed", lastSeq })
})

test("[PIPE-4] a damaged run reports what to do, can be stopped, and its list row has the reason", async () => {
  await using room = await newPipelines()
  await room.goes()
  await damage(room)
  await expect(room.show("p-1")).rejects.toMatchObject({
    code: "PIPELINE_STATE_DAMAGED",
    hint: expect.stringContaining("qm pipeline stop p-1"),
  })
  const ended = { status: "failed", error: { code: "PIPELINE_STATE_DAMAGED" }, isPartial: true }
  expect(await room.stop("p-1")).toMatchObject({ ...ended, stages: [] })
  expect(await room.list({ limit: 1 })).toMatchObject({ runs: [ended] })
  await expect(room.stop("p-1")).rejects.toMatchObject({ code: "PIPELINE_ENDED" })
})

test("[PIPE-17] a damaged run that should be working is abandoned once, and other runs continue", async () => {
  const gate = Promise.withResolvers<void>()
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let nth = 0
  const retrieve: StageWork = async () => {
    begun[nth++]?.resolve()
    await gate.promise
    return { output: [], summary: "" }
  }
  await using room = await newPipelines({ config: AUTO, stages: { retrieve } })
  const leaving = room.another()
  for (const it of begun) {
    await leaving.run({ agent: "tester", query: "x", depth: "quick", auto: true })
    await it.promise
  }
  await leaving.close()
  await damage(room)
  const ended = Promise.withResolvers<void>()
  room.onChange(({ id }) => {
    if (id === "p-2") ended.resolve()
  })
  gate.resolve()
  room.watch()
  await ended.promise
  expect(await room.finished("p-2")).toMatchObject({ status: "completed" })
  expect((await room.list({ limit: 2 })).runs.map((it) => it.status)).toEqual([
    "completed",
    "failed",
  ])
})

test("[PIPE-16] an answer to a pause that was already answered is rejected with that reason", async () => {
  await using room = await newPipelines()
  const { pause } = await room.goes()
  const by = { by: "you", pause: pause?.pauseId }
  await room.amend("p-1", "shorter", by)
  expect(await room.finished("p-1")).toMatchObject({ status: "paused" })
  const late = [
    () => room.resume("p-1", by),
    () => room.amend("p-1", "again", by),
    () => room.skip("p-1", by),
    () => room.say("p-1", { text: "yes", signal, ...by }),
  ]
  for (const answer of late) {
    await expect(answer()).rejects.toMatchObject({
      code: "PIPELINE_NOT_PAUSED",
      hint: expect.stringContaining("already answered"),
    })
  }
  const now = (await room.show("p-1")).run.pause?.pauseId
  await room.resume("p-1", { by: "you", pause: now })
  expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
})

test("[PIPE-18] an output that did not pass is taken over as not passed", async () => {
  const verify: StageWork = async () => ({
    output: { isPassed: false },
    summary: "not passed",
    failed: { problems: ["no source"], feedback: "cite it" },
  })
  await using room = await newPipelines({ config: AUTO, stages: { verify } })
  expect(await room.goes()).toMatchObject({ isPartial: true })
  await room.rerun("p-1", { stage: "output", by: "you" })
  expect(await room.finished("p-2")).toMatchObject({
    status: "completed",
    isPartial: true,
    reason: "All stages are done; Check did not pass",
  })
})

test("[PIPE-1] a required stage without its requirements fails with a code", async () => {
  const stages = SIX_STAGES.stages.map((it) => ({ ...it, optional: false }))
  const web: StageWork = async () => ({ output: null, summary: "", skipped: "No web source" })
  await using room = await newPipelines({ config: { ...AUTO, stages }, stages: { web } })
  expect(await room.goes("x", { auto: true })).toMatchObject({
    status: "failed",
    error: { code: "PIPELINE_STAGE_NEEDS_MISSING" },
  })
})

test("[PIPE-10] a unit can name the output field that becomes the feedback", async () => {
  const fed: (string | undefined)[] = []
  const verify: StageWork = async ({ iteration, feedback }) => {
    fed.push(feedback)
    const failed = { problems: ["no"], feedback: "of the stage" }
    const output = { advice: ["cite 2", "cut 3"] }
    return { output, summary: "", ...(iteration === 0 ? { failed } : {}) }
  }
  const play = async (feedbackField: string) => {
    const repairUnits = [{ stages: ["write", "check"], maxIterations: 1, feedbackField }]
    await using room = await newPipelines({ config: { ...AUTO, repairUnits }, stages: { verify } })
    await room.goes()
  }
  await play("advice")
  await play("nothing")
  expect(fed).toEqual([undefined, "cite 2\ncut 3", undefined, "of the stage"])
})

test("[PIPE-24] a run with an empty query is rejected", async () => {
  await using room = await newPipelines()
  await expect(room.goes("  \n ")).rejects.toMatchObject({ code: "PIPELINE_TEXT_EMPTY" })
  expect(await room.list({ limit: 1 })).toEqual({ runs: [] })
})

test("[PIPE-35] an unapproved source is reported before the first stage", async () => {
  await using room = await newPipelines({
    config: AUTO,
    deps: { unapproved: async () => ["archive"] },
  })
  expect(await room.goes()).toMatchObject({ status: "completed" })
  expect((await bodiesOf(room))[1]).toMatchObject({
    type: "substep",
    outcome: "noted",
    title: "Source archive is not approved: qm source approve archive",
  })
  const ids = (await bodiesOf(room)).flatMap((it) =>
    it.type === "substep" && it.phase === "ended" ? [it.activityId] : [],
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test("[PIPE-35] a stage cannot use a source that its recipe does not list", async () => {
  const asking =
    (slug: string): StageWork =>
    async ({ effects }) => {
      const label = { tool: "Web Search", kind: "search", title: slug } as const
      const needs = { kind: "source", slug } as const
      await effects.step("x", { ...label, needs }, async () => ({ result: 1 }))
      return { output: slug, summary: slug }
    }
  const stages = SIX_STAGES.stages.map((it) =>
    it.name === "look" ? { ...it, scope: { sources: ["*"] } } : it,
  )
  const play = async (slug: string) => {
    await using room = await newPipelines({
      config: { ...AUTO, stages },
      stages: { web: asking(slug) },
    })
    const { status, error } = await room.goes("x", { auto: true })
    return [status, error?.code]
  }
  expect(await play("web-search")).toEqual(["completed", undefined])
  expect(await play("archive")).toEqual(["failed", "PIPELINE_OUT_OF_SCOPE"])
})

test("[PIPE-1] a run that is resumed under another provider fails before the call, and goes on under its own", async () => {
  let provider = "anthropic"
  const model = async () => ({ ...scriptedModel(echo, 0.01), provider }) as never
  await using room = await newPipelines({ deps: { model } })
  await room.goes()
  provider = "scripted"
  await room.resume("p-1", "you")
  const refused = await room.finished("p-1")
  expect(refused).toMatchObject({
    status: "paused",
    provider: "anthropic",
    error: { code: "PIPELINE_PROVIDER_CHANGED" },
    cost: { spentUsd: 0.01 },
  })
  provider = "anthropic"
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "completed" })
  provider = "scripted"
  const again = await room.rerun("p-1", { stage: "write", by: "you" })
  expect(await room.finished(again.id)).toMatchObject({ status: "completed", provider: "scripted" })
})

test("[PIPE-79] a fresh run does not build on an earlier one", async () => {
  await using room = await newPipelines({ config: AUTO })
  await room.goes("berths in spring")
  await room.goes("berths in spring and autumn")
  await room.goes("berths in spring and winter", { fresh: true })
  const priors = await Promise.all(
    ["p-2", "p-3"].map(async (id) => (await room.show(id)).run.prior),
  )
  expect(priors).toEqual(["p-1", null])
})
