import { expect, test } from "vitest"
import type { PipelineEventBody } from "#ground/contract"
import { newPipelines, type PipelineRoom, plainStages, SIX_STAGES } from "#test/pipeline-room"
import type { StageWork } from "./stage.ts"

const AUTO = { ...SIX_STAGES, autoAdvance: true }

async function bodiesOf(room: PipelineRoom, id = "p-1"): Promise<PipelineEventBody[]> {
  return (await room.show(id)).events.map((it) => it.body)
}

const typesOf = async (room: PipelineRoom, id = "p-1"): Promise<string[]> =>
  (await bodiesOf(room, id)).map((it) => it.type)

test("[PIPE-1] a run goes through its stages, pauses where the config says so, and ends", async () => {
  await using room = await newPipelines()
  const waiting = await room.goes()
  expect(waiting).toMatchObject({ id: "p-1", status: "paused", stage: 0 })
  await room.resume("p-1", "you")
  const done = await room.finished("p-1")
  expect(done).toMatchObject({
    status: "completed",
    isPartial: false,
    error: null,
    hasDocument: true,
  })
  expect(JSON.parse((await room.document("p-1")).markdown)).toEqual({
    plan: { text: "tester/plan: what is it" },
    look: { found: ["look"] },
    fetch: { found: ["fetch"] },
    write: { text: "tester/write: what is it" },
    check: { found: ["check"] },
  })
  expect(await room.list({ limit: 5 })).toMatchObject({
    runs: [{ id: "p-1", status: "completed", stagesDone: 6, stagesTotal: 6 }],
  })
})

test("[PIPE-1] a run uses the prompts, models and budget from its start", async () => {
  await using room = await newPipelines({ config: AUTO })
  await room.goes("x", { model: "fast", budget: 2 })
  const [first] = await bodiesOf(room)
  expect(first).toMatchObject({
    budgetUsd: 2,
    prompts: { "ask.md": "{{query}}" },
    provider: "scripted",
    config: { stages: [{ model: "fast" }, {}, {}, {}, {}, {}] },
  })
  const { budgetUsd: _, ...free } = AUTO
  await using other = await newPipelines({ config: free })
  await other.goes()
  expect((await bodiesOf(other))[0]).toMatchObject({ budgetUsd: 10 })
})

test("[PIPE-1] with `auto` a run never pauses and fails on an error", async () => {
  await using room = await newPipelines({
    stages: { retrieve: () => Promise.reject(new Error("no corpus, hunter2")) },
  })
  expect(await room.goes("x", { auto: true })).toMatchObject({
    status: "failed",
    isPartial: true,
    reason: "Fetch failed: Stage fetch failed: Error: no corpus, [redacted]",
    error: { code: "PIPELINE_STAGE_FAILED" },
  })
})

test("[PIPE-1] an optional stage without its requirements is skipped with a note", async () => {
  await using room = await newPipelines({
    config: AUTO,
    stages: {
      web: async () => ({ output: null, summary: "", skipped: "No web source is set up" }),
    },
  })
  const run = await room.goes()
  expect(run).toMatchObject({ status: "completed", isPartial: false })
  expect(run.stages[1]).toMatchObject({ status: "skipped", summary: "No web source is set up" })
})

test("[PIPE-12] an amended stage runs again with the message, and an empty message is rejected", async () => {
  await using room = await newPipelines()
  await room.goes()
  await expect(room.amend("p-1", "  \n", "you")).rejects.toMatchObject({
    code: "PIPELINE_TEXT_EMPTY",
  })
  await room.amend("p-1", "only hunter2", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "paused", stage: 0 })
  const plan = (await room.show("p-1")).run.stages[0]
  expect(plan).toMatchObject({ rounds: 2, attempt: 1 })
  await room.resume("p-1", "you")
  await room.finished("p-1")
  const { markdown } = await room.document("p-1")
  expect(JSON.parse(markdown)).toMatchObject({
    plan: { text: "tester/plan: what is it\nonly [redacted]" },
  })
})

