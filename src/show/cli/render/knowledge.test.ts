import { describe, expect, test } from "vitest"
import type { KbParagraph } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""

const PARAGRAPH: KbParagraph = {
  id: "0123abcd.9xyz0000",
  document: "0123abcd",
  title: "Harbour Handbook",
  path: "handbook.md",
  tier: "primary",
  headings: ["4 Arrival"],
  number: "4.2",
  text: "The pilot boards there.\nSee § 1.1.",
  line: 7,
  page: null,
  citation: "Harbour Handbook § 4.2",
}
const BY = { words: true, meaning: null, note: "no embedder is configured" }
const HIT = {
  paragraph: PARAGRAPH,
  score: 1,
  words: 1,
  meaning: null,
  hop: null,
  matched: ["pilot"],
}

describe("[CLI-13] documents", () => {
  test("[CLI-13] kb.add prints the number of documents, and skipped files with the reason", () => {
    const added = {
      folder: "/docs",
      tier: "primary",
      added: 2,
      changed: 1,
      removed: 0,
      unchanged: 4,
      documents: 7,
      paragraphs: 120,
      skipped: [{ path: "a.pdf", reason: "not a PDF file" }],
      by: BY,
    }
    expect(render("kb.add", added)).toMatchInlineSnapshot(`
      "/docs primary
      7 documents, 120 paragraphs: 2 new, 1 changed, 4 unchanged
      Searched by words only: no embedder is configured.

      Left out 1
        File   Reason
        a.pdf  not a PDF file"
    `)
  })

  test("[CLI-13] results have their reason: words, meaning, both, or a reference", () => {
    const hits = [
      { ...HIT, meaning: 2 },
      { ...HIT, score: 0.8 },
      { ...HIT, score: 0.7, words: null, meaning: 1, matched: [] },
      { ...HIT, score: 0.3, words: null, hop: { from: "d.1", kind: "refers to", depth: 1 } },
    ]
    expect(render("kb.search", { hits, by: BY, documents: 3 })).toMatchInlineSnapshot(`
      "━━━━━━━━  Harbour Handbook § 4.2
                The pilot boards there. …
                words and meaning: pilot  0123abcd.9xyz0000

      ━━━━━━··  Harbour Handbook § 4.2
                The pilot boards there. …
                words: pilot  0123abcd.9xyz0000

      ━━━━━━··  Harbour Handbook § 4.2
                The pilot boards there. …
                meaning  0123abcd.9xyz0000

      ━━······  Harbour Handbook § 4.2
                The pilot boards there. …
                refers to, 1 step from d.1  0123abcd.9xyz0000

      Searched by words only: no embedder is configured."
    `)
  })

  test("[CLI-13] kb.paragraph prints a paragraph with its references and neighbours", () => {
    const other = { ...PARAGRAPH, id: "0123abcd.other000", citation: "Harbour Handbook § 1.1" }
    const shown = {
      paragraph: PARAGRAPH,
      before: null,
      after: other,
      refersTo: [{ paragraph: other, text: "§ 1.1" }],
      referredFrom: [],
    }
    expect(render("kb.paragraph", shown)).toMatchInlineSnapshot(`
      "Harbour Handbook § 4.2
      4 Arrival · handbook.md:7 · primary

        The pilot boards there.
        See § 1.1.

      Refers to 1
        Paragraph          Citation                Text
        0123abcd.other000  Harbour Handbook § 1.1  § 1.1

      Place  Paragraph          Citation
      After  0123abcd.other000  Harbour Handbook § 1.1"
    `)
  })

  test("[CLI-13] kb.status prints folders, whether their files changed, and broken references", () => {
    const folder = { folder: "/docs", tier: "primary", documents: 7, paragraphs: 120, addedAt: 0 }
    const status = {
      folders: [
        { ...folder, isStale: false, skipped: 1 },
        { ...folder, folder: "/guides", tier: "guide", isStale: true, skipped: 0 },
      ],
      documents: 7,
      paragraphs: 120,
      references: 31,
      unresolved: [{ document: "Tariff", text: "Section 9" }],
      by: { words: true, meaning: "embed-1", note: null },
    }
    expect(render("kb.status", status)).toMatchInlineSnapshot(`
      "7 documents, 120 paragraphs, 31 references
      Searched by words and embed-1.

      Tier     Documents    State          Added (UTC)       Folder
      primary  7 documents  up to date     1970-01-01 00:00  /docs
      guide    7 documents  files changed  1970-01-01 00:00  /guides
      Update it with \`qm kb add /guides\`.

      Broken references 1
        Document  Reference
        Tariff    Section 9"
    `)
  })

  test("[CLI-13] documents, web results and a removed folder are printed", () => {
    const document = {
      id: "0123abcd",
      title: "Harbour Handbook",
      path: "handbook.md",
      folder: "/docs",
      tier: "primary",
      format: "markdown",
      digest: "aa",
      paragraphs: 32,
      references: 8,
      sizeBytes: 9_000,
      updatedAt: 0,
    }
    expect(render("kb.documents", { documents: [document] })).toBe(
      "Document  Tier     Size           Title             Path\n" +
        "0123abcd  primary  32 paragraphs  Harbour Handbook  handbook.md",
    )
    expect(render("kb.remove", { folder: "/docs", documents: 7 })).toBe(
      "Removed 7 documents of /docs. The files were not touched.",
    )
    const results = [{ title: "Page", url: "https://x.example/", text: "One.\nTwo." }]
    expect(render("kb.web", { source: "demo-web", note: null, results })).toMatchInlineSnapshot(`
      "W1  Page
          One. …
          https://x.example/

      Source: demo-web."
    `)
  })
})

test.each([
  ["kb.search", { hits: [], by: BY, documents: 0 }, /The knowledge base is empty\. .+`qm kb add/],
  ["kb.search", { hits: [], by: BY, documents: 7 }, /No match in 7 documents\. Try/],
  ["kb.documents", { documents: [] }, /Add a folder with `qm kb add docs`/],
  [
    "kb.status",
    { folders: [], documents: 0, paragraphs: 0, references: 0, unresolved: [], by: BY },
    /Add a folder with `qm kb add docs`/,
  ],
  [
    "kb.web",
    { source: null, note: "no source is approved", results: [] },
    /No source was used\. no source is approved\. No results/,
  ],
])("[CLI-23] %s with an empty result prints the next step: %#", (name, output, expected) => {
  expect(render(name, output)).toMatch(expected)
})

test("[CLI-23] texts of documents stay in their row, or are indented", () => {
  const nasty = "x\nkb_9  forged\u001b[2J\u202e"
  const paragraph = {
    ...PARAGRAPH,
    id: nasty,
    citation: nasty,
    headings: [nasty],
    text: nasty,
    path: nasty,
  }
  const hop = { from: nasty, kind: nasty, depth: 1 }
  const texts = [
    render("kb.search", { hits: [{ ...HIT, paragraph, hop }], by: BY, documents: 1 }),
    render("kb.paragraph", {
      paragraph,
      before: paragraph,
      after: paragraph,
      refersTo: [{ paragraph, text: nasty }],
      referredFrom: [{ paragraph, text: nasty }],
    }),
    render("kb.remove", { folder: nasty, documents: 1 }),
    render("kb.web", {
      source: nasty,
      note: nasty,
      results: [{ title: nasty, url: nasty, text: nasty }],
    }),
  ]
  for (const text of texts) {
    expect(text).not.toMatch(/^kb_9/m)
    expect(text).toMatch(/^[\P{C}\n]*$/u)
  }
})
