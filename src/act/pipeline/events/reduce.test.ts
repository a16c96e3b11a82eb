import fc from "fast-check"
import { expect, test } from "vitest"
import type { PipelineEventBody } from "#ground/contract"
import { fcParameters } from "#test/seed"
import {
  begun,
  called,
  completed,
  eventsOf,
  failed,
  output,
  paused,
  started,
  stateAfter,
  substep,
} from "./events.fixture.ts"
import { replay } from "./reduce.ts"

const resumed: PipelineEventBody = { type: "resumed", by: "you" }
const amended = (stage: number): PipelineEventBody => ({
  type: "amended",
  by: "you",
  stage,
  text: "shorter",
})
const skipped = (stage: number, by = "you"): PipelineEventBody => ({
  type: "skipped",
  by,
  stage,
  reason: "not needed",
})
const repair = (iteration: number): PipelineEventBody => ({
  type: "repair_started",
  unit: 0,
  iteration,
  feedback: "cite it",
})
const pending: PipelineEventBody = { type: "breakout_pending", message: "stop it", by: "you" }
const said: PipelineEventBody = {
  type: "said",
  key: "say/1",
  message: "and now",
  answer: "this",
  model: "m",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  usd: null,
}
const oops: PipelineEventBody = {
  type: "error",
  stage: 0,
  code: "MODEL_BUSY",
  message: "busy",
  hint: "",
}

test("the state is derived from the events alone", () => {
  const state = stateAfter(started(), begun(0), called(0), output(0), paused(0))
  expect(state).toMatchObject({
    id: "p-1",
    createdAt: 1_000,
    updatedAt: 5_000,
    lastSeq: 5,
    cursor: 1,
    pause: { stage: 0, since: 5_000, pending: undefined },
    stages: [
      { status: "done", attempt: 1, rounds: 1, output: { stage: 0 }, startedAt: 2_000 },
      { status: "waiting", attempt: 0, hasOutput: false },
      { status: "waiting" },
    ],
  })
})

test.each([
  ["the start", [], { cursor: 0, pause: undefined }],
  ["a resumed pause", [begun(0), output(0), paused(0), resumed], { cursor: 1, pause: undefined }],
  [
    "a retried error",
    [begun(0), oops, paused(0, "error"), resumed],
    { cursor: 0, pause: undefined, error: { code: "MODEL_BUSY" } },
  ],
  [
    "an amendment: the stage runs again",
    [begun(0), output(0), paused(0), amended(0)],
    { cursor: 0, stages: [{ status: "waiting", attempt: 0, amendments: ["shorter"] }, {}, {}] },
  ],
  [
    "a skipped stage",
    [begun(0), output(0), paused(0), skipped(1)],
    { cursor: 2, stages: [{}, { status: "skipped", skippedBy: "you" }, {}] },
  ],
  [
    "an exit that waits for confirmation",
    [begun(0), output(0), paused(0), pending],
    { pause: { pending: "stop it" } },
  ],
  [
    "a denied exit",
    [begun(0), output(0), paused(0), pending, resumed],
    { pause: undefined, cursor: 1 },
  ],
  [
    "an exit",
    [begun(0), output(0), paused(0), pending, { type: "breakout", message: "stop it" }],
    { pause: undefined, breakout: "stop it" },
  ],
  [
    "a repair: the unit starts over",
    [begun(1), output(1), begun(2), failed(2), output(2), repair(1)],
    {
      cursor: 1,
      repairs: [1],
      feedback: ["cite it"],
      stages: [{}, { attempt: 0 }, { attempt: 0 }],
    },
  ],
  [
    "a failed check",
    [begun(2), failed(2), output(2)],
    { stages: [{}, {}, { status: "failed", failure: { feedback: "cite it" } }] },
  ],
  ["the end", [completed()], { end: { status: "completed", isPartial: false, at: 2_000 } }],
  ["a message after the end", [completed(), said], { said: { turns: 1, unknownCalls: 1 } }],
  [
    "a warning",
    [{ type: "budget_warned", scope: "run", spentUsd: 0.8, budgetUsd: 1 }],
    { warned: ["run"] },
  ],
  ["a spent budget", [{ type: "budget_exceeded", scope: "run", spentUsd: 1, budgetUsd: 1 }], {}],
  ["an error outside a stage", [{ ...oops, stage: null }], { error: { code: "MODEL_BUSY" } }],
] satisfies [string, PipelineEventBody[], object][])(
  "the state after %s",
  (_, bodies, expected) => {
    expect(stateAfter(started(), ...bodies)).toMatchObject(expected)
  },
)

