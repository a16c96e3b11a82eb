import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { AgentsTimeline, Message } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { createTimeline } from "./timeline.ts"

type AnyEvent = { readonly event: string; readonly [field: string]: unknown }

function messages(...told: readonly (readonly [at: number, event?: AnyEvent])[]): Message[] {
  return told.map(([timestamp, event], index) => ({
    id: `m${index}`,
    seq: index + 1,
    type: "system",
    role: "system",
    content: "",
    timestamp,
    metadata: event === undefined ? {} : { event },
  }))
}

function timelineOf(all: readonly Message[], now = 0): AgentsTimeline {
  const timeline = createTimeline()
  timeline.take(all)
  return timeline.result(now)
}

const turn = { event: "turn.started" }
const turnEnd = { event: "turn.ended", outcome: "completed" }
const tool = (activityId: string, kind = "read") => ({
  event: "activity.started",
  activityId,
  kind,
  tool: "Tool",
  title: `Use ${activityId}`,
})
const toolEnd = (activityId: string) => ({ event: "activity.ended", activityId, outcome: "done" })
const ask = (approvalId: string, activityId?: string) => ({
  event: "approval.requested",
  approvalId,
  activityId,
  tool: "Tool",
  title: `May I ${approvalId}`,
  input: "",
})
const answer = (approvalId: string) => ({
  event: "approval.resolved",
  approvalId,
  decision: "allow",
  by: "person",
})

/**
 * `lane fromMs-toMs title`, which is easier to compare.
 */
const inShort = ({ spans }: AgentsTimeline) =>
  spans.map((it) => `${it.lane} ${it.fromMs}-${it.toMs} ${it.title}`)

describe("where the time of a run went", () => {
  test("the model lane is active while a turn runs and nothing else does", () => {
    const all = messages(
      [1_000],
      [1_010, turn],
      [1_100, tool("a")],
      [1_200, tool("b", "command")],
      [1_250, toolEnd("a")],
      [1_300, toolEnd("b")],
      [1_400, turnEnd],
      [9_000],
    )
    const timeline = timelineOf(all, 99_000)
    expect(inShort(timeline)).toEqual([
      "model 10-100 Model",
      "tools 100-250 Use a",
      "tools 200-300 Use b",
      "model 300-400 Model",
    ])
    expect(timeline).toMatchObject({ durationMs: 8_000, waitedMs: 0 })
    expect(timeline.spans.map((it) => [it.seq, it.kind])).toEqual([
      [2, undefined],
      [3, "read"],
      [4, "command"],
      [6, undefined],
    ])
  })

  test("sub-agents have their own lane, and their calls are in the tools lane", () => {
    const all = messages(
      [0, turn],
      [10, tool("agent", "agent")],
      [20, { ...tool("inside"), parentId: "agent" }],
      [30, toolEnd("inside")],
      [50, toolEnd("agent")],
      [60, turnEnd],
    )
    expect(inShort(timelineOf(all))).toEqual([
      "model 0-10 Model",
      "branches 10-50 Use agent",
      "tools 20-30 Use inside",
      "model 50-60 Model",
    ])
  })

  test("waiting for the user is not counted as tool time, and is counted once", () => {
    const all = messages(
      [0, turn],
      [10, tool("edit", "edit")],
      [20, ask("q1", "edit")],
      [30, ask("q2")],
      [500, answer("q1")],
      [600, answer("q2")],
      [620, toolEnd("edit")],
      [640, turnEnd],
    )
    const timeline = timelineOf(all)
    expect(inShort(timeline)).toEqual([
      "model 0-10 Model",
      "tools 10-20 Use edit",
      "waiting 20-500 May I q1",
      "waiting 30-600 May I q2",
      "tools 500-620 Use edit",
      "model 620-640 Model",
    ])
    expect(timeline.waitedMs).toBe(580)
  })

  test("an open span lasts until now; in a dead process it lasts until the last message", () => {
    const open = messages([0, turn], [10, tool("a")], [20, ask("q")])
    expect(timelineOf(open, 100)).toMatchObject({ durationMs: 100, waitedMs: 80 })
    expect(inShort(timelineOf(open, 100))).toEqual([
      "model 0-10 Model",
      "tools 10-100 Use a",
      "waiting 20-100 May I q",
    ])
    const started = { event: "session.started", sessionId: "s", cwd: "/w" }
    const again = messages(
      [0, turn],
      [10, tool("a")],
      [20],
      [5_000, started],
      [5_000, turn],
      [5_010, turnEnd],
    )
    expect(inShort(timelineOf(again))).toEqual([
      "model 0-10 Model",
      "tools 10-20 Use a",
      "model 5000-5010 Model",
    ])
  })

  test("the end of a turn and a fatal error close open spans", () => {
    const fatal = { event: "error", message: "gone", isFatal: true }
    for (const end of [turnEnd, fatal]) {
      const all = messages([0, turn], [10, tool("a")], [20, ask("q", "a")], [40, end], [70])
      const timeline = timelineOf(all, 1_000)
      expect(timeline).toMatchObject({ durationMs: 70, waitedMs: 20 })
      // The tool had no time of its own after the approval request.
      expect(inShort(timeline).slice(0, 3)).toEqual([
        "model 0-10 Model",
        "tools 10-20 Use a",
        "waiting 20-40 May I q",
      ])
    }
  })

  test("a clock set back, ends without a start and an empty run are tolerated", () => {
    expect(timelineOf([], 500)).toEqual({ durationMs: 0, waitedMs: 0, spans: [] })
    const all = messages(
      [1_000, turn],
      [1_100, tool("a")],
      [400, toolEnd("a")],
      [500, toolEnd("never")],
      [600, answer("never")],
      [700, turnEnd],
    )
    expect(inShort(timelineOf(all))).toEqual(["model 0-100 Model", "tools 100-100 Use a"])
  })
})

