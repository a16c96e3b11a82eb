import { expect, test } from "vitest"
import { entitiesOf } from "./entities.ts"
import { termsOf } from "./terms.ts"
import { tokensOf } from "./tokens.ts"

const TERMS = termsOf([
  'A "firm quote" binds. The **Berth Window** is kept by the Harbour Office. Demurrage means delay.',
])
const keysOf = (text: string) =>
  entitiesOf(tokensOf(text), TERMS).map((it) => `${it.kind} ${it.key}`)

test.each([
  [["24 hours", "24 h", "twenty-four hours", "24 (24) hours"], ["figure 24 hour"]],
  [["EUR 1,200.50", "€1200.5", "1,200.50 euros"], ["figure 1200.5 eur"]],
  [["12 %", "12%", "12 per cent", "twelve percent"], ["figure 12 %"]],
  [["five working days", "5 business days"], ["figure 5 working day"]],
  [["0.3 m", "0.30 metres", "0.3 meters"], ["figure 0.3 m"]],
  [
    ["10 to 15 metres", "10–15 m"],
    ["figure 10 m", "figure 15 m"],
  ],
  [["14 March 2026", "March 14, 2026", "2026-03-14"], ["date 2026-03-14"]],
  [["14 March"], ["date -03-14"]],
  [["in 2026"], ["date 2026"]],
  [["you may march"], []],
  [["§ 4.2", "section 4.2", "Clause 4.2"], ["reference § 4.2"]],
  [["Annex B", "annex B"], ["reference annex b"]],
  [["TL-204", "TL204"], ["reference tl204"]],
  [["two tugs"], ["figure 2 tug"]],
  [["at 06:00"], ["figure 06:00 clock"]],
  [["channel 12"], ["figure 12 channel"]],
])("[KNOW-42] %j are the same number, date or section", (spellings, keys) => {
  for (const text of spellings) expect(keysOf(text)).toEqual(keys)
})

test.each([
  ["the Berth Windows of the harbour office", ["term berth window", "term harbor offic"]],
  ["A Firm Quote or demurrage", ["term firm quot", "term demurrag"]],
  ["a window for an office", []],
])("[KNOW-42] finds the terms of %j in any letter case and number", (text, keys) => {
  expect(keysOf(text)).toEqual(keys)
})

test("[KNOW-42] the first word of a sentence is not a name, a capitalised word inside it is", () => {
  expect([...termsOf(["Pilots wait. The vessel meets Marsh in May 2026. See Annex B."])]).toEqual([
    "marsh",
  ])
})
