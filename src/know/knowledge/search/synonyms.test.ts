import fc from "fast-check"
import { expect, test } from "vitest"
import { loadWordVectors } from "#know/search"
import { knowledgeFixture } from "#test/knowledge-room"
import { fcParameters } from "#test/seed"
import { expandSynonyms, findSynonyms } from "./synonyms.ts"

function synonymsOf(text: string, ...headings: string[]): readonly string[] {
  return findSynonyms([{ text, headings }]).map(
    ({ from, to }) => `${from.join(" ")} > ${to.join(" ")}`,
  )
}

test.for([
  [
    "A stevedore, also known as a docker, loads cargo.",
    ["docker > stevedore", "stevedore > docker"],
  ],
  ["The Quiet Hall is also called Atrium.", ["atrium > quiet hall", "quiet hall > atrium"]],
  [
    "The Friends Society (the “Society”) pays.",
    ["society > friend society", "friend society > society"],
  ],
  ["A docker is another word for a stevedore.", ["stevedore > docker", "docker > stevedore"]],
  [
    '"Amendment" means a change of a Booking that a vessel asks for.',
    ["change booking > amendment"],
  ],
  ['"Master" means the person in command of the vessel.', ["person command vessel > master"]],
] as const)("[KNOW-56] %s", ([text, expected]) => {
  expect(synonymsOf(text)).toEqual(expected)
})

test("[KNOW-56] entries of a glossary are lines, tables and definition lists under such a heading", () => {
  const lines =
    "- Hawser: mooring rope\n- Quay – see Berth\n- Weeding (culling): removal of old items"
  const expected = [
    "mooring rope > hawser",
    "hawser > mooring rope",
    "berth > quay",
    "quay > berth",
    "culling > weeding",
    "weeding > culling",
    "removal old item > weeding",
    "weeding > removal old item",
  ]
  expect(synonymsOf(lines, "Definitions")).toEqual(expected)
  expect(synonymsOf(lines, "Prices")).toEqual([])
  expect(synonymsOf("| Term | Meaning |\n|---|---|\n| HGV | lorry |")).toEqual([
    "lorry > hgv",
    "hgv > lorry",
  ])
})

test.for([
  "Prices in the north are called high by some.",
  "The gate (north) is closed.",
  "Note: see section 3.",
  '"Arrival" means the moment at which the vessel crosses the line.',
  '"Quote" means the price the Harbour Office names for a Booking before it is made.',
  "The meeting is called off, also when it rains.",
])("[KNOW-56] defines no name: %s", (text) => {
  expect(synonymsOf(text)).toEqual([])
})

test("[KNOW-56] a question with all words of a name is also about the other, at most eight", () => {
  const known = findSynonyms([{ text: "Hawser: mooring rope", headings: ["Terms"] }])
  expect(expandSynonyms(new Set(["mooring", "rope", "cost"]), known)).toEqual([
    { from: ["mooring", "rope"], to: ["hawser"] },
  ])
  expect(expandSynonyms(new Set(["rope"]), known)).toEqual([])
  const many = Array.from({ length: 40 }, (_, at) => `Name${at}: rope`).join("\n")
  expect(
    expandSynonyms(new Set(["rope"]), findSynonyms([{ text: many, headings: ["Terms"] }])),
  ).toHaveLength(3)
  const wide = Array.from({ length: 40 }, (_, at) => `Name${at}: rope${at}`).join("\n")
  const words = new Set(Array.from({ length: 40 }, (_, at) => `rope${at}`))
  expect(expandSynonyms(words, findSynonyms([{ text: wide, headings: ["Terms"] }]))).toHaveLength(8)
})

test("[KNOW-56] a search finds a paragraph by the name that a glossary gives it", async () => {
  await using it = await knowledgeFixture()
  await it.write({
    "rules.md": "# Rules\n\n1.1 An arrear costs twenty cents.\n\n1.2 A carrel may be locked.\n",
    "glossary.html":
      "<h1>Glossary</h1><dl><dt>Arrear</dt><dd>late fee</dd><dt>Carrel</dt><dd>study booth</dd></dl>",
  })
  const kb = it.other({ wordVectors: () => loadWordVectors() })
  const without = it.other({ wordVectors: () => loadWordVectors(), synonyms: false })
  await kb.add({ path: it.folder })
  const numbers = async (query: string, from = kb) =>
    (await from.search({ query })).hits.map((hit) => hit.paragraph.number)
  expect(await numbers("How high is the late fee?")).toContain("1.1")
  expect(await numbers("Who locks the study booth?")).toContain("1.2")
  expect(await numbers("study booth")).toContain("1.2")
  expect(await numbers("study booth", without)).not.toContain("1.2")
})

test("[KNOW-56] any text gives the same pairs of at most four words again", () => {
  const words = fc.constantFrom(
    "a",
    "The",
    '"Berth"',
    "means",
    ", also called",
    "(the “Pier”)",
    "rope",
    ":",
    "—",
    "\n",
    "|",
    ".",
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const text = { text: parts.join(" "), headings: ["Glossary"] }
      const found = findSynonyms([text])
      expect(findSynonyms([text])).toEqual(found)
      for (const { from, to } of found) {
        expect(from.length).toBeGreaterThan(0)
        expect(Math.max(from.length, to.length)).toBeLessThanOrEqual(8)
      }
    }),
    fcParameters({ numRuns: 300 }),
  )
})
