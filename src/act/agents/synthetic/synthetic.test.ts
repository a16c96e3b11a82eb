import { describe, expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { testClock } from "#test/clock"
import type { StartOptions } from "../agent.ts"
import { SCRIPTS } from "./scripts.ts"
import { createSynthetic } from "./synthetic.ts"

const LONG_MS = 100_000

describe("the synthetic agent", () => {
  test.each([...SCRIPTS.keys()])("the script %s gives the same events twice", async (script) => {
    const [once, again] = [
      await play({ script, mode: "auto" }),
      await play({ script, mode: "auto" }),
    ]
    expect(once).toEqual(again)
    expect(once.at(-1)).toMatchObject({ event: "turn.ended" })
  })

  test("`happy` emits nested activities, a diff, the window and the cost", async () => {
    const events = await play({ script: "happy" })
    const names = new Set(events.map((it) => it.event))
    expect(names).toContain("context.usage")
    expect(events.find((it) => it.event === "cost")).toMatchObject({ reportedUsd: 0.0521 })
    expect(events.find((it) => "parentId" in it && it.parentId === "agent-1")).toBeDefined()
    expect(events.find((it) => "diff" in it && it.diff !== undefined)).toBeDefined()
  })

  test("`long` emits thousands of events; a slow reader makes it wait", async () => {
    expect((await play({ script: "long" })).length).toBeGreaterThan(4_000)
  })

  test("`compaction` and `error` emit the events they are named for", async () => {
    const compacted = await play({ script: "compaction" })
    expect(compacted.map((it) => it.event)).toContain("context.compacted")
    expect((await play({ script: "error" })).at(-1)).toMatchObject({ outcome: "failed" })
  })

  test("without a script it repeats the prompt", async () => {
    const events = await play({ prompt: "good morning" })
    expect(events.at(-1)).toMatchObject({ text: "You said: good morning" })
  })

  test("time comes from the clock: no event is emitted early", async () => {
    const clock = testClock()
    const script = '{"event":"message","type":"assistant","text":"later","after":500}'
    const session = await createSynthetic({ clock }).start(optionsFor({ script }))
    const events: AgentEvent[] = []
    const reading = (async () => {
      for await (const { event } of session.events) events.push(event)
    })()
    await clock.advance(499)
    expect(events.map((it) => it.event)).toEqual(["session.started", "turn.started"])
    await clock.advance(1)
    expect(events.at(-1)).toMatchObject({ event: "turn.ended", outcome: "completed" })
    await session.stop()
    await reading
  })

  test.each([
    ["nobody", "AGENTS_SCRIPT_UNKNOWN", "Script nobody not found."],
    ['{"event":"turn.started"}\n{"event":"news"}', "AGENTS_SCRIPT_INVALID", "Line 2"],
    ['{"event":"turn.started","after":-1}', "AGENTS_SCRIPT_INVALID", "milliseconds"],
    ["{not json", "AGENTS_SCRIPT_INVALID", "not a JSON object"],
  ])("the invalid script %j is a fatal error with its position", async (script, code, words) => {
    const session = await createSynthetic({ clock: testClock() }).start(optionsFor({ script }))
    const events = await collect(session.events)
    expect(events).toHaveLength(1)
    expect(events[0]?.event).toMatchObject({ event: "error", code, isFatal: true })
    expect(JSON.stringify(events[0])).toContain(words)
  })

  test("a script may end with its own fatal error", async () => {
    const clock = testClock()
    const script =
      '{"event":"error","message":"gone","isFatal":true}\n{"event":"turn.ended","outcome":"completed"}'
    const session = await createSynthetic({ clock }).start(optionsFor({ script }))
    const events = (await collect(session.events)).map((it) => it.event)
    expect(events.at(-1)).toMatchObject({ event: "error", isFatal: true })
  })
})

function optionsFor(it: Partial<StartOptions>): StartOptions {
  const signal = new AbortController().signal
  const options = { cwd: "/", prompt: "hello", mode: "auto", environment: {}, program: "" } as const
  return { ...options, signal, ...it }
}

/** All events of the first turn, as fast as the clock can be advanced. */
async function play(it: Partial<StartOptions>): Promise<readonly AgentEvent[]> {
  const clock = testClock()
  const session = await createSynthetic({ clock }).start(optionsFor(it))
  const events: AgentEvent[] = []
  const reading = (async () => {
    for await (const { event } of session.events) {
      events.push(event)
      if (event.event === "turn.ended") return
    }
  })()
  await clock.advance(LONG_MS)
  await reading
  return events
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
