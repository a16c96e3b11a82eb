import { describe, expect, it } from "vitest"
import { contextOf } from "./facts.tsx"
import { aRun, aStage, eventsOf, gives, starts, step } from "./pipeline.fixture.ts"
import { buildSections } from "./sections.ts"
import { joinShown } from "./use-pipeline.ts"
import {
  describeActivity,
  describeEnd,
  describePaused,
  describeSection,
  dotsOf,
  figuresOf,
  formatSpent,
  iconOf,
  spendOf,
  unitsOf,
} from "./words.ts"

const description = (overrides: Parameters<typeof aStage>[1], run = {}) =>
  dotsOf(aRun({ stages: [aStage(0, overrides)], ...run }), undefined)[0]

describe("texts of stages", () => {
  it("[CONSOLE-51] finished stages show time and cost, later stages their plan", () => {
    const took = { startedAt: 1_000, endedAt: 10_400 }
    const cost = { spentUsd: 0.04, budgetUsd: 0.2, unknownCalls: 0 }
    expect(description({ status: "done", ...took, cost })).toMatchObject({
      description: "9.4 s, $0.04",
      mark: "done",
      place: "past",
    })
    expect(description({ status: "running", rounds: 1, cost })?.description).toBe("round 2, $0.04")
    expect(description({ status: "waiting", rounds: 1 })?.description).toBe("failed once")
    expect(description({ status: "waiting", kind: "verify" })).toMatchObject({
      description: "4 scores",
      place: "next",
    })
    expect(description({ status: "waiting", kind: "web", pauses: true })?.description).toBe(
      "web search, pauses",
    )
    expect(description({ status: "skipped" })?.description).toBe("skipped")
    expect(description({ status: "failed", cost })?.description).toBe("failed, $0.04")
  })

  it("[CONSOLE-52] while a run is paused or interrupted, no stage is shown as running", () => {
    expect(description({ status: "running" })?.mark).toBe("running")
    expect(description({ status: "running" }, { status: "paused" })?.mark).toBe("paused")
    expect(description({ status: "running" }, { status: "interrupted" })?.mark).toBe("interrupted")
    expect(description({ status: "paused" }, { status: "paused" })).toMatchObject({
      description: "paused",
      place: "on",
    })
  })

  it("[CONSOLE-51] a repair unit shows the rounds left, and costs show their budget", () => {
    const repairs = [{ first: 3, last: 4, used: 0, most: 2 }]
    expect(unitsOf(aRun({ repairs }))[0]?.description).toBe("Repair unit, at most 2 rounds")
    expect(
      unitsOf(aRun({ repairs: [{ ...repairs[0], first: 3, last: 4, used: 1, most: 2 }] }))[0]
        ?.description,
    ).toBe("Repair unit, round 1 of 2 used")
    const [line] = spendOf(
      aRun({
        stages: [
          aStage(0, { rounds: 2, cost: { spentUsd: 0.4, budgetUsd: 0.5, unknownCalls: 1 } }),
        ],
      }),
    )
    expect(line).toMatchObject({
      name: "Stage 0, 2 rounds",
      spent: "$0.40, 1 call unknown",
      share: 0.8,
    })
    expect(formatSpent({ spentUsd: 0, budgetUsd: null, unknownCalls: 2 })).toBe("2 calls unknown")
    expect(formatSpent({ spentUsd: 0, budgetUsd: 1, unknownCalls: 0 })).toBe("")
  })

  it("[CONSOLE-52] the stage name is lower case inside a sentence, and abbreviations keep their capitals", () => {
    const paused = (title: string, reason = "configured") =>
      describePaused(
        aRun({ stages: [aStage(0, { title })], pause: { ...PAUSE, stage: 0, reason } }),
      )
    expect(paused("Web calibration")).toBe("Paused after web calibration")
    expect(paused("QA round")).toBe("Paused after QA round")
    expect(paused("Verify", "error"), "a failed stage is retried").toBe("Paused at verify")
  })

  it("[CONSOLE-51] every end has a text, and a partial result is called partial", () => {
    expect(describeEnd(aRun())).toBeUndefined()
    expect(
      describeEnd(aRun({ status: "completed", isPartial: false, reason: "Done." }))?.title,
    ).toBe("Completed.")
    expect(describeEnd(aRun({ status: "completed" }))).toMatchObject({
      title: "Completed.",
      tone: "warn",
    })
    expect(describeEnd(aRun({ status: "stopped", reason: "You did." }))?.description).toBe(
      "You did. The result is partial.",
    )
    const error = { code: "X", message: "It broke.", hint: "Mend it." }
    expect(describeEnd(aRun({ status: "failed", error }))).toMatchObject({
      title: "It broke.",
      description: "Mend it.",
    })
    expect(describeEnd(aRun({ status: "breakout" }))?.description).toContain("stored")
    expect(describeEnd(aRun({ status: "over-budget" }))?.tone).toBe("warn")
    expect(describeEnd(aRun({ status: "interrupted" }))?.description).toContain("do not run again")
  })
})