test("[PIPE-13] the user can skip the next stage, which makes the run partial", async () => {
  await using room = await newPipelines()
  await room.goes()
  await room.skip("p-1", "you")
  const run = await room.finished("p-1")
  expect(run).toMatchObject({ status: "completed", isPartial: true })
  expect(run.reason).toBe("All stages are done; Look was skipped")
  await using last = await newPipelines({
    config: { stages: SIX_STAGES.stages.slice(0, 1) },
  })
  await last.goes()
  await expect(last.skip("p-1", "you")).rejects.toMatchObject({ code: "PIPELINE_NOTHING_TO_SKIP" })
})

function failing(times: number): { work: StageWork; asked(): number } {
  let asked = 0
  const { retrieve } = plainStages()
  return {
    asked: () => asked,
    work: async (fixture) => {
      asked++
      await fixture.effects.ask("sure", { title: "ask", instructions: "", prompt: "sure?" })
      if (asked <= times) throw new Error("not yet")
      return retrieve(fixture)
    },
  }
}

test("[PIPE-14] an error pauses the run, and resuming retries the stage with the recorded results", async () => {
  const { work } = failing(1)
  await using room = await newPipelines({
    config: {
      ...SIX_STAGES,
      stages: SIX_STAGES.stages.map((it) => ({ ...it, pauseAfter: false })),
    },
    stages: { retrieve: work },
  })
  const run = await room.goes()
  expect(run).toMatchObject({
    status: "paused",
    stage: 2,
    pause: { reason: "error", question: "Fetch failed. Try again?" },
    error: { code: "PIPELINE_STAGE_FAILED" },
  })
  await room.resume("p-1", "you")
  expect(await room.finished("p-1")).toMatchObject({ status: "completed", error: null })
  const asked = (await bodiesOf(room)).filter((it) => it.type === "llm_called" && it.key === "sure")
  expect(asked).toHaveLength(1)
})

test("[PIPE-14] after an error, `skip` skips the failed stage", async () => {
  const { work } = failing(9)
  await using room = await newPipelines({ stages: { retrieve: work } })
  await room.goes()
  await room.resume("p-1", "you")
  await room.finished("p-1")
  await room.skip("p-1", "you")
  const run = await room.finished("p-1")
  expect([run.status, run.stages[2]?.status]).toEqual(["completed", "skipped"])
})

const passingFrom =
  (from: number): StageWork =>
  async ({ iteration }) => {
    const failed = { problems: ["a sentence has no source"], feedback: "cite sentence 2" }
    const done = { output: { iteration }, summary: `round ${iteration}` }
    return iteration < from ? { ...done, failed } : done
  }

test("[PIPE-10] a stage that fails verification is repaired with the feedback and then passes", async () => {
  await using room = await newPipelines({ config: AUTO, stages: { verify: passingFrom(1) } })
  const run = await room.goes()
  expect(run).toMatchObject({
    status: "completed",
    isPartial: false,
    repairs: [{ used: 1, most: 2 }],
  })
  expect(JSON.parse((await room.document("p-1")).markdown)).toMatchObject({
    write: { text: "tester/write: what is it\ncite sentence 2" },
    check: { iteration: 1 },
  })
  expect(run.stages[3]).toMatchObject({ rounds: 2, cost: { spentUsd: 0.02 } })
})

test("[PIPE-10] a stage that never passes stops at the limit with a message", async () => {
  await using asking = await newPipelines({
    config: { ...SIX_STAGES, stages: AUTO.stages.map((it) => ({ ...it, pauseAfter: false })) },
    stages: { verify: passingFrom(9) },
  })
  expect(await asking.goes()).toMatchObject({ status: "paused", pause: { reason: "repair-limit" } })
  await asking.amend("p-1", "shorter sentences", "you")
  const again = await asking.finished("p-1")
  expect(again).toMatchObject({ pause: { reason: "repair-limit" } })
  expect(again.stages[3]?.rounds).toBe(4)
  await asking.resume("p-1", "you")
  const reason = "All stages are done; Check did not pass after 2 repairs"
  expect(await asking.finished("p-1")).toMatchObject({
    status: "completed",
    isPartial: true,
    reason,
  })
  await using going = await newPipelines({ config: AUTO, stages: { verify: passingFrom(9) } })
  expect(await going.goes()).toMatchObject({ status: "completed", isPartial: true, reason })
})

