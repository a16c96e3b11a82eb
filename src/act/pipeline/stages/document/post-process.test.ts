import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { countWork } from "#test/work"
import { postProcess } from "./post-process.ts"

const REFERENCES = [
  { label: "P1", text: "The Re-pricing Notice must be given to the Master within 24 hours." },
  { label: "P2", text: "A complaint about a notice must be made in writing within 14 days." },
  {
    label: "P3",
    text: "Fresh water is read from the meter at the berth and charged by the tonne.",
  },
  { label: "P4", text: "A second notice for the same ground has no effect on the price." },
  { label: "P5", text: "A Re-pricing Notice is given to the Master in writing." },
  { label: "W1", text: "Tideline publishes its tariff in September of each year." },
]

function of(text: string) {
  const { sections, ...rest } = postProcess({
    sections: [{ title: "A", text }],
    references: REFERENCES,
  })
  return { text: sections[0]?.text, ...rest }
}

test.each([
  ["It is so [P1].", "It is so [P1]."],
  ["It is so [p1].", "It is so [P1]."],
  ["It is so (P1).", "It is so [P1]."],
  ["It is so [P1, P3].", "It is so [P1] [P3]."],
  ["It is so [P1-P3].", "It is so [P1] [P2] [P3]."],
  ["It is so (P1; W1).", "It is so [P1] [W1]."],
  ["As P1 says, it is so.", "As [P1] says, it is so."],
  ["See P03.", "See [P3]."],
  [
    "Quay P3 and form-P3 and a page (p3) are names.",
    "Quay P3 and form-P3 and a page (p3) are names.",
  ],
  ["`x` and\n```\nP1 [p1]\n```\nP1", "`x` and\n```\nP1 [p1]\n```\n[P1]"],
  ["~~~\n[p1] stays open", "~~~\n[p1] stays open"],
  ["`[p1]` is written so, and it is so [P1].", "`[p1]` is written so, and it is so [P1]."],
  ["``a ` [P1]`` and `[P9]` stay.", "``a ` [P1]`` and `[P9]` stay."],
  ["A link [P1](#p1) stays.", "A link [P1](#p1) stays."],
])("%j becomes %j", (text, expected) => {
  expect(of(text).text).toBe(expected)
})

test("a label without a reference is removed and reported once", () => {
  expect(of("It is so [P9]. So is [P1, W7] this, and (P9) that [W8].")).toEqual({
    text: "It is so. So is [P1] this, and that.",
    used: ["P1"],
    added: 0,
    dropped: ["P9", "W7", "W8"],
  })
})

test.each([
  ["One [P1] and two [P1] and three [P2] [P1].", "One [P1] and two and three [P2]."],
  ["It is so [P1][P1]. [P1] And so [P1].", "It is so [P1]. And so [P1]."],
])("%j has each label once per sentence", (text, expected) => {
  expect(of(text).text).toBe(expected)
})

test.each([
  [
    "The Master must be given the Re-pricing Notice within 24 hours.",
    "The Master must be given the Re-pricing Notice within 24 hours [P1].",
  ],
  [
    "- Fresh water is charged by the tonne and read from the meter",
    "- Fresh water is charged by the tonne and read from the meter [P3]",
  ],
  [
    '"Every complaint about a notice must be made in writing."\n\nSo it is.',
    '"Every complaint about a notice must be made in writing [P2]."\n\nSo it is.',
  ],
])("%j gets the label of the text it clearly rests on", (text, expected) => {
  expect(of(text)).toMatchObject({ text: expected, added: 1 })
})

test.each([
  "Must the Re-pricing Notice be given to the Master within 24 hours?",
  "The Re-pricing Notice must be given to the Master within 24 hours:",
  "# The Re-pricing Notice must be given to the Master within 24 hours",
  "| The Re-pricing Notice must be given | to the Master within 24 hours |",
  "A notice is given.",
  "A notice of complaint about the price must be made.",
  "A Re-pricing Notice is given to the Master of each vessel.",
  "Tugs are ordered by the Harbour Master in winds above 25 knots.",
])("%j gets no label", (text) => {
  expect(of(text)).toMatchObject({ text, added: 0 })
})

test("a label in code does not count as use", () => {
  expect(of("Write `[P2]` for it [P1].").used).toEqual(["P1"])
})

test("used references are listed in order of first use over all sections", () => {
  const { used, sections } = postProcess({
    sections: [
      { title: "One", text: "It is so [W1]. And so [P3]." },
      { title: "Two", text: "It is so (P1) and [P3]." },
    ],
    references: REFERENCES,
  })
  expect(used).toEqual(["W1", "P3", "P1"])
  expect(sections.map((it) => it.title)).toEqual(["One", "Two"])
})

const piece = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(
    ..."[P1] [p2] (P3) (P9) [P9] P1 P4 [P1, [P ] ( ) [W1;P2] [P1-P3] . ! ? | # - ``` ~~~ \n".split(
      " ",
    ),
    "The Re-pricing Notice must be given to the Master within 24 hours",
    "Fresh water is charged by the tonne and read from the meter. ",
    " ",
    "\n",
    "\n\n",
  ),
)

test.each([
  "[P1]?[P1]Fresh water is charged by the tonne and read from the meter.",
  "Fresh water is charged by the tonne and read from the meter. [P1-P3][P1-P3]Fresh water is charged by the tonne.",
  "The Re-pricing Notice must be given to the Master within 24 hours\n-",
  "The Re-pricing Notice must be given to the Master within 24 hours\na)",
  "The Re-pricing Notice must be given to the Master within hours\n24.",
  "The Re-pricing Notice must be given to the Master within 24 hours\nP4-",
  "[P [P9]1] and (P[P9]3)",
  "The Re-pricing Notice must be given to the Master within 24 hours`. `",
])("%j is finished in one pass", (text) => {
  const first = of(text).text ?? ""
  expect(of(first)).toMatchObject({ text: first, added: 0, dropped: [] })
})

test("a second pass changes nothing", () => {
  const property = fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
    const first = of(pieces.join(""))
    expect(of(first.text ?? "")).toEqual({ ...first, added: 0, dropped: [] })
  })
  fc.assert(property, fcParameters({ numRuns: 1_000 }))
})

test("no word is lost: only labels and the whitespace around them change", () => {
  const bare = (text: string) => text.replaceAll(/[pw]\d+|and|[^a-z]/gi, "")
  const property = fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
    const text = pieces.join("")
    expect(bare(of(text).text ?? "")).toBe(bare(text))
  })
  fc.assert(property, fcParameters({ numRuns: 500 }))
})

test("the work is linear in the text length", () => {
  const sentences = REFERENCES.map((it) => `${it.text} As P2 says [P9]. `).join("")
  const work = (times: number) =>
    countWork(() => {
      const sections = Array.from({ length: 5 }, () => ({
        title: "A",
        text: sentences.repeat(times),
      }))
      postProcess({ sections, references: REFERENCES })
    })
  const normal = work(3)
  expect(normal).toBeLessThan(20_000)
  expect(work(12)).toBeLessThan(normal * 5)
})
