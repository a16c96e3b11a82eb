import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { LONGEST_PARAGRAPH_UNITS } from "../limits.ts"
import { readMarkdown } from "../readers/markdown.ts"
import { referencesIn } from "../references/find-references.ts"
import { keysOfNumber, numberOfHeading, numberOfText } from "../references/section-numbers.ts"
import { splitDocument } from "./paragraphs.ts"

const DOCUMENT = { id: "0123abcd", title: "Harbour Handbook" }
const cut = (text: string) => splitDocument(readMarkdown(text), DOCUMENT)
const word = fc.constantFrom("quay", "tug", "berth", "pilot", "Fee", "4.2", "ship")
const paragraph = fc.array(word, { minLength: 1, maxLength: 5 }).map((it) => `A ${it.join(" ")}.`)
const paragraphs = fc.array(paragraph, { maxLength: 8 })

describe("paragraph ids", () => {
  test("[KNOW-3] inserting, removing or moving a paragraph changes no other id", () => {
    fc.assert(
      fc.property(paragraphs, paragraph, fc.nat(), (texts, more, at) => {
        const place = at % (texts.length + 1)
        const before = cut(texts.join("\n\n"))
        const after = cut([...texts.slice(0, place), more, ...texts.slice(place)].join("\n\n"))
        const now = new Map(after.map((it) => [it.id, it.text]))
        expect(now.size).toBe(before.length + 1)
        for (const { id, text } of before) expect(now.get(id)).toBe(text)
        const turned = cut(texts.toReversed().join("\n\n"))
        expect(turned.map((it) => it.id).toSorted()).toEqual(before.map((it) => it.id).toSorted())
      }),
      fcParameters({ numRuns: 300 }),
    )
  })

  test("[KNOW-3] spacing, letter case and headings do not change an id, words do", () => {
    const [one] = cut("A ship  shall\ncall.")
    expect(cut("# 1 New\n\na Ship shall **call**")[0]?.id).toBe(one?.id)
    expect(cut("A ship shall not call.")[0]?.id).not.toBe(one?.id)
    expect(one?.id).toMatch(/^0123abcd\.[0-9a-z]{8}$/)
    expect(cut("Twice.\n\nTwice.\n\nTwice.").map((it) => it.id.slice(17))).toEqual(["", "-2", "-3"])
    expect(cut("…\n\n———").map((it) => it.id).length).toBe(2)
  })
})

describe("numbers and citations", () => {
  test.each([
    ["4.2 Arrival", "4.2"],
    ["§ 4.2 Arrival", "4.2"],
    ["Section 4: Fees", "4"],
    ["4. Fees", "4"],
    ["Article 7 — Notices", "Article 7"],
    ["annex b", "Annex B"],
    ["Appendix C. Forms", "Appendix C"],
    ["2026 in numbers", null],
    ["Arrival", null],
    ["Annexes", null],
    ["3rd party", null],
  ])("[KNOW-4] the heading %j has the number %j", (heading, number) => {
    expect(numberOfHeading(heading)).toBe(number)
  })

  test.each([
    ["4.2 The pilot boards.", "4.2"],
    ["(4.2.1) The pilot boards.", "4.2.1"],
    ["§ 4.2 The pilot boards.", "4.2"],
    ["A12. The pilot boards.", "A12"],
    ["A12 is a road.", null],
    ["20 metres are enough.", null],
    ["4.2", null],
    ["1200.50 is due.", null],
  ])("[KNOW-4] the text %j begins with the number %j", (text, number) => {
    expect(numberOfText(text)).toBe(number)
  })

  test("[KNOW-4] a paragraph is cited by its own number, its heading's number, or its heading", () => {
    const text =
      "# Harbour Handbook\n\nFirst.\n\n## 4 Arrival\n\nThe rule.\n\n4.2 The pilot.\n\n## Annex B\n\nForms.\n\n## Words\n\nLast."
    expect(cut(text).map((it) => [it.number, it.citation])).toEqual([
      [null, "Harbour Handbook"],
      ["4", "Harbour Handbook § 4"],
      ["4.2", "Harbour Handbook § 4.2"],
      ["Annex B", "Harbour Handbook, Annex B"],
      [null, "Harbour Handbook, Words"],
    ])
    expect(cut("---\ncite: HH\n---\n4.2 The pilot.")[0]?.citation).toBe("HH § 4.2")
  })

  test("[KNOW-4] a chapter can be referenced by its bare number, an article cannot", () => {
    expect(keysOfNumber("Article 7")).toEqual(["article 7", "7"])
    expect(keysOfNumber("Appendix B")).toEqual(["annex b", "appendix b"])
    expect(keysOfNumber("4.2")).toEqual(["4.2"])
  })
})

