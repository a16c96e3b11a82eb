import { describe, expect, it } from "vitest"
import { AgentEvent, OPERATIONS } from "#ground/contract"
import { EVERY_KIND, fakeTranscripts, HOSTILE, LONG, LONG_MESSAGES, TARIFF } from "./fake-run.ts"
import { answerRun } from "./fake-run-answers.ts"

const ask = (path: string, body: Record<string, unknown> = {}) =>
  answerRun(fakeTranscripts(["<b>"]), new URL(path, "http://fake"), body)?.answer

describe("the transcripts of the fake world", () => {
  it("[CONSOLE-23] what the fake server says of a run is what the contract allows", () => {
    for (const id of [TARIFF, EVERY_KIND, LONG, HOSTILE]) {
      const { messages } = OPERATIONS["agents.messages"].output.parse(
        ask(`/api/agents/messages?id=${id}&before=${Number.MAX_SAFE_INTEGER}&limit=300&brief=true`),
      )
      expect(messages.length).toBeGreaterThan(0)
      for (const { metadata } of messages.filter((it) => isOfToday(it.metadata.event))) {
        if ("event" in metadata) AgentEvent.parse(metadata.event)
      }
      OPERATIONS["agents.timeline"].output.parse(ask(`/api/agents/timeline?id=${id}`))
      OPERATIONS["agents.context"].output.parse(ask(`/api/agents/context?id=${id}`))
      OPERATIONS["agents.turns"].output.parse(ask(`/api/agents/turns?id=${id}`))
      OPERATIONS["agents.parts"].output.parse(ask(`/api/agents/parts?id=${id}`))
      OPERATIONS["agents.message"].output.parse(ask(`/api/agents/message?id=${id}&seq=1`))
      OPERATIONS["agents.export"].output.parse(ask(`/api/agents/export?id=${id}`))
      OPERATIONS["agents.handoff"].output.parse(ask(`/api/agents/handoff?id=${id}`))
    }
  })

  it("[CONSOLE-23] pages of a long run are its newest before a number and its next after one", () => {
    const seqs = (query: string) =>
      OPERATIONS["agents.messages"].output
        .parse(ask(`/api/agents/messages?id=${LONG}&${query}`))
        .messages.map((it) => it.seq)
    expect(seqs("before=101&limit=3")).toEqual([98, 99, 100])
    expect(seqs("after=100&limit=3")).toEqual([101, 102, 103])
    expect(seqs(`after=${LONG_MESSAGES}`)).toEqual([])
  })
})

/** One of them has kinds that nobody knows, on purpose. */
function isOfToday(event: unknown): boolean {
  const name = typeof event === "object" && event !== null && "event" in event ? event.event : ""
  return name !== "x" && name !== "a.kind.of.tomorrow"
}
