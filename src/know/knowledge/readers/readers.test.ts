import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { fcParameters, isNight } from "#test/seed"
import type { Block } from "./outline.ts"
import { formatOf, readDocument, type TextFormat } from "./read.ts"

const { redact } = createSecrets({ random: systemRandom })

function read(text: string, format: TextFormat) {
  const outcome = readDocument(text, format, redact)
  if (outcome.kind !== "read") throw new Error(outcome.reason)
  return outcome.document
}

const short = ({ headings, text, line }: Block) => [line, headings.join(" > "), text]

describe("reading Markdown", () => {
  test("[KNOW-1] front matter, both kinds of headings, code, tables and lists are read", () => {
    const { title, citeAs, blocks } = read(
      [
        "---",
        'title: "Harbour Handbook"',
        "cite: HH",
        "---",
        "# Harbour Handbook",
        "",
        "A line",
        "and the **next**.",
        "",
        "4 Arrival",
        "---------",
        "",
        "<!-- not",
        "for readers -->",
        "## 4.2 Pilots ##",
        "Before:",
        "- one",
        "- two, *with*",
        "  its rest",
        "",
        "```ts",
        "const a = 1",
        "",
        "const b = [x](y.md)",
        "```",
        "> quoted",
        "> text",
        "",
        "| Size | Fee |",
        "| --- | --- |",
        "| 20 m | [5](fees.md) |",
        "",
        "***",
        "Last.",
      ].join("\n"),
      "markdown",
    )
    expect([title, citeAs]).toEqual(["Harbour Handbook", "HH"])
    expect(blocks.map(short)).toEqual([
      [7, "", "A line and the next."],
      [16, "4.2 Pilots", "Before:\n- one\n- two, with its rest"],
      [21, "4.2 Pilots", "const a = 1\n\nconst b = [x](y.md)"],
      [26, "4.2 Pilots", "quoted text"],
      [29, "4.2 Pilots", "| Size | Fee |\n| --- | --- |\n| 20 m | 5 |"],
      [34, "4.2 Pilots", "Last."],
    ])
  })

  test("[KNOW-1] all kinds of links are collected, except in pictures and code", () => {
    const { blocks } = read(
      "See [one](a.md#x), [two][b], [[Three|there]], ![p](p.png).\n\n[b]: b.md 'B'\n\n`[no](n.md)`",
      "markdown",
    )
    expect(blocks[0]?.text).toBe("See one, two, there, p.")
    expect(blocks[0]?.links).toEqual([
      { target: "wiki:Three", words: "there" },
      { target: "a.md#x", words: "one" },
      { target: "b.md", words: "two" },
    ])
  })

  test("[KNOW-1] a document without a top heading has no title, and unclosed front matter is text", () => {
    expect(read("# 1 Scope\n\na\n\n# 2 Terms\n\nb", "markdown").title).toBeUndefined()
    expect(read("# Notes\n\na\n\n# More\n\nb", "markdown").title).toBe("Notes")
    expect(read("---\ntitle: x\n\nwords", "markdown").title).toBeUndefined()
    expect(read("# 4 Fees\n\na", "markdown").blocks[0]?.headings).toEqual(["4 Fees"])
  })

  test("[KNOW-1] a heading's anchor belongs to the paragraph below it", () => {
    const { blocks } = read('## Fees {#fees}\n\na\n\n## <a name="old"></a>Rest\n\nb', "markdown")
    expect(blocks.map((it) => [it.headings, it.anchors])).toEqual([
      [["Fees"], ["fees"]],
      [["Rest"], ["old"]],
    ])
  })
})

test("[KNOW-1] HTML: visible text, whole tables and lists, anchors and links", () => {
  const { title, blocks } = read(
    `<!doctype html><html><head><title>Port &amp; site</title><style>p { x: y }</style></head>
<body><nav><ul><li>Home</li></ul></nav>
<h1>Arrival Procedure</h1>
<p id="one">Ships <b>shall</b> call<br>first, see <a href="fees.html#two">the fees</a>.
<script>if (a < b) document.write("<p>no</p>")</script></p>
<h2>2 Fees</h2>
<ul><li>one</li><li>two <p>deep</p></li></ul>
<table><tr><th>Size</th><th>Fee</th></tr><tr><td>20 m</td><td>5</td></tr></table>
<pre>a
  b</pre>
<template><p>no</p></template><p>Never closed
<div>Last</div></body></html>`,
    "html",
  )
  expect(title).toBe("Arrival Procedure")
  expect(blocks.map(short)).toEqual([
    [4, "", "Ships shall call first, see the fees."],
    [7, "2 Fees", "one\ntwo\ndeep"],
    [8, "2 Fees", "Size | Fee\n20 m | 5"],
    [9, "2 Fees", "a\n  b"],
    [11, "2 Fees", "Never closed"],
    [12, "2 Fees", "Last"],
  ])
  expect(blocks[0]?.anchors).toEqual(["one"])
  expect(blocks[0]?.links).toEqual([{ target: "fees.html#two", words: "the fees" }])
  expect(read("<title>Only\nthis</title><p>a", "html").title).toBe("Only this")
})

test("[KNOW-1] plain text: title, numbered and upper-case headings, columns and prose", () => {
  const { title, blocks } = read(
    "Night Desk Guide\n\n4.2 Arrival\n\nOne line\nand another.\n\nANNEX B\n\n20 m    5 EUR\n30 m    7 EUR\n\nFees\n====\n\nIt costs.\n",
    "text",
  )
  expect(title).toBe("Night Desk Guide")
  expect(blocks.map(short)).toEqual([
    [5, "4.2 Arrival", "One line and another."],
    [10, "ANNEX B", "20 m    5 EUR\n30 m    7 EUR"],
    [16, "Fees", "It costs."],
  ])
})