describe("long paragraphs", () => {
  test.each([
    ["sentences", "A ship calls at the quay. ".repeat(3_000)],
    ["lines", "20 m | 5 EUR\n".repeat(5_000)],
    ["one word", "x".repeat(70_000)],
    ["pairs of surrogates", "😀".repeat(30_001)],
  ])("%s over 20,000 characters are split without loss", (_, text) => {
    const block = { text, line: 3, page: null, headings: [], anchors: ["a"], links: [] }
    const read = { title: undefined, citeAs: undefined, blocks: [block], isCut: false }
    const pieces = splitDocument(read, DOCUMENT)
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.every((it) => it.text.length <= LONGEST_PARAGRAPH_UNITS)).toBe(true)
    expect(pieces.every((it) => it.text.isWellFormed())).toBe(true)
    const plain = (it: string) => it.replace(/\s/g, "")
    expect(plain(pieces.map((it) => it.text).join(""))).toBe(plain(text))
    expect(pieces.map((it) => it.anchors.length)).toEqual([1, ...pieces.slice(1).map(() => 0)])
    expect(new Set(pieces.map((it) => it.id)).size).toBe(pieces.length)
  })
})

describe("references", () => {
  test.each([
    ["as § 4.2 says", ["4.2"]],
    ["see §§ 4.2, 4.3 and 5", ["4.2", "4.3", "5"]],
    ["under Section 4.2 of the Pilot Guide applies", ["4.2 of Pilot Guide"]],
    ["see Complaints Procedure § 3", ["3 in Complaints Procedure"]],
    [
      "see Harbour Handbook § 5.1 and § 5.2",
      ["5.1 in Harbour Handbook", "5.2 in Harbour Handbook"],
    ],
    ["by Article 7", ["article 7"]],
    ["the chart in Annex A.", ["annex A"]],
    ["appendices B and C", ["appendix B", "appendix C"]],
    ["clause 3.1", ["3.1"]],
    ["in this section a ship", []],
    ["a section of 20 metres", []],
    ["paragraph I", []],
    ["dissection 4", []],
  ])("[KNOW-6] %j refers to %j", (text, targets) => {
    expect(referencesIn(text, []).map((it) => it.target)).toEqual(targets)
  })

  test("[KNOW-6] links to documents are stored, links to other sites and pictures are not", () => {
    const targets = [
      "b.md#x",
      "#here",
      "../c/",
      "https://x.example/a.md",
      "mailto:a@b",
      "//x/a.md",
      "p.png",
      "wiki:Pilot Guide",
    ]
    const links = targets.map((target) => ({ target, words: "w" }))
    expect(referencesIn("", links).map((it) => `${it.kind} ${it.target}`)).toEqual([
      "link b.md#x",
      "link #here",
      "link ../c/",
      "wiki Pilot Guide",
    ])
  })

  test("[KNOW-6] each reference is stored once, at most 50 per paragraph", () => {
    expect(referencesIn("§ 4.2 and § 4.2", [])).toHaveLength(1)
    const many = Array.from({ length: 400 }, (_, at) => `§ ${at % 200}.${at % 7}`).join("; ")
    expect(referencesIn(many, [])).toHaveLength(50)
  })
})
