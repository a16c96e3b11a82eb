import fc from "fast-check"
import { expect, test } from "vitest"
import { makeDocx, makeZip } from "#test/office-files"
import { fcParameters } from "#test/seed"
import { readExtracted } from "../document-lines.ts"
import { readDocx } from "./read-docx.ts"

const redact = (text: string) => ({ text, findings: [] })

function readParts(parts: Parameters<typeof makeDocx>[0]) {
  const extracted = readDocx(makeDocx(parts))
  if (extracted.kind === "skipped") throw new Error(extracted.reason)
  return readExtracted(extracted, redact)
}

const text = (words: string) => `<w:r><w:t xml:space="preserve">${words}</w:t></w:r>`
const styled = (style: string, words: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${text(words)}</w:p>`
const item = (list: number, words: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${text(words)}</w:p>`

const STYLES = `
  <w:style w:styleId="T"><w:name w:val="Title"/></w:style>
  <w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
  <w:style w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`
const level = (at: number, format: string, shown: string) =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${shown}"/></w:lvl>`
const NUMBERING = `
  <w:abstractNum w:abstractNumId="7">${level(0, "decimal", "%1")}${level(1, "decimal", "%1.%2")}</w:abstractNum>
  <w:abstractNum w:abstractNumId="8">${level(0, "lowerLetter", "(%1)")}</w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>`

test("[KNOW-50] a DOCX file has headings, counted numbers, lists, tables, bookmarks and links", () => {
  const cell = (words: string) => `<w:tc><w:p>${text(words)}</w:p></w:tc>`
  const read = readParts({
    styles: STYLES,
    numbering: NUMBERING,
    links: '<Relationship Id="r1" Target="guide.md"/>',
    body: [
      styled("T", "Port Contract"),
      styled("H1", "Fees &amp; dues").replace("<w:r>", '<w:bookmarkStart w:name="fees"/><w:r>'),
      styled("Clause", "The fee is 500 EUR.").replace(
        "</w:p>",
        "<w:del><w:r><w:delText>700</w:delText></w:r></w:del></w:p>",
      ),
      item(2, "in cash"),
      item(2, "by card"),
      `<w:p>${text("See ")}<w:hyperlink r:id="r1">${text("the guide")}</w:hyperlink></w:p>`,
      `<w:tbl><w:tr>${cell("Berth")}${cell("Fee")}</w:tr><w:tr>${cell("North")}${cell("7")}</w:tr></w:tbl>`,
      styled("H1", "Term"),
      styled("Clause", "It ends."),
      styled("Clause", "It does not end."),
    ].join(""),
  })
  expect(read.title).toBe("Port Contract")
  expect(read.blocks.map(({ headings, text: words }) => [headings.join(" / "), words])).toEqual([
    ["1 Fees & dues", "1.1 The fee is 500 EUR.\n(a) in cash\n(b) by card"],
    ["1 Fees & dues", "See the guide"],
    ["1 Fees & dues", "Berth | Fee\nNorth | 7"],
    ["2 Term", "2.1 It ends."],
    ["2 Term", "2.2 It does not end."],
  ])
  expect(read.blocks[0]?.anchors).toEqual(["fees"])
  expect(read.blocks[1]?.links).toEqual([{ target: "guide.md", words: "the guide" }])
})

test("[KNOW-51] a zip bomb, a foreign zip file and a file without text are refused", () => {
  const reasonOf = (bytes: Buffer) => {
    const read = readDocx(bytes)
    return read.kind === "skipped" ? read.reason : read.lines
  }
  const bomb = makeZip({ "word/document.xml": Buffer.alloc(80_000_000, 32) })
  expect(bomb.length).toBeLessThan(100_000)
  expect(reasonOf(bomb)).toBe("a DOCX file whose text is encrypted, damaged or too large")
  expect(reasonOf(makeZip({ "a.txt": "x" }))).toBe("a zip file, but not a DOCX file")
  expect(reasonOf(makeDocx({ body: "" }))).toBe("a DOCX file without text")
  expect(reasonOf(Buffer.from("PK"))).toBe("a damaged zip file")
})

test("[KNOW-51] no damaged DOCX file makes the reader throw anything but a bounded error", () => {
  const whole = makeDocx({ styles: STYLES, numbering: NUMBERING, body: styled("H1", "A") })
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
      const bytes = Buffer.from(whole)
      bytes[at] = value
      expect(["extracted", "skipped"]).toContain(readDocx(bytes).kind)
    }),
    fcParameters({ numRuns: 300 }),
  )
})

test("[KNOW-51] XML that never closes is read in linear time", () => {
  const body = "<w:p><w:r><w:t>".repeat(200_000)
  expect(readDocx(makeDocx({ body })).kind).toBe("skipped")
})
