import { expect, test } from "vitest"
import { PipelineConfig } from "#ground/contract"
import {
  begun,
  completed,
  failed,
  output,
  paused,
  started,
  stateAfter,
  THREE,
} from "./events.fixture.ts"
import { amendedStage, depthOf, mostRepairs, nextOf, skippedStage, whatFollows } from "./next.ts"

const auto = { ...THREE, autoAdvance: true }
const repair = { type: "repair_started", unit: 0, iteration: 1, feedback: "cite it" } as const
const toCheck = [begun(0), output(0), begun(1), output(1), begun(2), failed(2), output(2)] as const

test("[PIPE-1] stages run in order, then the run ends", () => {
  expect(nextOf(stateAfter(started()))).toEqual({ kind: "work", stage: 0, iteration: 0 })
  const done = stateAfter(started({ config: auto }), begun(0), output(0))
  expect(nextOf(done)).toEqual({ kind: "work", stage: 1, iteration: 0 })
  const last = stateAfter(started({ config: auto }), begun(2), output(2))
  expect(nextOf(last)).toEqual({ kind: "write", bodies: [completed()] })
  expect(nextOf(stateAfter(started(), completed()))).toEqual({ kind: "nothing" })
})

test("[PIPE-11] a run pauses where the config says so, and nothing follows while it is paused", () => {
  const after = stateAfter(started(), begun(0), output(0))
  expect(nextOf(after)).toEqual({
    kind: "write",
    bodies: [
      {
        type: "pause_requested",
        pauseId: "pause-1",
        stage: 0,
        reason: "configured",
        question: "Continue after Plan?",
      },
    ],
  })
  const waiting = stateAfter(started(), begun(0), output(0), paused(0))
  expect(nextOf(waiting)).toEqual({ kind: "nothing" })
})

test("[PIPE-11] `pauseAfterStages` can name a stage, and a stage can ask for a pause itself", () => {
  const config = PipelineConfig.parse({ ...THREE, pauseAfterStages: ["write"] })
  const state = stateAfter(started({ config }), begun(1), output(1))
  expect(whatFollows(state, 1)).toMatchObject([{ reason: "configured", stage: 1 }])
  expect(whatFollows(state, 1, "What do you mean?")).toMatchObject([
    { reason: "clarify", question: "What do you mean?" },
  ])
  const never = stateAfter(
    started({ config: { ...config, autoAdvance: true } }),
    begun(1),
    output(1),
  )
  expect(whatFollows(never, 1, "What do you mean?")).toEqual([])
})

test("[PIPE-10] a stage that did not pass is repaired with its feedback", () => {
  const state = stateAfter(started(), ...toCheck)
  expect(nextOf(state)).toEqual({ kind: "write", bodies: [repair] })
  const again = stateAfter(started(), ...toCheck, repair)
  expect(nextOf(again)).toEqual({ kind: "work", stage: 1, iteration: 1 })
})

test("[PIPE-10] at the repair limit the run pauses, or continues marked as not passed", () => {
  const config = { ...THREE, repairUnits: [{ ...THREE.repairUnits[0], maxIterations: 1 }] }
  const limited = PipelineConfig.parse(config)
  const rounds = [
    ...toCheck,
    repair,
    begun(1, 1, 1),
    output(1),
    begun(2, 1, 1),
    failed(2),
    output(2),
  ]
  const asked = stateAfter(started({ config: limited }), ...rounds)
  expect(nextOf(asked)).toMatchObject({
    bodies: [
      {
        reason: "repair-limit",
        stage: 2,
        question: "Check did not pass after 1 repair. Continue with it as it is?",
      },
    ],
  })
  const going = stateAfter(started({ config: { ...limited, pauseOnErrors: false } }), ...rounds)
  expect(nextOf(going)).toMatchObject({
    bodies: [
      {
        status: "completed",
        isPartial: true,
        reason: "All stages are done; Check did not pass after 1 repair",
      },
    ],
  })
})

