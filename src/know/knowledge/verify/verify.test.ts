import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { countWork } from "#test/work"
import { citationAccuracy } from "./citation-accuracy.ts"
import { findContradictions } from "./contradictions.ts"
import { entityGrounding } from "./entity-grounding.ts"
import { CITED } from "./labelled-cases.fixture.ts"
import { MOST_COMPARED_PAIRS } from "./limits.ts"
import { relationPreservation } from "./relation-preservation.ts"

test("[KNOW-43] the score is the share of distinct entities that occur in the cited paragraphs", () => {
  const answer = "The Master waits 24 hours [P1]. The Master waits 36 hours, or 40 hours [P1]."
  expect(entityGrounding(answer, CITED)).toMatchObject({ checked: 4, score: 0.5, isPassed: false })
  expect(entityGrounding("The Master waits 24 hours [P1].", CITED)).toEqual({
    score: 1,
    bar: 0.8,
    isPassed: true,
    checked: 2,
    by: "words",
    failed: [],
  })
})

test("[KNOW-43] only cited paragraphs count, or all of them without any citation", () => {
  const { failed } = entityGrounding("The Breakwater Line is 0.3 m wide [P4].", CITED)
  expect(failed.map((it) => it.problem)).toEqual([
    'The number "0.3 m" is in none of the cited paragraphs.',
  ])
  expect(entityGrounding("The Breakwater Line is 0.3 m wide.", CITED).isPassed).toBe(true)
})

test("[KNOW-44] each citation of a sentence counts, and a failure has the text that was read", async () => {
  const { failed, ...report } = await citationAccuracy(
    "Arrival is the crossing of the Breakwater Line by the vessel [P4, P9].",
    CITED,
  )
  expect(report).toEqual({ score: 0.5, bar: 0.75, isPassed: false, checked: 2, by: "words" })
  expect(failed).toEqual([
    {
      sentence: "Arrival is the crossing of the Breakwater Line by the vessel.",
      problem: "There is no paragraph P9.",
      evidence: "no paragraph",
    },
  ])
})

test("[KNOW-44] a number that differs from the paragraph's fails even if the other words match", async () => {
  const { failed } = await citationAccuracy(
    "The Re-pricing Notice must be given to the Master within 48 hours of the event [P1].",
    CITED,
  )
  expect(failed[0]?.problem).toBe("P1 says 24 hour, not 48 hours.")
  expect(failed[0]?.evidence).toContain("within 24 hours of the event")
})

test("[KNOW-45] the judge gets only citations that passed the word check, and can reject them", async () => {
  const heard: string[] = []
  const answer =
    "The old price stands for a late notice [P1]. Tugs are ordered in winds [P2]. Arrival is the crossing of the Breakwater Line [P4]."
  const report = await citationAccuracy(answer, CITED, async (sentence) => {
    heard.push(sentence)
    return sentence.startsWith("Arrival")
  })
  expect(heard).toEqual([
    "The old price stands for a late notice.",
    "Arrival is the crossing of the Breakwater Line.",
  ])
  expect(report).toMatchObject({ checked: 3, score: 1 / 3, by: "words and model" })
})

test("[KNOW-45] an undecided judge changes nothing and is not named", async () => {
  const answer = "Arrival is the crossing of the Breakwater Line [P4]."
  const silent = await citationAccuracy(answer, CITED, async () => undefined)
  expect(silent).toEqual(await citationAccuracy(answer, CITED))
})

test("[KNOW-45] the judge is called at most 60 times, and its exceptions propagate", async () => {
  let asked = 0
  const many = "Arrival is the crossing of the Breakwater Line [P4]. ".repeat(80)
  await citationAccuracy(many, CITED, async () => ++asked > 0)
  expect(asked).toBe(60)
  const stop = new Error("stopped")
  await expect(citationAccuracy(many, CITED, () => Promise.reject(stop))).rejects.toBe(stop)
})

test.each([
  ["The Master waits 24 hours.", CITED, 0],
  ["Nothing is known about it.", CITED, 1],
  ["The Master waits 24 hours.", [], 1],
])(
  "[KNOW-44] %j without a citation is scored by whether there was something to cite",
  async (answer, cited, score) => {
    expect((await citationAccuracy(answer, cited)).score).toBe(score)
  },
)

test("[KNOW-47] a relation over two paragraphs is preserved when an edge joins them", () => {
  const answer = "The Master is warned of 14 days by the Re-pricing Notice [P1] [P3]."
  const lost = relationPreservation(answer, CITED)
  expect(lost).toMatchObject({ bar: 0.7, isPassed: false })
  expect(lost.failed[0]?.problem).toContain("No paragraph has both sides")
  expect(relationPreservation(answer, CITED, [{ from: "a.3", to: "a.1" }]).isPassed).toBe(true)
  expect(relationPreservation(answer, CITED, [{ from: "a.3", to: "a.4" }]).isPassed).toBe(false)
})

