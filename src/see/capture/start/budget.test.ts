import { expect, test } from "vitest"
import { findDuplicates } from "./budget.ts"

const RULE = "Run the checks before each commit and never push a red branch to main again"
const OTHER = "Amounts are integers in minor units and rounding lives in one single place only"

test("[CAPTURE-10] identical text in several files is reported once, with the tokens of the copies", () => {
  const found = findDuplicates([
    { label: "a", text: RULE, tokens: 30 },
    { label: "b", text: RULE, tokens: 30 },
    { label: "c", text: RULE, tokens: 30 },
  ])
  expect(found).toEqual([
    {
      labels: ["a", "b", "c"],
      tokens: 60,
      likeness: 1,
      excerpt: "Run the checks before each commit and never",
    },
  ])
})

test("[CAPTURE-10] a repeated passage is found despite different case and spacing", () => {
  const found = findDuplicates([
    { label: "a", text: `${OTHER}\n\n- ${RULE.toUpperCase()}`, tokens: 60 },
    { label: "b", text: `- ${RULE.replaceAll(" ", "\n")}`, tokens: 25 },
  ])
  expect(found).toMatchObject([{ labels: ["a", "b"], likeness: 1, tokens: 25 }])
})

test("[CAPTURE-10] different texts and short repetitions are not reported", () => {
  expect(
    findDuplicates([
      { label: "a", text: RULE, tokens: 30 },
      { label: "b", text: OTHER, tokens: 30 },
      { label: "c", text: "Be brief", tokens: 2 },
      { label: "d", text: "Be brief", tokens: 2 },
    ]),
  ).toEqual([])
})