test("[KNOW-1] the file extension decides the format", () => {
  const names = [
    "a.md",
    "B.MARKDOWN",
    "c.html",
    "d.HTM",
    "e.txt",
    "f.pdf",
    "g.DOCX",
    "README",
    "x.constructor",
  ]
  expect(names.map(formatOf)).toEqual([
    "markdown",
    "markdown",
    "html",
    "html",
    "text",
    "pdf",
    "docx",
    undefined,
    undefined,
  ])
})

const FORMATS: readonly TextFormat[] = ["markdown", "html", "text"]

describe.each(FORMATS)("reading arbitrary %s", (format) => {
  const signs = fc.constantFrom(
    ..."#-=*_`~>|[](){}<>/!&;:.'\"\\ \t\n\r".split(""),
    "<p>",
    "</",
    "<!--",
    "-->",
    "<a href=",
    "```",
    "[[",
    "---\n",
    "# ",
    "4.2 ",
    "§ ",
    "word",
    "é",
    "😀",
    "\u202e",
    "\0",
  )
  test("every text is read in order, without adding text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: signs }), fc.string({ unit: "binary" })), (text) => {
        const { blocks } = read(text.toWellFormed(), format)
        const lines = blocks.map((it) => it.line)
        expect(lines).toEqual(lines.toSorted((a, b) => a - b))
        for (const block of blocks) {
          expect(block.text.trim()).not.toBe("")
          expect(block.text).not.toMatch(/[\0\u202e\r]/)
        }
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  const MEGA = 200_000
  test.each([
    ["brackets", "[".repeat(2 * MEGA)],
    ["links that never end", "[a](".repeat(MEGA / 2)],
    ["open tags", "<div>".repeat(MEGA / 2)],
    ["open links", "<a href=x>a".repeat(MEGA / 10)],
    ["cells", `<table>${"<td>a".repeat(MEGA / 2)}`],
    ["small words in tags", "<b>a</b> ".repeat(MEGA / 4)],
    ["quotes", "> ".repeat(MEGA)],
    ["fences", "```\n".repeat(MEGA / 2)],
    ["comments", "<!--".repeat(MEGA / 2)],
    ["stars", "*".repeat(2 * MEGA)],
    ["strong", "**a".repeat(MEGA / 2)],
    ["pipes", "|".repeat(2 * MEGA)],
    ["table rules", `a|b\n${"|-".repeat(MEGA)}`],
    ["spaces", `# a${" ".repeat(2 * MEGA)}b`],
    ["dashes", "- ".repeat(MEGA)],
    ["entities", "&amp;".repeat(MEGA / 2)],
    ["numbers", "4.2 § 4.2 ".repeat(MEGA / 10)],
    ["headings", "# a\n".repeat(MEGA / 4)],
    ["underlines", "a\n=\n".repeat(MEGA / 4)],
    ["definitions", "[a]: b\n".repeat(MEGA / 8)],
  ])("a file of %s is read in bounded time", (_, text) => {
    expect(read(text, format).blocks.length).toBeLessThanOrEqual(20_000)
  })
})

test("a tag with too many attributes makes the file skipped", () => {
  const names = Array.from({ length: 200_000 }, (_, at) => `a${at}`).join(" ")
  const outcome = readDocument(`<p ${names}>x`, "html", redact)
  expect(outcome).toEqual({ kind: "skipped", reason: "an HTML tag has too many attributes" })
})

describe("secrets in documents", () => {
  // Generated at run time, so that this file contains no key.
  const secret = `ghp_${randomBytes(27).toString("hex").slice(0, 36)}`
  const entities = Array.from(secret, (it) => `&#${it.charCodeAt(0)};`).join("")

  test.each<[string, TextFormat, string]>([
    ["in a paragraph", "markdown", `The key is ${secret}.`],
    ["in a title", "markdown", `# Use ${secret}\n\nText.`],
    ["in a link", "markdown", `See [this](a.md#${secret}).`],
    [
      "with a hidden character inside",
      "text",
      `The key is ${secret.slice(0, 9)}\u200b${secret.slice(9)}.`,
    ],
    ["written as entities", "html", `<h2>${entities}</h2><p title="x">The key is ${entities}.`],
    ["in a URL", "html", `<p>See <a href="a.html#${secret}">this</a>.`],
  ])("[KNOW-10] a secret %s is replaced", (_, format, text) => {
    expect(JSON.stringify(read(text, format))).not.toContain(secret)
    expect(JSON.stringify(read(text, format))).not.toContain(secret.slice(9))
  })
})

// The short list has the characters that once overflowed the stack of a regular expression.
const SIGNS = isNight() ? ["*", "_", "-", "* ", "> ", "=", "#", "|", "[", "<"] : ["*", "_", "-"]

test.each(SIGNS)("a line of millions of %j is read", (sign) => {
  const line = sign.repeat(4_900_000 / sign.length)
  for (const format of isNight() ? FORMATS : (["markdown"] as const)) {
    const outcome = readDocument(`First.\n\n${line}\n\nLast.`, format, (text) => ({
      text,
      findings: [],
    }))
    const texts = outcome.kind === "read" ? outcome.document.blocks.map((it) => it.text) : []
    expect(texts.join(" "), format).toContain("First.")
  }
})

test.each([
  ["***", true],
  ["   - - -  ", true],
  ["__ _", true],
  ["**", false],
  ["    ***", false],
  ["*-*", false],
  ["--- x", false],
])("[KNOW-1] %j is a horizontal rule: %s", (line, isRule) => {
  const texts = read(`a\n\n${line}\n\nb`, "markdown").blocks.map((it) => it.text.trim())
  expect(texts.length).toBe(isRule ? 2 : 3)
})
