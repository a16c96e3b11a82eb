import fc from "fast-check"
import { expect, test } from "vitest"
import { PipelineSummary } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { RESEARCH, RESEARCH_STAGES, resultsOf, stageDone } from "./results.fixture.ts"
import { summaryOf } from "./summary.ts"

test("a summary has question, end, stages, scores, conclusions, findings and plan", () => {
  const summary = summaryOf(resultsOf({ stages: RESEARCH_STAGES, outputs: RESEARCH }))
  expect(PipelineSummary.parse(summary)).toEqual(summary)
  expect(summary).toMatchObject({
    plan: ["Who pays a fee?", "When is a fee waived?"],
    findings: RESEARCH.synthesize.keyPoints,
    conclusions: [RESEARCH.synthesize.shortAnswer],
    scores: RESEARCH.verify.scores,
    completedStages: ["analyze_query", "synthesize", "verify"],
    isPartial: false,
    exitReason: "completed",
  })
  expect(summary.text).toMatchInlineSnapshot(`
    "Question: Which fees does the harbour take?
    Ended: completed
    Stages done: analyze_query, synthesize, verify
    Scores: entity grounding 0.91, citation accuracy 1.00
    Conclusions:
    - Every vessel over 8 m pays a fee [P1].
    Findings:
    - Vessels over 8 m pay [P1].
    - Rescue boats pay nothing [P2].
    Plan:
    - Who pays a fee?
    - When is a fee waived?
    Section: Who pays
    Every vessel over 8 m pays [P1]. So says the web [W1]. [P1]
    Section: Who does not
    Rescue boats pay nothing [P2]. Nobody cites [P9]."
  `)
  expect(summary.longer).toContain("Section: Who does not\nRescue boats pay nothing [P2].")
})

test("the summary of a run that ended early states how it ended and that it is partial", () => {
  const summary = summaryOf(
    resultsOf({
      status: "over-budget",
      reason: "the run spent $3.01 of $3.00",
      isPartial: true,
      stages: RESEARCH_STAGES.slice(0, 1),
      outputs: { analyze_query: RESEARCH.analyze_query },
    }),
  )
  expect(summary.exitReason).toBe("over-budget: the run spent $3.01 of $3.00")
  expect(summary.isPartial).toBe(true)
  expect(summary.text).toContain("Ended: over-budget: the run spent $3.01 of $3.00 (partial")
  expect(summary.text).toContain("- Who pays a fee?")
})

test("a recipe with unknown outputs is summarized by its stages' own summaries", () => {
  const stages = [stageDone("plan", "3 steps"), stageDone("decide", "done: all checks pass")]
  const outputs = { plan: { steps: ["a", "b", "c"] }, decide: { decision: "done" } }
  const summary = summaryOf(resultsOf({ stages, outputs }))
  expect(summary.findings).toEqual(["plan: 3 steps", "decide: done: all checks pass"])
  expect(summary.conclusions).toEqual(["decide: done: all checks pass"])
})

test("sections without key points count as findings", () => {
  const { keyPoints: _, ...synthesize } = RESEARCH.synthesize
  const summary = summaryOf(resultsOf({ outputs: { synthesize } }))
  expect(summary.findings[1]).toBe(
    "Who does not: Rescue boats pay nothing [P2]. Nobody cites [P9].",
  )
})

test("a run without any stage output has a summary", () => {
  const summary = summaryOf(resultsOf({ status: "failed", reason: "no key", isPartial: true }))
  expect(summary).toMatchObject({ plan: [], findings: [], conclusions: [], scores: {} })
  expect(summary.text).toContain("Ended: failed: no key")
})

/** Any code units, including lone surrogates; fast-check's own generator takes 2 s to set up. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units))

const text = fc.oneof(
  anyText,
  fc.integer({ min: 0, max: 3_000 }).map((length) => "words and 🛥️ ".repeat(length / 10)),
)
const results = fc
  .record({
    query: text,
    reason: fc.option(text),
    isPartial: fc.boolean(),
    status: fc.constantFrom("completed" as const, "failed" as const, "breakout" as const),
    summaries: fc.array(fc.option(text), { maxLength: 8 }),
    sections: fc.array(fc.record({ title: text, text }), { maxLength: 8 }),
    keyPoints: fc.array(text, { maxLength: 30 }),
    questions: fc.array(text, { maxLength: 30 }),
  })
  .map((it) =>
    resultsOf({
      ...it,
      stages: it.summaries.map((summary, index) => stageDone(`stage_${index}`, summary)),
      outputs: {
        plan: { subQueries: it.questions.map((question) => ({ question })) },
        answer: { sections: it.sections, keyPoints: it.keyPoints, shortAnswer: it.query },
      },
    }),
  )

test("a summary has 500 to 1,500 characters if the results suffice, the longer tier at most 8,000", () => {
  fc.assert(
    fc.property(results, (it) => {
      const { text: short, longer } = summaryOf(it)
      expect(short.length).toBeLessThanOrEqual(1_500)
      expect(short.length).toBeGreaterThanOrEqual(Math.min(500, longer.length))
      expect(longer.length).toBeLessThanOrEqual(8_000)
      expect(longer.length).toBeGreaterThanOrEqual(short.length)
    }),
    fcParameters({ numRuns: 200 }),
  )
})

test("equal results give equal summaries, and no surrogate pair is split", () => {
  fc.assert(
    fc.property(results, (it) => {
      const summary = summaryOf(it)
      expect(summaryOf(structuredClone(it))).toEqual(summary)
      if (isWhole(it)) {
        expect(summary.text.isWellFormed()).toBe(true)
        expect(summary.longer.isWellFormed()).toBe(true)
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})

function isWhole(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.values(value).every(isWhole)
}
