import { expect, test } from "vitest"
import { PipelineConfig, type PipelineEventBody, PipelineLine, PipelineRun } from "#ground/contract"
import {
  begun,
  called,
  completed,
  failed,
  output,
  paused,
  started,
  stateAfter,
  substep,
  THREE,
} from "./events.fixture.ts"
import { costOf, stageCost } from "./state.ts"
import { documentOf, lineView, runView, titleOf } from "./views.ts"

const here = { isAlone: false }

test("[PIPE-25] a run view has its stages, its pause and its cost against the budgets", () => {
  const plan = { subQueries: [{ question: "who", target: "handbook" }, "when"], notes: ["x"] }
  const view = runView(
    stateAfter(started(), begun(0), substep(0), called(0), output(0, plan), paused(0)),
    here,
  )
  expect(PipelineRun.parse(view)).toEqual(view)
  expect(view).toMatchObject({
    id: "p-1",
    status: "paused",
    stage: 0,
    title: "what is it",
    cost: { spentUsd: 0.1, budgetUsd: 1, unknownCalls: 0 },
    repairs: [{ first: 1, last: 2, used: 0, most: 2 }],
    isPartial: true,
    hasDocument: false,
  })
  expect(view.stages.map((it) => [it.status, it.summary, it.cost.budgetUsd, it.pauses])).toEqual([
    ["paused", "stage 0 done", 0.2, true],
    ["waiting", null, 0.5, false],
    ["waiting", null, 0.3, false],
  ])
})

test("[PIPE-25] a pause lists what is decided and the effect of each answer", () => {
  const plan = {
    clarity: 0.9,
    subQueries: [
      { question: "who", target: "handbook" },
      { question: "when", why: "it matters", isChanged: true },
      "what counts",
      { question: "" },
      7,
    ],
  }
  const { pause } = runView(stateAfter(started(), begun(0), output(0, plan), paused(0)), here)
  expect(pause).toEqual({
    pauseId: "pause-1",
    stage: 0,
    reason: "configured",
    question: "Is this the plan you want?",
    since: 4_000,
    lines: [
      { text: "who", note: "handbook" },
      { text: "when", note: "changed" },
      { text: "what counts", note: "" },
    ],
    isConfirmingExit: false,
    choices: [
      { key: "1", word: "Proceed", consequence: "Continue with Write, at most $0.80" },
      { key: "2", word: "Amend", consequence: "Describe the change; Plan runs again" },
      { key: "3", word: "Exit", consequence: "End here; the results so far are stored" },
    ],
  })
})

test("[PIPE-25] a pause has texts without budgets, after an error and after the last stage", () => {
  const free = PipelineConfig.parse({
    ...THREE,
    stages: THREE.stages.map((it) => ({ ...it, budgetUsd: undefined })),
  })
  const proceed = (...bodies: readonly PipelineEventBody[]) =>
    runView(stateAfter(...bodies), here).pause?.choices[0]?.consequence
  expect(proceed(started({ config: free }), begun(0), output(0), paused(0))).toBe(
    "Continue with Write",
  )
  expect(proceed(started(), begun(0), paused(0, "error"))).toBe("Retry Plan")
  expect(proceed(started(), begun(2), output(2), paused(2))).toBe(
    "The run ends with its current results",
  )
})

test("[PIPE-25] while an exit waits for confirmation, the choices are yes and no", () => {
  const pending = { type: "breakout_pending", message: "stop", by: "you" } as const
  const { pause } = runView(
    stateAfter(started(), begun(0), output(0, ["a text"]), paused(0), pending),
    here,
  )
  expect(pause).toMatchObject({
    isConfirmingExit: true,
    lines: [],
    question: "Leave this run? Its results so far are stored. 1 yes / 2 no",
    choices: [
      { key: "1", word: "Yes" },
      { key: "2", word: "No" },
    ],
  })
})

test("[PIPE-25] long lines of a pause are truncated, and there are at most 50", () => {
  const many = { list: Array.from({ length: 80 }, () => "x".repeat(1_000)) }
  const { pause } = runView(stateAfter(started(), begun(0), output(0, many), paused(0)), here)
  expect([pause?.lines.length, pause?.lines[0]?.text.length]).toEqual([50, 300])
})

