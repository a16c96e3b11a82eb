import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { AgentEnded } from "./errors.ts"
import { MOST_NOISE_LINES, MOST_SHOWN_NOISE_LINES } from "./limits.ts"
import { createTelling, type Telling } from "./telling.ts"

const tool = { kind: "read", tool: "Read", title: "Read a" } as const

test("[AGENTS-9] what a turn leaves open is closed before it ends", async () => {
  const telling = createTelling("Host")
  telling.say({ event: "turn.started" })
  telling.say({ event: "activity.started", activityId: "a", ...tool })
  telling.say({ event: "approval.requested", approvalId: "q", tool: "x", title: "x", input: "" })
  telling.say({ event: "turn.ended", outcome: "stopped" })
  telling.end("stopped")
  expect(await names(telling)).toEqual([
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
  "[AGENTS-6] while it is %s to stop, what says %s is told as %s",
  async (how, said, told) => {
    const telling = createTelling("Host")
    telling.say({ event: "turn.started" })
    telling.say({ event: "activity.started", activityId: "a", ...tool })
    telling.stopping(how)
    telling.say({ event: "activity.ended", activityId: "a", outcome: said })
    telling.say({ event: "turn.ended", outcome: "failed" })
    telling.say({ event: "activity.started", activityId: "b", ...tool })
    telling.say({ event: "activity.ended", activityId: "b", outcome: "failed" })
    telling.end("stopped")
    const outcomes = (await all(telling)).flatMap((it) => ("outcome" in it ? [it.outcome] : []))
    expect(outcomes).toEqual([told, "stopped", "failed"])
  },
)

test("[AGENTS-9] what makes no sense is not told: ends without beginnings, things twice", async () => {
  const telling = createTelling("Host")
  telling.say({ event: "session.started", sessionId: "s", cwd: "/" })
  telling.say({ event: "session.started", sessionId: "s", cwd: "/" })
  telling.say({ event: "activity.ended", activityId: "unknown", outcome: "done" })
  telling.say({ event: "approval.resolved", approvalId: "unknown", decision: "allow", by: "x" })
  telling.say({ event: "turn.ended", outcome: "completed" })
  telling.end("stopped")
  expect(await names(telling)).toEqual(["session.started", "turn.started", "turn.ended"])
})

test("[AGENTS-9] the fatal error is one, and the last word", async () => {
  const telling = createTelling("Host")
  telling.say({ event: "turn.started" })
  telling.fail(AgentEnded({ title: "Host", how: "by SIGKILL", words: "" }))
  telling.fail(AgentEnded({ title: "Host", how: "again", words: "" }))
  telling.say({ event: "message", type: "system", text: "late" })
  const events = await all(telling)
  expect(events.map((it) => it.event)).toEqual(["turn.started", "turn.ended", "error"])
  expect(events[1]).toMatchObject({ outcome: "failed", error: "Host ended by SIGKILL." })
  expect(events[2]).toMatchObject({ isFatal: true, code: "AGENTS_HOST_ENDED" })
})

test("[AGENTS-9] an event that is not of the vocabulary is shown as noise, never passed on", async () => {
  const telling = createTelling("Host")
  telling.say({ event: "activity.started", activityId: "x".repeat(201), ...tool }, "its line")
  telling.end("stopped")
  expect(await all(telling)).toEqual([{ event: "message", type: "system", text: "its line" }])
})

test("[AGENTS-17] an unknown kind of message is shown once, with its own words beside it", async () => {
  const telling = createTelling("Host")
  for (let count = 0; count < 3; count++) telling.unknown("news", '{"type":"news"}')
  telling.end("stopped")
  expect(await collect(telling.events)).toEqual([
    {
      event: { event: "message", type: "system", text: "Host said: news" },
      raw: '{"type":"news"}',
    },
  ])
})

test("[AGENTS-30] what is quoted is redacted before it is cut", async () => {
  const secret = "hunter2".repeat(6)
  const telling = createTelling("Host", (text) => text.replaceAll(secret, "[redacted]"))
  const text = `${"x".repeat(280)} ${secret}`
  telling.noise(text)
  telling.unknown(text, "{}")
  telling.end("stopped")
  const said = (await all(telling)).map((it) => (it.event === "message" ? it.text : ""))
  expect(said).toEqual([
    `${"x".repeat(280)} [redacted]`,
    `Host said: ${"x".repeat(280)} [redacted]`,
  ])
})

test("[AGENTS-30] output in pieces is told without the host's lines, and only while it is open", async () => {
  const telling = createTelling("Host")
  telling.output("a", "too early\n")
  telling.say({ event: "turn.started" })
  telling.say({ event: "activity.started", activityId: "a", ...tool })
  telling.output("a", "one\nha")
  telling.say({ event: "activity.ended", activityId: "a", outcome: "done", output: "one\nhalf" })
  telling.say({ event: "activity.started", activityId: "a", ...tool })
  telling.output("a", "lf\n")
  telling.end("stopped")
  const updates = (await collect(telling.events)).filter(
    ({ event }) => event.event === "activity.updated",
  )
  expect(updates).toEqual([
    { event: { event: "activity.updated", activityId: "a", output: "one\n" } },
    { event: { event: "activity.updated", activityId: "a", output: "lf\n" } },
  ])
})

test("[AGENTS-17] a thousand lines that are no messages end the session; few of them are shown", async () => {
  const telling = createTelling("Host")
  for (let count = 0; count <= MOST_NOISE_LINES; count++) telling.noise("blah")
  const events = await all(telling)
  expect(events).toHaveLength(MOST_SHOWN_NOISE_LINES + 1)
  expect(events.at(-1)).toMatchObject({ isFatal: true, code: "AGENTS_NOT_UNDERSTOOD" })
})

async function all(telling: Telling): Promise<readonly AgentEvent[]> {
  return (await collect(telling.events)).map((it) => it.event)
}

async function names(telling: Telling): Promise<readonly string[]> {
  return (await all(telling)).map((it) => it.event)
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
