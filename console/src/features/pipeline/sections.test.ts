import { describe, expect, it } from "vitest"
import { eventsOf, gives, starts, step } from "./pipeline.fixture.ts"
import { buildSections } from "./sections.ts"

const tell = (bodies: Parameters<typeof eventsOf>[0]) => buildSections(eventsOf(bodies))
const USAGE = { input: 10, output: 5, cacheRead: 1, cacheWrite: 0 }
const asked = { type: "llm_called", stage: 0, attempt: 1, key: "ask", model: "sonnet" } as const

describe("sections of a run", () => {
  it("[CONSOLE-51] the start and end events of an activity are one activity with its numbers", () => {
    const { sections } = tell([
      starts(0),
      step("a", { phase: "started" }),
      step("a", { tokens: 900, durationMs: 140, usd: 0.01, detail: "3 paragraphs" }),
      step("b", { phase: "started" }),
      gives(0, "8 sub-queries"),
    ])
    expect(sections).toMatchObject([
      { key: "0.1", summary: "8 sub-queries", endedAt: expect.any(Number) },
    ])
    expect(sections[0]?.items).toMatchObject([
      { id: "a", outcome: "done", tokens: 900, durationMs: 140, usd: 0.01, detail: "3 paragraphs" },
      { id: "b", outcome: null, tokens: null },
    ])
  })

  it("[CONSOLE-51] a model call counts all its tokens, even without a start event", () => {
    const call = { ...asked, usage: USAGE, usd: null, text: "{}", durationMs: 7, retries: 2 }
    const { sections } = tell([
      starts(0),
      step("a", { phase: "started", tool: "LLM Analysis", title: "compare" }),
      { ...call, activityId: "a" },
      step("a", { tool: "LLM Analysis", title: "compare" }),
      { ...call, activityId: "b" },
    ])
    expect(sections[0]?.items).toMatchObject([
      { id: "a", title: "compare", tokens: 16, usd: null, text: "{}", detail: "sonnet, 2 retries" },
      { id: "b", tool: "LLM Analysis", title: "sonnet", outcome: "done" },
    ])
  })

  it("[CONSOLE-51] a repair is another attempt, an interrupted stage continues, and truncated data is marked", () => {
    const { sections } = tell([
      starts(0),
      step("a", { phase: "started" }),
      starts(0, 0, 2),
      step("b"),
      gives(0, "first"),
      { type: "validation_failed", stage: 0, attempt: 2, problems: ["0.68"], feedback: "7 of 22" },
      { type: "repair_started", unit: 0, iteration: 1, feedback: "7 of 22" },
      starts(0, 1),
    ])
    expect(sections.map((it) => [it.key, it.round, it.rounds, it.attempts])).toEqual([
      ["0.1", 1, 2, 2],
      ["0.2", 2, 2, 1],
    ])
    expect(sections[0]?.problems).toEqual(["0.68"])
    expect(sections[0]?.items).toMatchObject([
      { id: "a", outcome: "stopped" },
      { id: "b", outcome: "done" },
      { kind: "note", title: "Check failed", description: "7 of 22", tone: "bad" },
    ])
  })

  it("[CONSOLE-51] answers, errors and budget events are listed where they happened", () => {
    const { sections, talk } = tell([
      starts(0),
      gives(0, "plan"),
      { type: "pause_requested", stage: 0, pauseId: "p", reason: "configured", question: "?" },
      { type: "resumed", by: "you" },
      { type: "skipped", by: "you", stage: 1, reason: "no web source" },
      { type: "budget_warned", scope: "run", spentUsd: 2.4, budgetUsd: 3 },
      { type: "error", stage: 1, code: "X_Y", message: "It broke.", hint: "Mend it." },
      { type: "budget_exceeded", scope: "stage_1", spentUsd: 3, budgetUsd: 3 },
      { type: "run_completed", status: "over-budget", reason: "r", isPartial: true },
      { type: "said", key: "s", message: "And?", answer: "So.", model: "m", usage: USAGE, usd: 0 },
    ])
    expect(sections.map((it) => [it.stage, it.answer, it.isSkipped])).toEqual([
      [0, "you continued", false],
      [1, "", true],
    ])
    expect(
      sections[1]?.items.map((it) =>
        it.kind === "note" ? [it.title, it.description, it.tone] : [],
      ),
    ).toEqual([
      ["Skipped", "no web source", null],
      ["Budget", "$2.40 of $3.00 for the run, 80 % used", "warn"],
      ["It broke.", "Mend it. X_Y", "bad"],
      ["Budget", "$3.00 of $3.00 for stage_1, no more calls", "bad"],
    ])
    expect(talk).toEqual([{ key: "message 10", message: "And?", answer: "So." }])
  })

  it("[CONSOLE-51] a reused stage is listed although it never started", () => {
    const { sections } = tell([
      { type: "stage_output", stage: 2, attempt: 1, output: 1, summary: "kept", isCarried: true },
      { type: "amended", by: "you", stage: 2, text: "shorter" },
    ])
    expect(sections).toMatchObject([
      { key: "2.1", isCarried: true, answer: "you requested a change" },
    ])
  })
})