test("[PIPE-17] a run without a process is shown as interrupted, and its stage as not running", () => {
  const state = stateAfter(started(), begun(0))
  expect(runView(state, here)).toMatchObject({
    status: "running",
    stages: [{ status: "running" }, {}, {}],
  })
  const alone = runView(state, { isAlone: true })
  expect(alone).toMatchObject({ status: "interrupted", stages: [{ status: "waiting" }, {}, {}] })
  for (const [status, shown] of [
    ["stopped", "waiting"],
    ["over-budget", "failed"],
  ] as const) {
    const over = runView(stateAfter(started(), begun(0), completed({ status })), here)
    expect(over).toMatchObject({ status, stage: null, stages: [{ status: shown }, {}, {}] })
  }
})

test("[PIPE-14] a failed stage is shown as failed while the run waits for the user", () => {
  const state = stateAfter(started(), begun(1), paused(1, "error"))
  expect(runView(state, here).stages[1]?.status).toBe("failed")
})

test("[PIPE-25] a list row has the fields that a list shows", () => {
  const state = stateAfter(
    started({ from: { run: "p-0", stage: 1, edit: "x" } }),
    begun(0),
    output(0),
    begun(1),
  )
  const line = lineView(state)
  expect(PipelineLine.parse(line)).toEqual(line)
  expect(line).toMatchObject({
    stageTitle: "Write",
    stagesDone: 1,
    stagesTotal: 3,
    from: { run: "p-0", stage: 1 },
  })
  expect(lineView(stateAfter(started(), begun(2), output(2)))).toMatchObject({ stageTitle: null })
})

test("[PIPE-25] the title is the first line of the query, truncated", () => {
  expect(titleOf("  one\ntwo ")).toBe("one")
  expect(titleOf("x".repeat(100))).toBe(`${"x".repeat(79)}…`)
})

test("the cost is the sum of all recorded calls, including repairs and messages after the end", () => {
  const said = {
    type: "said",
    key: "say/1",
    message: "m",
    answer: "a",
    model: "m",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    usd: 0.1,
  } as const
  const repair = { type: "repair_started", unit: 0, iteration: 1, feedback: "x" } as const
  const agent = substep(1, {
    phase: "ended",
    activityId: "orch-agent-3",
    usd: 0.1,
    outcome: "done",
  })
  const state = stateAfter(
    started(),
    begun(1),
    called(1),
    output(1),
    begun(2),
    failed(2),
    output(2),
    repair,
    begun(1, 1, 1),
    called(1),
    agent,
    completed(),
    said,
  )
  expect(costOf(state)).toEqual({ spentUsd: 0.4, unknownCalls: 0 })
  expect(stageCost(state, 1)).toEqual({ spentUsd: 0.3, unknownCalls: 0 })
  expect(stageCost(state, 9)).toEqual({ spentUsd: 0, unknownCalls: 0 })
  expect(state.usage).toEqual({ input: 21, output: 5, cacheRead: 0, cacheWrite: 0 })
})

test("[PIPE-25] the document is the output of the newest document stage", () => {
  const config = PipelineConfig.parse({
    stages: [{ name: "output", title: "Output", kind: "document" }],
  })
  const wrote = (value: unknown) => stateAfter(started({ config }), begun(0), output(0, value))
  expect(documentOf(wrote({ markdown: "# It" }))).toEqual({
    id: "p-1",
    title: "what is it",
    markdown: "# It",
    isPartial: true,
    note: "the run has not ended",
    references: [],
  })
  const ended = (end: Parameters<typeof completed>[0]) =>
    documentOf(
      stateAfter(started({ config }), begun(0), output(0, { markdown: "" }), completed(end)),
    )?.note
  expect(ended({})).toBeNull()
  const notPassed = "All stages are done; Verify did not pass"
  expect(ended({ isPartial: true, reason: notPassed })).toBe(notPassed)
  expect(ended({ isPartial: true, status: "stopped", reason: "by you" })).toBe(
    "the run did not finish (by you)",
  )
  expect(documentOf(wrote({ title: "T", markdown: "" }))).toMatchObject({ title: "T" })
  expect(documentOf(wrote("prose"))).toBeUndefined()
  expect(documentOf(stateAfter(started()))).toBeUndefined()
})
