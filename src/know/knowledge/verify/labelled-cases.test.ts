import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ANSWER, CITED_OF } from "./answer.fixture.ts"
import { citationAccuracy } from "./citation-accuracy.ts"
import { CONTRADICTION_CASES, HARD_CONTRADICTION_CASES } from "./contradictions.fixture.ts"
import { findContradictions } from "./contradictions.ts"
import { entityGrounding } from "./entity-grounding.ts"
import { CITATION_CASES, CITED, ENTITY_CASES, RELATION_CASES } from "./labelled-cases.fixture.ts"
import { relationPreservation } from "./relation-preservation.ts"

const kindOf = (one: string, other: string) => findContradictions(`${one} ${other}`).pairs[0]?.kind

test.each(CONTRADICTION_CASES)("[KNOW-48] %s / %s: %s", (one, other, kind) => {
  const expected = kind === "none" ? [] : [kind]
  expect(findContradictions(`${one} ${other}`).pairs.map((it) => it.kind)).toEqual(expected)
  expect(findContradictions(one, [other]).pairs.map((it) => it.kind)).toEqual(expected)
})

test("[KNOW-48] a pair has both sentences and their shared entities, and a text is not compared with itself", () => {
  const [one, other] = [
    "A Quote binds the Harbour Office.",
    "A Quote does not bind the Harbour Office.",
  ]
  expect(findContradictions(one, [other])).toEqual({
    pairs: [{ one, other, entities: ["quot", "harbor offic"], kind: "polarity" }],
    checked: 1,
    isPassed: false,
    by: "words",
  })
  expect(findContradictions("Nothing is said here.", [one, other]).pairs).toEqual([])
})

test.each(CITATION_CASES)("[KNOW-44] %s", async (sentence, good) => {
  const { checked, failed } = await citationAccuracy(sentence, CITED)
  expect({ checked, failed: failed.length }).toEqual({
    checked: good.length,
    failed: good.filter((it) => !it).length,
  })
})

test.each(ENTITY_CASES)("[KNOW-43] %s misses %j", (sentence, missing) => {
  const { failed } = entityGrounding(sentence, CITED)
  expect(failed.map((it) => /"(.+)"/.exec(it.problem)?.[1])).toEqual(missing)
})

test.each(RELATION_CASES)("[KNOW-47] %s: preserved is %s", (sentence, isPreserved) => {
  const { checked, failed } = relationPreservation(sentence, CITED, [{ from: "a.1", to: "a.3" }])
  expect(checked).toBeGreaterThan(0)
  expect(failed.length === 0).toBe(isPreserved)
})

test.each([
  ["What happens when the Signal Tower sends the Re-pricing Notice [P4]?", 0],
  ['Must the Declared Draught be given to the Shipping Agent?" [P2]', 0],
  ["The Signal Tower sends the Re-pricing Notice [P4].", 1],
  ["Who sends it? The Signal Tower sends the Re-pricing Notice [P4].", 1],
])("[KNOW-47] %s has %s relations", (text, relations) => {
  expect(relationPreservation(text, CITED).checked).toBe(relations)
})

test("[KNOW-47] a question in a cited paragraph denies nothing", () => {
  const text = "Must the Master sign the Notice? The Notice is for the Master."
  const answer = "The Master need not sign the Notice [P1]."
  expect(relationPreservation(answer, [{ label: "P1", id: "x", text }]).failed).toEqual([])
})

test("[KNOW-49] over all labelled contradictions precision is 1 and recall at least 0.9", () => {
  const cases = [...CONTRADICTION_CASES, ...HARD_CONTRADICTION_CASES]
  const rows = cases.map(([one, other, kind]) => ({ kind, found: kindOf(one, other) ?? "none" }))
  const found = rows.filter((it) => it.found !== "none")
  const right = found.filter((it) => it.found === it.kind)
  const real = rows.filter((it) => it.kind !== "none")
  expect(rows.length + CITATION_CASES.length + ENTITY_CASES.length + RELATION_CASES.length).toBe(
    114,
  )
  expect(right.length / found.length).toBe(1)
  expect(right.length / real.length).toBeGreaterThanOrEqual(0.9)
})

const CORPUS = join(import.meta.dirname, "../../../../recipes/deep-research/corpus")

function handbookParagraphs() {
  return CITED_OF.map(([file, number], at) => {
    const lines = readFileSync(join(CORPUS, file), "utf8").split("\n")
    const text = lines.find((it) => it.startsWith(`${number} `)) ?? ""
    return { label: `P${at + 1}`, id: `${file}#${number}`, text: `§ ${number}\n${text}` }
  })
}

test("[KNOW-49] a correct answer in its own words passes all four checks", async () => {
  const cited = handbookParagraphs()
  const texts = cited.map((it) => it.text)
  expect(entityGrounding(ANSWER, cited)).toMatchObject({ score: 1, checked: 16 })
  expect(await citationAccuracy(ANSWER, cited)).toMatchObject({ score: 1, checked: 12 })
  expect(relationPreservation(ANSWER, cited)).toMatchObject({ score: 1, checked: 6 })
  expect(findContradictions(ANSWER, texts).pairs).toEqual([])
})

test.each([
  ["0.3 m", "0.8 m", "P5 says 0.3 m, not 0.8 m."],
  ["14 days", "21 days", "P8 says 14 day, not 21 days."],
  ["within 24 hours of", "within 48 hours of", "P4 says 24 hour, not 48 hours."],
  ["[P6]", "[P8]", "P8 has 0 % of the sentence's words."],
  ["[P7]", "[P12]", "There is no paragraph P12."],
])("[KNOW-49] the same answer with %s replaced by %s fails", async (right, wrong, problem) => {
  const { failed } = await citationAccuracy(ANSWER.replace(right, wrong), handbookParagraphs())
  expect(failed.map((it) => it.problem)).toEqual([problem])
})

test("[KNOW-48] the shipped handbook has one contradiction: its guide is out of date", () => {
  const texts = globSync("**/*.*", { cwd: CORPUS })
    .toSorted()
    .map((path) => proseOf(readFileSync(join(CORPUS, path), "utf8")))
  const { pairs } = findContradictions(texts.join("\n\n"))
  expect(pairs.map((it) => it.kind)).toEqual(["number"])
  expect(pairs.map((it) => [it.one, it.other].join("\n"))[0]).toMatch(
    /within (24|48) hours.+\n.+within (24|48) hours/,
  )
})

function proseOf(text: string): string {
  return text.replaceAll(/<(script|style)>.*<\/\1>/g, "").replaceAll(/<[^>]+>/g, "\n")
}
