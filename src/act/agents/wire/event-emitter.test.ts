import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { AgentEnded } from "../errors.ts"
import {
  createEventEmitter,
  type EventEmitter,
  MAX_NOISE_LINES,
  MAX_SHOWN_NOISE_LINES,
} from "./event-emitter.ts"

const tool = { kind: "read", tool: "Read", title: "Read a" } as const

test("[AGENTS-9] everything a turn leaves open is closed before the turn ends", async () => {
  const emitter = createEventEmitter("Host")
  emitter.emit({ event: "turn.started" })
  emitter.emit({ event: "activity.started", activityId: "a", ...tool })
  emitter.emit({ event: "approval.requested", approvalId: "q", tool: "x", title: "x", input: "" })
  emitter.emit({ event: "turn.ended", outcome: "stopped" })
  emitter.end("stopped")
  expect(await names(emitter)).toEqual([
    "turn.started",
    "activity.started",
    "approval.requested",
    "approval.resolved",
    "activity.ended",
    "turn.ended",
  ])
})

test.each([
  ["asked", "done", "done"],
  ["asked", "failed", "stopped"],
  ["killed", "done", "stopped"],
] as const)(
  "[AGENTS-6] while stopping (%s), the outcome %s is emitted as %s",
  async (how, said, told) => {
    const emitter = createEventEmitter("Host")
    emitter.emit({ event: "turn.started" })
    emitter.emit({ event: "activity.started", activityId: "a", ...tool })
    emitter.setStopping(how)
    emitter.emit({ event: "activity.ended", activityId: "a", outcome: said })
    emitter.emit({ event: "turn.ended", outcome: "failed" })
    emitter.emit({ event: "activity.started", activityId: "b", ...tool })
    emitter.emit({ event: "activity.ended", activityId: "b", outcome: "failed" })
    emitter.end("stopped")
    const outcomes = (await all(emitter)).flatMap((it) => ("outcome" in it ? [it.outcome] : []))
    expect(outcomes).toEqual([told, "stopped", "failed"])
  },
)

test("[AGENTS-9] events that make no sense are dropped: ends without a start, duplicates", async () => {
  const emitter = createEventEmitter("Host")
  emitter.emit({ event: "session.started", sessionId: "s", cwd: "/" })
  emitter.emit({ event: "session.started", sessionId: "s", cwd: "/" })
  emitter.emit({ event: "activity.ended", activityId: "unknown", outcome: "done" })
  emitter.emit({ event: "approval.resolved", approvalId: "unknown", decision: "allow", by: "x" })
  emitter.emit({ event: "turn.ended", outcome: "completed" })
  emitter.end("stopped")
  expect(await names(emitter)).toEqual(["session.started", "turn.started", "turn.ended"])
})

test("[AGENTS-9] there is one fatal error, and it is the last event", async () => {
  const emitter = createEventEmitter("Host")
  emitter.emit({ event: "turn.started" })
  emitter.fail(AgentEnded({ title: "Host", how: "by SIGKILL", words: "" }))
  emitter.fail(AgentEnded({ title: "Host", how: "again", words: "" }))
  emitter.emit({ event: "message", type: "system", text: "late" })
  const events = await all(emitter)
  expect(events.map((it) => it.event)).toEqual(["turn.started", "turn.ended", "error"])
  expect(events[1]).toMatchObject({ outcome: "failed", error: "Host ended by SIGKILL." })
  expect(events[2]).toMatchObject({ isFatal: true, code: "AGENTS_HOST_ENDED" })
})

test("[AGENTS-9] an invalid event is shown as noise and never passed on", async () => {
  const emitter = createEventEmitter("Host")
  emitter.emit({ event: "activity.started", activityId: "x".repeat(201), ...tool }, "its line")
  emitter.end("stopped")
  expect(await all(emitter)).toEqual([{ event: "message", type: "system", text: "its line" }])
})

test("an unknown message kind is shown once, with its raw line", async () => {
  const emitter = createEventEmitter("Host")
  for (let count = 0; count < 3; count++) emitter.reportUnknown("news", '{"type":"news"}')
  emitter.end("stopped")
  expect(await collect(emitter.events)).toEqual([
    {
      event: { event: "message", type: "system", text: "Host sent an unknown message: news" },
      raw: '{"type":"news"}',
    },
  ])
})

test("[AGENTS-30] quoted output is redacted before it is truncated", async () => {
  const secret = "hunter2".repeat(6)
  const emitter = createEventEmitter("Host", (text) => text.replaceAll(secret, "[redacted]"))
  const text = `${"x".repeat(280)} ${secret}`
  emitter.reportNoise(text)
  emitter.reportUnknown(text, "{}")
  emitter.end("stopped")
  const said = (await all(emitter)).map((it) => (it.event === "message" ? it.text : ""))
  expect(said).toEqual([
    `${"x".repeat(280)} [redacted]`,
    `Host sent an unknown message: ${"x".repeat(280)} [redacted]`,
  ])
})

test("[AGENTS-30] chunks of output have no raw line and are emitted only while their activity is open", async () => {
  const emitter = createEventEmitter("Host")
  emitter.emitOutput("a", "too early\n")
  emitter.emit({ event: "turn.started" })
  emitter.emit({ event: "activity.started", activityId: "a", ...tool })
  emitter.emitOutput("a", "one\nha")
  emitter.emit({ event: "activity.ended", activityId: "a", outcome: "done", output: "one\nhalf" })
  emitter.emit({ event: "activity.started", activityId: "a", ...tool })
  emitter.emitOutput("a", "lf\n")
  emitter.end("stopped")
  const updates = (await collect(emitter.events)).filter(
    ({ event }) => event.event === "activity.updated",
  )
  expect(updates).toEqual([
    { event: { event: "activity.updated", activityId: "a", output: "one\n" } },
    { event: { event: "activity.updated", activityId: "a", output: "lf\n" } },
  ])
})

test("1,000 lines that are not messages end the session; only a few are shown", async () => {
  const emitter = createEventEmitter("Host")
  for (let count = 0; count <= MAX_NOISE_LINES; count++) emitter.reportNoise("blah")
  const events = await all(emitter)
  expect(events).toHaveLength(MAX_SHOWN_NOISE_LINES + 1)
  expect(events.at(-1)).toMatchObject({ isFatal: true, code: "AGENTS_NOT_UNDERSTOOD" })
})

async function all(emitter: EventEmitter): Promise<readonly AgentEvent[]> {
  return (await collect(emitter.events)).map((it) => it.event)
}

async function names(emitter: EventEmitter): Promise<readonly string[]> {
  return (await all(emitter)).map((it) => it.event)
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