describe("a long run", () => {
  test("at most 400 spans remain; adjacent ones of one lane and kind are merged", () => {
    const rounds = Array.from({ length: 1_000 }, (_, i): readonly [number, AnyEvent][] => [
      [i * 10 + 1, tool(`t${i}`, i % 2 === 0 ? "read" : "command")],
      [i * 10 + 5, toolEnd(`t${i}`)],
    ])
    const all = messages([0, turn], ...rounds.flat(), [20_000, turnEnd])
    const { spans, durationMs } = timelineOf(all)
    expect(spans.length).toBeGreaterThan(150)
    expect(spans.length).toBeLessThanOrEqual(400)
    expect(durationMs).toBe(20_000)
    expect(spans.some((it) => / and \d+ more$/.test(it.title))).toBe(true)
    const kinds = new Set(spans.map((it) => `${it.lane} ${it.kind}`))
    expect(kinds).toEqual(new Set(["model undefined", "tools read", "tools command"]))
    // The one long silence of the run is still visible.
    expect(spans.at(-1)).toMatchObject({ lane: "model", toMs: 20_000 })
  })

  test("pages of any size give the same result", () => {
    fc.assert(
      fc.property(
        fc.array(someEvent, { maxLength: 120 }),
        fc.integer({ min: 1, max: 40 }),
        (told, size) => {
          const all = messages(...told.map(([step, event], i) => [i * 7 + step, event] as const))
          const paged = createTimeline()
          for (let at = 0; at < all.length; at += size) paged.take(all.slice(at, at + size))
          const timeline = paged.result(2_000)
          expect(timeline).toEqual(timelineOf(all, 2_000))
          expectSound(timeline)
        },
      ),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("100,000 messages give the same spans in one go and in pages of any size", () => {
    const all = messages(
      [0, turn],
      ...Array.from({ length: 50_000 }, (_, i) => [
        [i * 20 + 3, tool(`t${i}`)] as const,
        [i * 20 + 3 + (i % 17), toolEnd(`t${i}`)] as const,
      ]).flat(),
    )
    const paged = createTimeline()
    for (let at = 0; at < all.length; at += 1_000) paged.take(all.slice(at, at + 1_000))
    const timeline = paged.result(2_000_000)
    expect(timeline.spans.length).toBeGreaterThan(150)
    expectSound(timeline)
    expect(timelineOf(all, 2_000_000)).toEqual(timeline)
  })
})

function expectSound({ spans, durationMs, waitedMs }: AgentsTimeline): void {
  expect(spans.length).toBeLessThanOrEqual(400)
  expect(waitedMs).toBeLessThanOrEqual(durationMs)
  for (const span of spans) {
    expect(span.fromMs).toBeGreaterThanOrEqual(0)
    expect(span.toMs).toBeGreaterThanOrEqual(span.fromMs)
    expect(span.toMs).toBeLessThanOrEqual(durationMs)
  }
}

const name = fc.constantFrom("a", "b", "c")
const someEvent = fc.tuple(
  fc.integer({ min: -20, max: 20 }),
  fc.oneof(
    fc.constant(turn),
    fc.constant(turnEnd),
    name.map((it) => tool(it)),
    name.map((it) => tool(it, "agent")),
    name.map(toolEnd),
    fc.tuple(name, fc.option(name, { nil: undefined })).map(([q, a]) => ask(q, a)),
    name.map(answer),
    fc.constant({ event: "session.started", sessionId: "s", cwd: "/w" }),
  ),
)