test("[PIPE-10] the depth can lower the unit's number of repairs but not raise it", () => {
  const depth = { subQueries: 1, paragraphs: 1, contextTokens: 500, web: false }
  for (const [repairs, most] of [
    [0, 0],
    [1, 1],
    [3, 2],
  ] as const) {
    const config = { ...THREE, depths: { standard: { ...depth, repairs } } }
    expect(mostRepairs(stateAfter(started({ config })), 0)).toBe(most)
  }
  expect(mostRepairs(stateAfter(started()), 0)).toBe(2)
  expect(depthOf(stateAfter(started({ depth: "quick" })))).toMatchObject({ subQueries: 3 })
})

test("[PIPE-10] a stage outside every unit is not repaired", () => {
  const config = PipelineConfig.parse({ ...THREE, repairUnits: [] })
  const state = stateAfter(started({ config }), begun(2), failed(2), output(2))
  expect(whatFollows(state, 2)).toMatchObject([
    {
      reason: "repair-limit",
      question: "Check did not pass: a sentence has no source. Continue with it as it is?",
    },
  ])
})

test("[PIPE-12] an amendment applies to the paused stage, or to the first stage of its unit", () => {
  expect(amendedStage(stateAfter(started(), begun(0), output(0), paused(0)))).toBe(0)
  expect(amendedStage(stateAfter(started(), ...toCheck, paused(2, "repair-limit")))).toBe(1)
  const config = PipelineConfig.parse({ ...THREE, repairUnits: [] })
  const alone = stateAfter(
    started({ config }),
    begun(2),
    failed(2),
    output(2),
    paused(2, "repair-limit"),
  )
  expect(amendedStage(alone)).toBe(2)
})

test("[PIPE-13] a skip leaves out the next stage, after an error the failed one", () => {
  expect(skippedStage(stateAfter(started(), begun(0), output(0), paused(0)))).toBe(1)
  expect(skippedStage(stateAfter(started(), begun(0), paused(0, "error")))).toBe(0)
  expect(skippedStage(stateAfter(started(), begun(2), output(2), paused(2)))).toBeUndefined()
})

test("[PIPE-13] a run with a skipped stage is marked as partial", () => {
  const skipped = { type: "skipped", by: "you", stage: 2, reason: "no" } as const
  const state = stateAfter(started(), begun(1), output(1), skipped)
  expect(nextOf(state)).toMatchObject({
    bodies: [{ isPartial: true, reason: "All stages are done; Check was skipped" }],
  })
  const byEngine = stateAfter(started(), begun(1), output(1), { ...skipped, by: "engine" })
  expect(nextOf(byEngine)).toMatchObject({ bodies: [{ isPartial: false }] })
})

test("[PIPE-10] a failure without feedback pauses the run with the reason instead of a repair", () => {
  const problems = ["a sentence has no source"]
  const at = { stage: 2, attempt: 1 }
  const hopeless = { type: "validation_failed" as const, ...at, problems, feedback: "" }
  const state = stateAfter(started(), begun(2), hopeless, output(2))
  expect(whatFollows(state, 2)).toMatchObject([
    {
      reason: "repair-limit",
      question: "Check did not pass: a sentence has no source. Continue with it as it is?",
    },
  ])
})

test("[PIPE-12] a unit amended at its limit starts over without repair count and old feedback", () => {
  const repaired = {
    type: "repair_started",
    unit: 0,
    iteration: 2,
    feedback: "cite it",
  } as const
  const told = [repaired, begun(1, 1, 2), output(1), begun(2, 1, 2), failed(2), output(2)]
  const at = [started(), begun(1), output(1), begun(2), failed(2), output(2), ...told]
  expect(nextOf(stateAfter(...at.slice(0, -5)))).toMatchObject({ stage: 1, iteration: 2 })
  const amended = { type: "amended", by: "you", stage: 1, text: "shorter" } as const
  const state = stateAfter(...at, paused(2, "repair-limit"), amended)
  expect(nextOf(state)).toEqual({ kind: "work", stage: 1, iteration: 0 })
  expect(state.feedback).toEqual([undefined])
  expect(state.repairs).toEqual([2])
})