test("[KNOW-47] a relation that the paragraph denies is not preserved", () => {
  const answer =
    "The Re-pricing Notice must not be given to the Master within 24 hours of the event [P1]."
  expect(relationPreservation(answer, CITED).failed[0]?.problem).toBe("P1 says the opposite.")
})

test("in another language only numbers and the existence of citations are checked", async () => {
  const answer = "Der Liegeplatz wird nach der Ankunft nicht für 99 Tage vergeben [P1] [P8]."
  expect(entityGrounding(answer, CITED).failed.map((it) => it.problem)).toEqual([
    'The number "99" is in none of the cited paragraphs.',
  ])
  const { failed } = await citationAccuracy(answer, CITED)
  expect(failed.map((it) => it.problem)).toEqual(["There is no paragraph P8."])
  expect(relationPreservation(answer, CITED).checked).toBe(0)
  expect(findContradictions(`${answer} ${answer.replace("nicht ", "")}`).checked).toBe(0)
})

test("no text makes a check throw", async () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom("\u0000", "\ud800", "\u202e", "船は着いた。", "é\u0301", "１２", "%", "€"),
    fc.constantFrom(
      "[P1]",
      "[P",
      "§",
      "**",
      "| ",
      "```",
      "\n",
      ". ",
      "24 hours ",
      "The Berth Window ",
    ),
  )
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
    const answer = pieces.join("")
    const cited = [{ label: "P1", id: "x", text: answer }]
    const reports = [
      entityGrounding(answer, cited),
      await citationAccuracy(answer, cited),
      relationPreservation(answer, cited, [{ from: "x", to: "x" }]),
    ]
    const isWhole = findContradictions(answer, [answer]).checked >= 0
    return isWhole && reports.every(({ score }) => score >= 0 && score <= 1)
  })
  await fc.assert(property, fcParameters({ numRuns: 200 }))
})

const LONG: Readonly<Record<string, (at: number) => string>> = {
  sentences: (at) =>
    `The Master pays EUR ${at} to the Harbour Office for Berth ${at} [P${(at % 4) + 1}]. `,
  repetitions: () => "The Master must pay the Harbour Office in 3 days [P1]. ",
  "no full stop": (at) => `the Master pays EUR ${at} to Ship Number${at} `,
  brackets: () => "[P1 [P1, [P1 - ",
  terms: (at) => `The Ship Alpha${at} meets "Term ${at}". `,
  spaces: () => "[P1          . \n  ",
}

function written(make: (at: number) => string, bytes: number): string {
  let text = ""
  for (let at = 0; text.length < bytes; at++) text += make(at)
  return text
}

test.each(Object.entries(LONG))(
  "four times as much text of %s takes about four times the work",
  (_, make) => {
    const work = (bytes: number) => {
      const answer = written(make, bytes)
      return countWork(() => {
        entityGrounding(answer, CITED)
        relationPreservation(answer, CITED, [{ from: "a.1", to: "a.3" }])
        findContradictions(answer)
        void citationAccuracy(answer, CITED)
      })
    }
    const less = work(6_000)
    expect(work(24_000)).toBeLessThan(less * 5)
    expect(less).toBeLessThan(6_000 * 80)
  },
)

test("an answer of 200 kB, the maximum, takes at most 60 looks per character", () => {
  const answer = written(LONG["sentences"] ?? String, 200_000)
  const looks = countWork(() => {
    entityGrounding(answer, CITED)
    relationPreservation(answer, CITED)
  })
  expect(looks).toBeLessThan(200_000 * 60)
})

test("at most MOST_COMPARED_PAIRS pairs are compared", () => {
  const answer = written((at) => `The Master must pay the Harbour Office ${at} euros. `, 200_000)
  const { checked, pairs } = findContradictions(answer)
  expect(checked).toBeLessThanOrEqual(MOST_COMPARED_PAIRS)
  expect(pairs).toHaveLength(100)
})

test("the evidence is the text that was read, truncated", () => {
  const long = { label: "P1", id: "x", text: `The Master waits. ${"so it is ".repeat(1_000)}` }
  const [failure] = entityGrounding("The Pilot Cutter waits 24 hours [P1].", [long]).failed
  expect(failure?.sentence).toBe("The Pilot Cutter waits 24 hours.")
  expect(failure?.evidence).toMatch(/^\[P1\] The Master waits\. so it is .*…$/)
  expect(failure?.evidence.length).toBeLessThan(420)
})