test("[PIPE-5] an effect's result is stored until its stage is amended or repaired", () => {
  const ended = substep(0, { phase: "ended", outcome: "done", result: [1] })
  const before = stateAfter(started(), begun(0), substep(0), ended, called(0), begun(0, 2))
  expect(before.stages[0]?.recorded).toEqual({
    find: { kind: "result", result: [1] },
    ask: { kind: "answer", text: "yes", value: undefined, problem: undefined },
  })
  const after = stateAfter(started(), begun(0), substep(0), ended, amended(0))
  expect(after.stages[0]?.recorded).toEqual({})
})

test("[PIPE-5] a failed, denied or stopped effect has no result", () => {
  for (const outcome of ["denied", "stopped", "failed"] as const) {
    const ended = substep(0, { phase: "ended", outcome })
    const state = stateAfter(started(), begun(0), substep(0), ended)
    expect([outcome, state.stages[0]?.recorded, state.stages[0]?.open]).toEqual([outcome, {}, {}])
  }
})

test("responses that did not match the schema are dropped when the stage fails", () => {
  const misfit = called(0, { problem: "it is prose" })
  const fitting = called(0, { key: "other" })
  const state = stateAfter(started(), begun(0), misfit, fitting, oops)
  expect(Object.keys(state.stages[0]?.recorded ?? {})).toEqual(["other"])
})

test("an interrupted call counts as a call with unknown cost", () => {
  const asking = substep(0, { activityId: "orch-llm-1" })
  const cases: [PipelineEventBody[], number][] = [
    [[asking], 0],
    [[asking, begun(0, 2)], 1],
    [[asking, paused(0)], 1],
    [[asking, completed()], 1],
    [[asking, { ...asking, phase: "ended", outcome: "stopped" }], 1],
    [[asking, { ...asking, phase: "ended", outcome: "failed" }], 1],
    [[asking, { ...asking, phase: "ended", outcome: "failed", usd: 0 }], 0],
    [[{ ...substep(0), phase: "ended", outcome: "failed" }], 0],
    [[asking, called(0, { usd: null }), { ...asking, phase: "ended", outcome: "done" }], 1],
    [[substep(0), begun(0, 2)], 0],
    [[{ ...substep(0, { activityId: "orch-agent-1" }), phase: "ended", usd: null }], 1],
  ]
  for (const [bodies, unknown] of cases) {
    expect(stateAfter(started(), begun(0), ...bodies).stages[0]?.unknownCalls).toBe(unknown)
  }
})

test("each activity counts once, also one that is recorded only at its end", () => {
  const note = substep(0, {
    activityId: "orch-step-2",
    phase: "ended",
    outcome: "noted",
    result: null,
  })
  const state = stateAfter(started(), begun(0), substep(0), substep(0, { phase: "ended" }), note)
  expect([state.activities, state.stages[0]?.activities]).toEqual([2, 2])
})