test("[PIPE-9] a budget warns once at 80 % and ends the run before the next call when spent", async () => {
  let calls = 0
  await using room = await newPipelines({
    config: {
      ...AUTO,
      stages: SIX_STAGES.stages.map((it) => ({ ...it, budgetUsd: undefined })),
      budgetUsd: 0.25,
    },
    usd: 0.1,
    brain: async () => ({ text: `${++calls}` }),
    stages: { verify: passingFrom(9) },
  })
  const run = await room.goes()
  expect(run).toMatchObject({
    status: "over-budget",
    isPartial: true,
    cost: { spentUsd: 0.3, budgetUsd: 0.25 },
    reason: "The budget of the run is spent ($0.30 of $0.25); the next call was not made",
  })
  expect(calls).toBe(3)
  const types = await typesOf(room)
  expect(types.filter((it) => it.startsWith("budget"))).toEqual([
    "budget_warned",
    "budget_exceeded",
  ])
  expect(types.at(-1)).toBe("run_completed")
})

test("[PIPE-9] a stage's own budget covers its repairs", async () => {
  const stages = AUTO.stages.map((it) => (it.name === "write" ? { ...it, budgetUsd: 0.15 } : it))
  await using room = await newPipelines({
    config: { ...AUTO, stages },
    usd: 0.1,
    stages: { verify: passingFrom(9) },
  })
  expect(await room.goes()).toMatchObject({
    status: "over-budget",
    reason: "The budget of write is spent ($0.20 of $0.15); the next call was not made",
  })
})

test("[PIPE-24] commands on unknown, ended or working runs are rejected with a code", async () => {
  await using room = await newPipelines()
  const { signal } = new AbortController()
  const all = (id: string) => ({
    resume: room.resume(id, "you"),
    amend: room.amend(id, "x", "you"),
    skip: room.skip(id, "you"),
    stop: room.stop(id),
  })
  const codesOf = async (asked: Record<string, Promise<unknown>>) =>
    Promise.all(
      Object.values(asked).map((it) =>
        it.then(
          () => "done",
          (error) => error.code,
        ),
      ),
    )
  expect(new Set(await codesOf(all("p-77")))).toEqual(new Set(["PIPELINE_UNKNOWN"]))
  await expect(room.say("../p-1", { text: "x", by: "you", signal })).rejects.toMatchObject({
    code: "PIPELINE_UNKNOWN",
  })
  await room.goes()
  await room.stop("p-1")
  expect(new Set(await codesOf(all("p-1")))).toEqual(new Set(["PIPELINE_ENDED"]))
  await expect(room.document("p-1")).rejects.toMatchObject({ code: "PIPELINE_DOCUMENT_MISSING" })
})

test("[PIPE-28] an unknown, broken or untrusted recipe does not run", async () => {
  await using room = await newPipelines({ config: { stages: [{ name: "x", kind: "ask" }] } })
  const run = (agent: string) => room.run({ agent, query: "x", depth: "quick", auto: false })
  await expect(run("nobody")).rejects.toMatchObject({ code: "PIPELINE_RECIPE_UNKNOWN" })
  await expect(run("tester")).rejects.toMatchObject({ code: "PIPELINE_RECIPE_INVALID" })
  await using other = await newPipelines()
  const { recipes } = await other.recipes.list()
  const untrusted = { ...recipes[0], slug: "tester", isTrusted: false }
  const folders = { ...other.recipes, find: async () => ({ recipe: untrusted, prompts: [] }) }
  const foreign = other.another({ folders: folders as never })
  await expect(
    foreign.run({ agent: "tester", query: "x", depth: "quick", auto: false }),
  ).rejects.toMatchObject({ code: "PIPELINE_RECIPE_UNTRUSTED" })
})

