import { describe, expect, test } from "vitest"
import { splitSentences } from "./sentences.ts"

const textsOf = (text: string) => splitSentences(text).map((it) => it.text)

describe("splitting an answer into sentences", () => {
  test.each([
    ["It is 0.3 m deep. It is 1,200.50 m long.", ["It is 0.3 m deep.", "It is 1,200.50 m long."]],
    ["Bring papers, e.g. The log, by 6 p.m. on Friday.", 1],
    ["See No. 7 and Art. 12 first. Then go.", ["See No. 7 and Art. 12 first.", "Then go."]],
    ["The answer is no. Ask again.", ["The answer is no.", "Ask again."]],
    ["J. Marsh signed. Dr. Ines Brandt did not.", ["J. Marsh signed.", "Dr. Ines Brandt did not."]],
    ["It is in Annex B. Ships wait.", ["It is in Annex B.", "Ships wait."]],
    ['He said "Go." She went.', ['He said "Go."', "She went."]],
    ["Is it so? It is! And now…", ["Is it so?", "It is!", "And now…"]],
    ["船は着いた。水先人が来た。", ["船は着いた。", "水先人が来た。"]],
    [
      "A line that is wrapped\nover two lines. Next.",
      ["A line that is wrapped over two lines.", "Next."],
    ],
    [
      "- one item\n- another item. With two.\n1. third",
      ["one item", "another item.", "With two.", "third"],
    ],
    ["4.2 The vessel proceeds.\n\n§ 4.3 She waits.", ["The vessel proceeds.", "She waits."]],
    ["Use `qm.run` now. Then **wait**.", ["Use qm.run now.", "Then wait."]],
  ])("splits %j", (text, expected) => {
    const found = textsOf(text)
    if (typeof expected === "number") expect(found).toHaveLength(expected)
    else expect(found).toEqual(expected)
  })

  test("headings, rules and code are not statements, and a table row is one sentence", () => {
    const text =
      "# A title. Of two\n\n---\n\n```\nx = 1. Y = 2.\n```\n| A. B | c |\n|---|---|\n| 1 | 2 |\n"
    expect(textsOf(text)).toEqual(["| A. B | c |", "| 1 | 2 |"])
  })

  test("each sentence has its position, and the positions are in order", () => {
    const text = "# T\n\nOne [P1]. Two! [P2]\n\n- Three [P3]\n"
    const places = splitSentences(text).map(({ start, end }) => text.slice(start, end).trim())
    expect(places).toEqual(["One [P1].", "Two! [P2]", "Three [P3]"])
  })
})

test.each([
  ["It is so [P1].", [["P1"]]],
  ["It is so. [P1] So is this. [p2][W3]", [["P1"], ["P2", "W3"]]],
  ["Both [P1, P2; W1 and W2] are.", [["P1", "P2", "W1", "W2"]]],
  ["A range [P2–P4] and [P6-8].", [["P2", "P3", "P4", "P6", "P7", "P8"]]],
  ["Too far [P1–P900].", [["P1", "P900"]]],
  ["Twice [P1] in one [P1].", [["P1"]]],
  ["An array[1], a page (p3) and [Pilot] are no labels.", [[]]],
])("[KNOW-41] reads the citations of %j", (text, labels) => {
  expect(splitSentences(text).map((it) => it.labels)).toEqual(labels)
})