test.each([
  ["an empty list", [], 1, "is missing"],
  ["a missing start", [begun(0)], 1, "does not start a run"],
  ["a second start", [started(), started()], 2, "starts the run a second time"],
  ["an unknown stage", [started(), begun(3)], 2, "names stage 3, which does not exist"],
  [
    "an output without a start",
    [started(), output(0)],
    2,
    "has the output of a stage that did not start",
  ],
  ["an unknown unit", [started(), { ...repair(1), unit: 7 }], 2, "repairs an unknown unit"],
  [
    "work while paused",
    [started(), paused(0), begun(1)],
    3,
    "continues although the run is paused",
  ],
  ["an answer without a pause", [started(), resumed], 2, "answers a pause that does not exist"],
  ["an exit without a pause", [started(), pending], 2, "answers a pause that does not exist"],
  ["work after the end", [started(), completed(), begun(0)], 3, "comes after the end of the run"],
  ["a message before the end", [started(), said], 2, "comes before the end of the run"],
] as [string, PipelineEventBody[], number, string][])(
  "[PIPE-4] %s is damage, reported with the event number",
  (...[, bodies, seq, problem]) => {
    expect(replay("p-1", eventsOf(bodies))).toEqual({ kind: "damaged", seq, problem })
  },
)

const anyBody: fc.Arbitrary<PipelineEventBody> = fc.oneof(
  ...[
    started(),
    resumed,
    pending,
    said,
    oops,
    completed(),
    repair(1),
    { type: "breakout", message: "x" } as const,
  ].map((it) => fc.constant(it)),
  fc
    .integer({ min: 0, max: 3 })
    .chain((stage) =>
      fc.constantFrom(
        begun(stage),
        output(stage),
        failed(stage),
        paused(stage),
        amended(stage),
        skipped(stage),
        called(stage),
        substep(stage),
        substep(stage, { phase: "ended", outcome: "done", result: 1 }),
      ),
    ),
)

test("any list of events gives a state or damage, never an exception", () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 40 }), (bodies) => {
      const reduced = replay("p-1", eventsOf([started(), ...bodies]))
      if (reduced.kind === "damaged") return reduced.seq > 1 && reduced.seq <= bodies.length + 1
      const { state } = reduced
      const isInside = state.cursor >= 0 && state.cursor <= state.stages.length
      return state.lastSeq === bodies.length + 1 && isInside
    }),
    fcParameters({ numRuns: 2_000 }),
  )
})

test("every prefix of a valid event list is valid", () => {
  fc.assert(
    fc.property(fc.array(anyBody, { maxLength: 30 }), fc.nat(30), (bodies, cut) => {
      const events = eventsOf([started(), ...bodies])
      const whole = replay("p-1", events)
      const part = replay("p-1", events.slice(0, 1 + (cut % events.length)))
      return whole.kind === "damaged" || part.kind === "state"
    }),
    fcParameters({ numRuns: 500 }),
  )
})

test("[PIPE-25] a stage's duration is that of its attempts, without the time between them", () => {
  const find = substep(0)
  const cut = stateAfter(started(), begun(0), find, completed({ status: "stopped" }))
  expect(cut.stages[0]).toMatchObject({ startedAt: 2_000, workedAt: 3_000 })
  const waited = [paused(0, "error"), { type: "resumed", by: "you" } as const, begun(0, 2)]
  const state = stateAfter(started(), begun(0), find, ...waited, find, output(0))
  // Two seconds before the pause and two after it; the pause does not count.
  const { startedAt, endedAt } = state.stages[0] ?? {}
  expect((endedAt ?? 0) - (startedAt ?? 0)).toBe(4_000)
})

test("[PIPE-13] skipping a failed stage clears its error", () => {
  const oops = { type: "error", stage: 0, code: "X", message: "m", hint: "" } as const
  const left = { type: "skipped", by: "you", stage: 0, reason: "Skipped by you" } as const
  const before = stateAfter(started(), begun(0), oops, paused(0, "error"))
  expect(before.error).toMatchObject({ code: "X" })
  expect(stateAfter(started(), begun(0), oops, paused(0, "error"), left).error).toBeNull()
})
