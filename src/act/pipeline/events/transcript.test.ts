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
  substep,
} from "./events.fixture.ts"
import { createTranscript } from "./transcript.ts"

const told = (...bodies: readonly PipelineEventBody[]) =>
  eventsOf(bodies).flatMap(createTranscript("p-1").take)

const step = (activityId: string, given: Parameters<typeof substep>[1] = {}) =>
  substep(0, { activityId, key: activityId, ...given })

const eventsIn = (messages: ReturnType<typeof told>) =>
  messages.flatMap((it) => ("event" in it.metadata ? [AgentEvent.parse(it.metadata["event"])] : []))

test("[PIPE-26] a stage is an activity with its steps inside, its summary and its cost", () => {
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
      usd: 0.25,
    }),
    called(0),
    output(0),
    completed(),
  )
  for (const { order, at, ...it } of messages) {
    expect(Message.safeParse({ ...it, id: `p-1.${order}`, seq: 1, timestamp: at }).success).toBe(
      true,
    )
  }
  expect(messages.map((it) => `${it.type} ${it.content.split("\n")[0]}`)).toEqual([
    "user @tester what is it",
    "system tester p-1 started: standard, scripted, at most $1.00",
    "tool Plan",
    "tool Knowledge Base Search: find it",
    "tool 3 found",
    "tool stage 0 done",
    expect.stringMatching(/^system tester p-1 completed: All stages are done \(.*of \$1\.00\)$/),
  ])
  expect(eventsIn(messages)).toMatchObject([
    { event: "activity.started", activityId: "p-1/stage-1.1", kind: "stage" },
    { event: "activity.started", activityId: "p-1/orch-kb-1", parentId: "p-1/stage-1.1" },
    { event: "activity.ended", activityId: "p-1/orch-kb-1", tokens: 12, usd: 0.25 },
    { event: "activity.ended", activityId: "p-1/stage-1.1", outcome: "done", usd: 0.25 },
  ])
  const orders = messages.map((it) => it.order)
  expect(orders).toEqual([...new Set(orders)].toSorted((one, other) => one - other))
  expect(messages.every((it) => JSON.stringify(it.metadata).includes('"id":"p-1"'))).toBe(true)
})

test("[PIPE-26] a note starts and ends at once, and a denied step is shown as denied", () => {
  const ended = (outcome: "noted" | "denied") =>
    eventsIn(told(started(), begun(0), step("orch-step-1", { phase: "ended", outcome }))).slice(1)
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
    const stopped = eventsIn(messages).filter((it) => JSON.stringify(it).includes("stopped"))
    expect(stopped).toMatchObject([
      { event: "activity.ended", activityId: "p-1/orch-web-1", outcome: "stopped" },
      { event: "activity.ended", activityId: "p-1/stage-1.1", outcome: "stopped" },
    ])
  }
})

test("[PIPE-26] a pause has its question, its items and its choices, and is marked for an answer", () => {
  const plan = output(0, { subqueries: [{ text: "What is it?", note: "guide" }] })
  const messages = told(started(), begun(0), plan, paused(0), { type: "resumed", by: "you" })
  const asked = messages.find((it) => it.content.startsWith("Paused"))
  expect(asked?.content).toContain("Paused after Plan: Is this the plan you want?")
  expect(asked?.content).toContain("1. What is it? (guide)")
  expect(asked?.content).toContain("3 Exit: End here")
  expect(asked?.metadata["pipeline"]).toMatchObject({ id: "p-1", part: "pause" })
  expect(messages.at(-1)?.metadata["pipeline"]).toEqual({
    ...(asked?.metadata["pipeline"] as object),
    part: "answer",
  })
})

test("[PIPE-26] the document appears once, at the end", () => {
  const config = started().config
  const [plan, write, check] = config.stages
  if (plan === undefined || write === undefined || check === undefined) throw new Error("3 stages")
  const writing = { ...config, stages: [plan, { ...write, kind: "document" as const }, check] }
  const document = output(1, { title: "T", markdown: "# The answer", references: [] })
  const messages = told(
    started({ config: writing }),
    begun(1),
    document,
    begun(1, 2),
    document,
    completed(),
  )
  expect(messages.filter((it) => it.content === "# The answer")).toHaveLength(1)
  expect(messages.at(-2)).toMatchObject({ type: "assistant", content: "# The answer" })
})

test("[PIPE-26] every event that a user should know of has a text", () => {
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
    { type: "resumed", by: "you", note: "fine" },
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
  expect(messages.map((it) => it.content.split("\n")[0]).slice(2)).toEqual([
    "Plan",
    "It is busy.",
    "It is busy. [MODEL_BUSY]",
    "Paused after Plan: Is this the plan you want?",
    "shorter",
    "Plan runs again with this change",
    "Plan, round 2",
    "stage 0 done",
    "Paused after Plan: Is this the plan you want?",
    "fine",
    "Continued by you",
    "Write skipped: not needed",
    "Check, repair 1",
    "Check did not pass: a sentence has no source",
    "stage 2 done",
    "Repair 1 started",
    "Budget: $0.80 of $1.00 spent (run)",
    "Budget: $1.00 are spent (run)",
    "Paused after Check: Is this the plan you want?",
    "stop",
    "Paused after Check: Leave this run? Its results so far are stored. 1 yes / 2 no",
    "Left by the user; the results are kept",
    expect.stringContaining("tester p-1 failed: It failed"),
    "and now",
    "this",
  ])
})

test("[PIPE-26] a long text is truncated", () => {
  const [first] = told(started({ query: "x".repeat(300_000) }))
  expect(first?.content.length).toBe(200_000)
})

test("[PIPE-26] a stage that runs again is another activity, although its attempts count from 1", () => {
  const amended = { type: "amended", by: "you", stage: 0, text: "shorter" } as const
  const messages = told(started(), begun(0), output(0), paused(0), amended, begun(0), output(0))
  const ids = eventsIn(messages).flatMap((it) => ("activityId" in it ? [it.activityId] : []))
  expect(ids).toEqual(["p-1/stage-1.1", "p-1/stage-1.1", "p-1/stage-1.2", "p-1/stage-1.2"])
})

test("[PIPE-26] a stage that is skipped while it is open ends as skipped, not as stopped", () => {
  const skipped = { type: "skipped", by: "engine", stage: 0, reason: "no source" } as const
  const messages = told(started(), begun(0), skipped)
  expect(eventsIn(messages).at(-1)).toMatchObject({ event: "activity.ended", outcome: "done" })
  expect(messages.map((it) => it.content).slice(-2)).toEqual(["skipped", "Plan skipped: no source"])
})
