import { expect, test } from "vitest"
import { loadWordVectors } from "#know/search"
import { knowledgeFixture } from "#test/knowledge-room"
import { expandAbbreviations, findAbbreviations } from "./abbreviations.ts"

const RULES = `# Rules

1.1 A vessel pays its dues on arrival.

1.2 The account of a person who leaves is disabled at once.

1.3 The Recovery Time Objective (RTO) is four hours.

1.4 Cooling is checked every day.
`

async function openRules() {
  const it = await knowledgeFixture()
  await it.write({ "rules.md": RULES })
  const kb = it.other({ wordVectors: () => loadWordVectors() })
  await kb.add({ path: it.folder })
  const first = async (query: string, from = kb) =>
    (await from.search({ query, limit: 3 })).hits[0]?.paragraph.number
  return Object.assign(it, { related: kb, first })
}

test("[KNOW-53] a question in other words finds the paragraph by related words", async () => {
  await using it = await openRules()
  expect(await it.first("ship", it.kb)).toBeUndefined()
  expect(await it.first("When does a ship have to settle the bill?")).toBe("1.1")
  expect(await it.first("What if a worker quits?")).toBe("1.2")
  expect(await it.first("temperature control")).toBe("1.4")
  const { by } = await it.related.search({ query: "ship" })
  expect(by).toEqual({ words: true, meaning: null, note: null, related: true })
})

test("[KNOW-53] the words themselves come before related ones", async () => {
  await using it = await knowledgeFixture()
  await it.write({ "a.md": "# A\n\n1.1 A ship waits.\n\n1.2 A vessel waits.\n" })
  const kb = it.other({ wordVectors: () => loadWordVectors() })
  await kb.add({ path: it.folder })
  const numbers = async (query: string) =>
    (await kb.search({ query })).hits.map((hit) => hit.paragraph.number)
  expect(await numbers("vessel")).toEqual(["1.2", "1.1"])
  expect(await numbers("ship")).toEqual(["1.1", "1.2"])
})

test("[KNOW-53] an abbreviation of the documents stands for its words, and they for it", async () => {
  await using it = await openRules()
  expect(await it.first("What is the RTO?")).toBe("1.3")
  const known = findAbbreviations([RULES, "Change Advisory Board (CAB)", "a note (IMPORTANT)"])
  expect(Object.fromEntries(known)).toEqual({
    rto: ["recovery", "time", "objective"],
    cab: ["change", "advisory", "board"],
  })
  expect(expandAbbreviations(new Set(["cab", "board"]), known)).toEqual(["change", "advisory"])
  expect(expandAbbreviations(new Set(["recovery", "time", "objective"]), known)).toEqual(["rto"])
  expect(expandAbbreviations(new Set(["time"]), known)).toEqual([])
  const plural = findAbbreviations(["Human Resources (HR)", "Terms of Reference (TOR)"])
  expect(expandAbbreviations(new Set(["human", "resource"]), plural)).toEqual(["hr"])
  expect(expandAbbreviations(new Set(["tor"]), plural)).toEqual(["term", "reference"])
})

test("[KNOW-53] of two equal paragraphs the rule comes before the guide", async () => {
  await using it = await knowledgeFixture()
  await it.write({ "guides/a.md": "# A\n\nA fee is due.", "b.md": "# B\n\nA fee is due." })
  const kb = it.other({ wordVectors: () => loadWordVectors() })
  await kb.add({ path: `${it.folder}/guides`, tier: "guide" })
  await kb.add({ path: it.folder })
  const { hits } = await kb.search({ query: "fee due" })
  expect(hits.map((hit) => hit.paragraph.tier)).toEqual(["primary", "guide"])
})