test("[PIPE-18] a rerun from a stage is a new run that takes over the earlier outputs", async () => {
  let calls = 0
  await using room = await newPipelines({
    config: AUTO,
    brain: async ({ prompt }) => ({ text: `${++calls} ${prompt}` }),
  })
  await room.goes()
  await room.rerun("p-1", { stage: "write", edit: "shorter", by: "you" })
  const run = await room.finished("p-2")
  expect(run).toMatchObject({ status: "completed", from: { run: "p-1", stage: 3 } })
  expect(calls).toBe(3)
  expect(JSON.parse((await room.document("p-2")).markdown)).toMatchObject({
    plan: { text: "1 what is it" },
    write: { text: "3 what is it\nshorter" },
  })
  const types = await typesOf(room, "p-2")
  expect(types.slice(0, 6)).toEqual([
    "run_started",
    "stage_output",
    "stage_output",
    "stage_output",
    "amended",
    "stage_started",
  ])
  expect((await room.show("p-1")).run.lastSeq).toBeLessThan(40)
  expect(await room.compare("p-1", "p-2")).toMatchObject({
    stages: [{ name: "plan", isSame: true }, {}, {}, { name: "write", isSame: false }, {}, {}],
  })
})

test("[PIPE-18] a stage is given by name or number, and a missing or unreached one is rejected", async () => {
  await using room = await newPipelines()
  await room.goes()
  const rerun = (stage: string) => room.rerun("p-1", { stage, by: "you" })
  for (const stage of ["nothing", "6", "-1", "1.5", "0x1"]) {
    await expect(rerun(stage)).rejects.toMatchObject({ code: "PIPELINE_STAGE_UNKNOWN" })
  }
  await expect(rerun("fetch")).rejects.toMatchObject({ code: "PIPELINE_STAGE_NOT_REACHED" })
  expect(await rerun("1")).toMatchObject({ from: { run: "p-1", stage: 1 } })
  await room.finished("p-2")
})

test("[PIPE-23] secrets are neither stored nor emitted: not in the query, results, answers or errors", async () => {
  const texts: string[] = []
  await using room = await newPipelines({
    config: AUTO,
    brain: async () => ({ text: "the password is hunter2" }),
    stages: {
      retrieve: async ({ effects }) => {
        const label = { tool: "Knowledge Base Search", kind: "search", title: "hunter2" } as const
        await effects.step("x", label, async () => ({
          result: { deep: ["hunter2"] },
          detail: "hunter2",
        }))
        throw new Error("hunter2 failed")
      },
    },
  })
  room.onText(({ text }) => void texts.push(text))
  await room.goes("tell me hunter2")
  const events = JSON.stringify((await room.show("p-1")).events)
  expect([events.includes("hunter2"), texts.join("").includes("hunter2")]).toEqual([false, false])
  expect(events).toContain("the password is [redacted]")
})

test("[PIPE-22] text is emitted while it is generated, and an empty text ends it", async () => {
  const told: { stage: number; activityId: string; text: string }[] = []
  await using room = await newPipelines({ config: AUTO })
  room.onText((it) => void told.push(it))
  await room.goes()
  const first = told.filter((it) => it.activityId === "orch-llm-1")
  expect(first.at(-1)?.text).toBe("")
  expect(first.length).toBeGreaterThan(1)
  expect(told.every((it) => it.stage === 0 || it.stage === 3)).toBe(true)
})

test("[PIPE-26] the transcript of a run has its activities", async () => {
  await using room = await newPipelines({ config: AUTO })
  await room.goes()
  const tools = (await room.transcript("p-1")).flatMap((it) => {
    const event = it.metadata["event"] as { event: string; tool?: string; activityId?: string }
    const isStep = event?.event === "activity.started" && event.tool !== "Stage"
    return isStep ? [`${event.activityId} ${event.tool}`] : []
  })
  expect(tools).toEqual([
    "p-1/orch-llm-1 LLM Analysis",
    "p-1/orch-web-2 Web Search",
    "p-1/orch-kb-3 Knowledge Base Search",
    "p-1/orch-llm-4 LLM Analysis",
    "p-1/orch-cite-5 Citation Verification",
  ])
})

test("[PIPE-24] recipes are listed, shown with their runs, and found by name", async () => {
  await using room = await newPipelines({ config: AUTO })
  await room.goes()
  expect(await room.recipes.list()).toMatchObject({ recipes: [{ slug: "tester" }] })
  expect(await room.recipes.show("tester")).toMatchObject({
    prompts: [{ file: "ask.md" }],
    runs: [{ id: "p-1" }],
  })
  expect(await room.recipes.mentioned("@tester what now")).toMatchObject({
    slug: "tester",
    query: "what now",
  })
  expect(await room.recipes.mentioned("what now")).toBeUndefined()
})
