import { expect, test } from "vitest"
import { formatCitation } from "./citation-format.ts"

const PARAGRAPH = {
  citation: "Fee Rules § 4.2",
  title: "Fee Rules",
  number: "4.2",
  headings: ["Fees", "Late fees"],
  page: 3,
  path: "rules/fees.pdf",
}

test.each([
  [undefined, {}, "Fee Rules § 4.2, p. 3"],
  [undefined, { page: null }, "Fee Rules § 4.2"],
  ["{title}[, no. {number}][ at page {page}]", {}, "Fee Rules, no. 4.2 at page 3"],
  ["{title}[, no. {number}][ at page {page}]", { number: null }, "Fee Rules at page 3"],
  ["{path}#{heading}", {}, "rules/fees.pdf#Late fees"],
  ["[{number}, {page}]", { page: null }, "Fee Rules § 4.2"],
])("[PIPE-80] the citation format %s of %j gives %s", (format, own, shown) => {
  expect(formatCitation({ ...PARAGRAPH, ...own }, format)).toBe(shown)
})

test("[PIPE-80] braces of a title are not replaced again", () => {
  expect(formatCitation({ ...PARAGRAPH, title: "On {page}" }, "{title}")).toBe("On {page}")
})