const PAUSE = {
  pauseId: "p",
  stage: 0,
  reason: "configured",
  question: "?",
  since: 0,
  lines: [],
  isConfirmingExit: false,
  choices: [],
}

describe("texts of activities", () => {
  const activity = (overrides = {}) => {
    const [item] =
      buildSections(eventsOf([starts(0), step("a", overrides)])).sections[0]?.items ?? []
    if (item?.kind !== "activity") throw new Error("there is one")
    return item
  }

  it("[CONSOLE-51] an activity has an icon by kind and three columns of numbers, empty where unknown", () => {
    expect(iconOf(activity())).toBe("book")
    expect(iconOf(activity({ tool: "Web Search" }))).toBe("search")
    expect(iconOf(activity({ tool: "Citation Verification" }))).toBe("check")
    expect(iconOf(activity({ tool: "LLM Analysis", kind: "other" }))).toBe("agent")
    expect(iconOf(activity({ outcome: "failed" }))).toBe("close")
    expect(figuresOf(activity({ tokens: 2_100, durationMs: 1_300, usd: 0.01 }))).toEqual([
      "2.1k",
      "1.3 s",
      "$0.01",
    ])
    expect(figuresOf(activity())).toEqual(["", "", ""])
  })

  it("[CONSOLE-52] an activity without an end is running only while the run is, else it was interrupted", () => {
    const open = activity({ phase: "started" })
    expect(describeActivity(open, true)).toEqual({ description: "arrival" })
    expect(describeActivity(open, false)).toEqual({ description: "arrival, cut", tone: "warn" })
    expect(describeActivity(activity({ outcome: "denied", detail: "no scope" }), false)).toEqual({
      description: "arrival, no scope",
      tone: "bad",
    })
  })

  it("[CONSOLE-51] a section shows its result, its problems and its round", () => {
    const [first, second] = buildSections(
      eventsOf([
        starts(0),
        gives(0, "22 citations"),
        {
          type: "validation_failed",
          stage: 0,
          attempt: 1,
          problems: ["0.68 of 0.75"],
          feedback: "f",
        },
        starts(0, 1),
      ]),
    ).sections
    if (first === undefined || second === undefined) throw new Error("there are two")
    expect(describeSection(first, false)).toEqual({
      description: "round 1, 0.68 of 0.75",
      tone: "bad",
    })
    expect(describeSection(second, true)).toEqual({ description: "round 2, with feedback" })
    expect(describeSection(second, false).description).toBe("round 2, with feedback, not finished")
  })
})

describe("context of a stage, and events of a run", () => {
  it("[CONSOLE-51] the last shaped context is drawn, by kind where kinds are known", () => {
    const shaped = (overrides: object) =>
      eventsOf([starts(0), step("c", { tool: "Context shaped", ...overrides })])
    expect(contextOf(shaped({ title: "9800 of 12,000 tokens, 12 texts" }), undefined)).toEqual({
      stage: 0,
      tokens: { knowledge: 9_800 },
      total: 9_800,
      budget: 12_000,
    })
    const kinds = { instructions: 700, knowledge: 3_400, other: 1, memory: 0 }
    expect(contextOf(shaped({ result: { tokens: kinds } }), undefined)).toMatchObject({
      tokens: { instructions: 700, knowledge: 3_400 },
      total: 4_100,
      budget: null,
    })
    expect(contextOf(shaped({ title: "nothing" }), undefined)).toBeUndefined()
  })

  it("[CONSOLE-51] new events are appended once, and a lower sequence number makes the page refetch the run", () => {
    const events = eventsOf([starts(0), step("a"), step("b")])
    const cached = { run: aRun({ lastSeq: 2 }), events: events.slice(0, 2) }
    const answer = { run: aRun({ lastSeq: 3 }), events: events.slice(1) }
    expect(joinShown(cached, answer)?.events.map((it) => it.seq)).toEqual([1, 2, 3])
    expect(joinShown(undefined, answer)?.events.length).toBe(2)
    expect(joinShown(cached, { run: aRun({ lastSeq: 1 }), events: [] })).toBeUndefined()
  })
})
