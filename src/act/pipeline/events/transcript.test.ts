import { expect, test } from "vitest"
import { AgentEvent, Message, type PipelineEventBody } from "#ground/contract"
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
import { transcriptOf } from "./transcript.ts"

const told = (...bodies: readonly PipelineEventBody[]) =>
  transcriptOf(stateAfter(...bodies), eventsOf(bodies))

const step = (activityId: string, given: Parameters<typeof substep>[1] = {}) =>
  substep(0, { activityId, key: activityId, ...given })

test("[PIPE-26] steps are activities of one turn, and each text has its own id", () => {
  const messages = told(
    started(),
    begun(0),
    step("orch-kb-1"),
    step("orch-kb-1", {
      phase: "ended",
      outcome: "done",
      detail: "3 found",
      tokens: 12,
      durationMs: 3,
    }),
    called(0),
    output(0),
    completed(),
  )
  for (const it of messages) expect(Message.parse(it)).toEqual(it)
  expect(messages.map((it) => `${it.type} ${it.content}`)).toEqual([
    "user what is it",
    "system tester began",
    "system Plan",
    "tool find it",
    "tool 3 found",
    "assistant Plan: stage 0 done",
    "response All stages are done",
  ])
  const events = messages.flatMap((it) =>
    "event" in it.metadata ? [AgentEvent.parse(it.metadata["event"])] : [],
  )
  expect(events.map((it) => it.event)).toEqual([
    "turn.started",
    "activity.started",
    "activity.ended",
    "turn.ended",
  ])
  expect(new Set(messages.map((it) => it.id)).size).toBe(messages.length)
  expect(messages.every((it) => it.metadata["runId"] === "p-1")).toBe(true)
})

test("[PIPE-26] a note starts and ends at once, and a denied step is shown as denied", () => {
  const ended = (outcome: "noted" | "denied") =>
    told(started(), begun(0), step("orch-step-1", { phase: "ended", outcome }))
      .slice(3)
      .map((it) => it.metadata["event"])
  expect(ended("noted")).toMatchObject([
    { event: "activity.started", tool: "Knowledge Base Search" },
    { event: "activity.ended", outcome: "done" },
  ])
  expect(ended("denied")).toMatchObject([{}, { outcome: "denied" }])
})

test("[PIPE-11] a pause, an interruption and the end stop every running indicator", () => {
  for (const after of [paused(0), begun(0, 2), completed({ status: "stopped" })]) {
    const messages = told(
      started(),
      begun(0),
      step("orch-web-1", { parentId: "orch-step-9" }),
      after,
    )
    expect(
      messages.find((it) => JSON.stringify(it).includes("stopped"))?.metadata["event"],
    ).toEqual({
      event: "activity.ended",
      activityId: "orch-web-1",
      outcome: "stopped",
      output: "",
    })
  }
})

test("[PIPE-26] every event has a text in the transcript", () => {
  const usd = { scope: "run", spentUsd: 0.8, budgetUsd: 1 }
  const said = {
    type: "said",
    key: "say/1",
    message: "and now",
    answer: "this",
    model: "m",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    usd: 0,
  } as const
  const messages = told(
    started(),
    begun(0),
    { type: "error", stage: 0, code: "MODEL_BUSY", message: "It is busy.", hint: "" },
    paused(0, "error"),
    { type: "amended", by: "you", stage: 0, text: "shorter" },
    begun(0),
    output(0),
    paused(0),
    { type: "resumed", by: "you" },
    { type: "skipped", by: "you", stage: 1, reason: "not needed" },
    begun(2, 2, 1),
    failed(2),
    output(2),
    { type: "repair_started", unit: 0, iteration: 1, feedback: "x" },
    { type: "budget_warned", ...usd },
    { type: "budget_exceeded", ...usd },
    paused(2),
    { type: "breakout_pending", message: "stop", by: "you" },
    { type: "breakout", message: "stop" },
    completed({ status: "failed", reason: "It failed" }),
    said,
  )
  expect(messages.map((it) => it.content).slice(2)).toEqual([
    "Plan",
    "It is busy. [MODEL_BUSY]",
    "Paused after Plan: Is this the plan you want?",
    "Plan runs again: shorter",
    "Plan",
    "Plan: stage 0 done",
    "Paused after Plan: Is this the plan you want?",
    "Resumed by you",
    "Write skipped: not needed",
    "Check, repair 1, attempt 2",
    "Check did not pass: a sentence has no source",
    "Check: stage 2 done",
    "Repair 1 started",
    "$0.80 of $1.00 spent (run)",
    "The budget of $1.00 is spent (run)",
    "Paused after Check: Is this the plan you want?",
    "Leave this run? 1 yes / 2 no",
    "Left with the message: stop",
    "It failed",
    "and now",
    "this",
  ])
})

test("[PIPE-26] a long text is truncated", () => {
  const [first] = told(started({ query: "x".repeat(300_000) }))
  expect(first?.content.length).toBe(200_000)
})
