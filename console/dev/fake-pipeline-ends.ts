import { at, begins, did, gives, started, type Told } from "./fake-pipeline-events.ts"
import { ASKED, CALIBRATED } from "./fake-pipeline-stories.ts"

export const LEFT: readonly Told[] = [
  ...CALIBRATED,
  ASKED,
  at(60_000, { type: "breakout_pending", message: "never mind, how do I add a berth?", by: "you" }),
  at(64_000, { type: "breakout", message: "never mind, how do I add a berth?" }),
  at(64_100, {
    type: "run_completed",
    status: "breakout",
    reason: "You left it at Web calibration. The research so far is kept.",
    isPartial: true,
  }),
]

export const FAILED: readonly Told[] = [
  started("What may a pilot refuse"),
  begins(100, 0),
  ...did(200, {
    n: 1,
    stage: 0,
    title: "read the question",
    durationMs: 60_000,
    outcome: "failed",
    detail: "the provider did not answer in 60 s",
  }),
  at(60_300, {
    type: "error",
    stage: 0,
    code: "MODEL_TIMED_OUT",
    message: "The model did not answer in 60 seconds.",
    hint: "Try again, or raise model.timeout.",
  }),
  at(60_400, {
    type: "run_completed",
    status: "failed",
    reason: "The model did not answer.",
    isPartial: true,
  }),
]

const PAYLOAD = "<img src=x onerror=alert(1)> \u202Eevil [a](javascript:alert(1))"

export const HOSTILE: readonly Told[] = [
  started(PAYLOAD),
  begins(100, 0),
  ...did(200, {
    n: 1,
    stage: 0,
    tool: PAYLOAD,
    title: PAYLOAD,
    detail: PAYLOAD,
    durationMs: 9,
    outcome: "done",
  }),
  at(300, { type: "amended", by: "you", stage: 0, text: PAYLOAD }),
  gives(400, 0, PAYLOAD),
  at(500, {
    type: "pause_requested",
    stage: 0,
    pauseId: "pause-h",
    reason: "clarify",
    question: PAYLOAD,
  }),
]
