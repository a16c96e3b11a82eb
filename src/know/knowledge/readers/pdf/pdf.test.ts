import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { expect, test } from "vitest"
import { knowledgeFixture } from "#test/knowledge-room"
import { makePdf, type PdfLine } from "#test/office-files"
import { layoutPages, type PageLine } from "./page-layout.ts"
import { createPdfReader } from "./read-pdf.ts"

const line = (text: string, size = 11, gap = 0): PdfLine => ({ text, size, gap })
const header = line("Harbour Rules 2026", 9)

const PAGES = [
  {
    lines: [
      header,
      line("Fee Rules", 24, 10),
      line("1 Scope", 16, 10),
      line("These Rules apply to every vessel, and to inter-", 11, 8),
      line("national traffic of any kind."),
      line("1.1 The fee is 500 EUR per call. See", 11, 8),
      line("§ 2.1 for the time of payment, which"),
      line("1", 9, 300),
    ],
  },
  {
    lines: [
      header,
      line("may differ between the berths.", 11, 10),
      line("2 Payment", 16, 10),
      line("2.1 The fee is due on arrival.", 11, 8),
      line("(a) in cash,"),
      line("(b) by card."),
      line("2", 9, 300),
    ],
  },
  {
    lines: [
      header,
      line("2.2 Late fees", 11, 14),
      line("A late fee of 50 EUR is due after 14 days.", 11, 14),
      line("3", 9, 300),
    ],
  },
]

async function adding(files: Readonly<Record<string, string | Uint8Array>>) {
  const it = await knowledgeFixture()
  await it.write(files)
  return Object.assign(it, { added: await it.kb.add({ path: it.folder }) })
}

async function paragraphsOf({ kb }: Awaited<ReturnType<typeof adding>>, query: string) {
  const { hits } = await kb.search({ query, limit: 20 })
  return hits.map((it) => it.paragraph)
}

test("[KNOW-50] a PDF becomes paragraphs with headings, numbers, pages and references", async () => {
  await using it = await adding({ "rules.pdf": makePdf(PAGES) })
  expect(it.added).toMatchObject({ documents: 1, paragraphs: 4, skipped: [] })
  const [fee] = await paragraphsOf(it, "500 EUR per call")
  expect(fee).toMatchObject({
    title: "Fee Rules",
    headings: ["1 Scope"],
    number: "1.1",
    page: 1,
    citation: "Fee Rules § 1.1",
    text: "1.1 The fee is 500 EUR per call. See § 2.1 for the time of payment, which may differ between the berths.",
  })
  const shown = await it.kb.paragraph({ id: fee?.id ?? "" })
  expect(shown.refersTo.map((edge) => edge.paragraph.citation)).toEqual(["Fee Rules § 2.1"])
  expect(shown.refersTo[0]?.paragraph.text).toBe(
    "2.1 The fee is due on arrival.\n(a) in cash,\n(b) by card.",
  )
  const [late] = await paragraphsOf(it, "late fee 14 days")
  expect(late).toMatchObject({ headings: ["2 Payment", "2.2 Late fees"], page: 3 })
  const [scope] = await paragraphsOf(it, "international traffic")
  expect(scope?.text).toContain("and to international traffic")
  expect((await it.kb.add({ path: it.folder })).unchanged).toBe(1)
})

test("[KNOW-50] a link to a page of a PDF leads to the first paragraph that starts on it", async () => {
  await using it = await adding({
    "rules.pdf": makePdf(PAGES),
    "a.md": "# Note\n\nSee [the tariff](rules.pdf#page=3).",
  })
  const [note] = await paragraphsOf(it, "tariff")
  const { refersTo } = await it.kb.paragraph({ id: note?.id ?? "" })
  expect(refersTo.map((edge) => edge.paragraph.page)).toEqual([3])
})

test("[KNOW-51] encrypted, scanned, damaged and foreign files are reported with the reason", async () => {
  const key = randomBytes(8)
  await using it = await adding({
    "encrypted.pdf": makePdf(PAGES, { isEncrypted: true }),
    "scanned.pdf": makePdf([{ lines: [] }, { lines: [] }]),
    "damaged.pdf": Buffer.concat([Buffer.from("%PDF-1.7\n"), key]),
    "half.pdf": makePdf(PAGES).subarray(0, 700),
    "partly.pdf": makePdf([...PAGES, { lines: [] }]),
  })
  expect(Object.fromEntries(it.added.skipped.map(({ path, reason }) => [path, reason]))).toEqual({
    "encrypted.pdf": "encrypted; save a copy without a password and add that",
    "scanned.pdf": "2 pages without text, probably scanned; add a copy with recognised text",
    "damaged.pdf": "not a readable PDF; it may be damaged",
    "half.pdf": "not a readable PDF; it may be damaged",
    "partly.pdf": "page 4 without text, probably scanned; the other pages were read",
  })
  expect(it.added.documents).toBe(1)
  expect((await it.kb.status()).folders).toMatchObject([{ isStale: false, skipped: 5 }])
})

test("[KNOW-50] pages that have only a running title keep it", async () => {
  const pages = Array.from({ length: 12 }, (_, at) => ({ lines: [line(`Slide ${at + 1}`, 11)] }))
  await using it = await adding({ "slides.pdf": makePdf(pages, { title: "Slides" }) })
  expect(it.added).toMatchObject({ documents: 1, skipped: [] })
})

test("[KNOW-51] a PDF of 500 pages is read with its last page", async () => {
  const pages = Array.from({ length: 500 }, (_, at) => ({
    lines: [
      line(`Chapter ${at + 1}`, 18),
      line(`${at + 1}.1 The berth of chapter ${at + 1} has the word w${at + 1}x.`, 11, 8),
    ],
  }))
  await using it = await adding({ "long.pdf": makePdf(pages, { title: "Long" }) })
  expect(it.added).toMatchObject({ paragraphs: 500, skipped: [] })
  expect(await paragraphsOf(it, "w500x")).toMatchObject([
    { title: "Long", headings: ["Chapter 500"], page: 500 },
  ])
})

test("[KNOW-51] a file that takes too long costs its own text only", async () => {
  await using reader = createPdfReader({ longestSilenceMs: 1 })
  const { signal } = new AbortController()
  expect(await reader.read(makePdf(PAGES), signal)).toMatchObject({ kind: "skipped" })
})

test("[KNOW-52] secrets in a PDF are replaced, and its original is refused", async () => {
  const key = `AKIA${Array.from(randomBytes(16), (it) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[it % 32]).join("")}`
  await using it = await adding({
    "keys.pdf": makePdf([{ lines: [line("Keys", 20), line(`The key is ${key} today.`, 11, 9)] }]),
    "rules.pdf": makePdf(PAGES),
  })
  const [paragraph] = await paragraphsOf(it, "key today")
  expect(paragraph?.text).toMatch(/^The key is \[redacted: /)
  await expect(it.kb.original({ document: paragraph?.document ?? "" })).rejects.toMatchObject({
    code: "KNOWLEDGE_ORIGINAL_HAS_SECRETS",
  })
  const [fee] = await paragraphsOf(it, "500 EUR")
  const original = await it.kb.original({ document: fee?.document ?? "" })
  expect(original).toMatchObject({ path: "rules.pdf", format: "pdf" })
  expect(Buffer.from(original.content, "base64").equals(makePdf(PAGES))).toBe(true)
  await it.write({ "rules.pdf": makePdf(PAGES.slice(1)) })
  await expect(it.kb.original({ document: fee?.document ?? "" })).rejects.toMatchObject({
    code: "KNOWLEDGE_ORIGINAL_CHANGED",
    hint: `Index it again: \`qm kb add ${join(it.folder)}\``,
  })
})

const placed = (text: string, y: number, own: Partial<PageLine> = {}): PageLine => ({
  text,
  y,
  x: 72,
  size: 10,
  ...own,
})

test("[KNOW-50] entries of the outline are headings, whatever their size", () => {
  const lines = [placed("Berths", 700), placed("They are long.", 680)]
  const read = layoutPages([{ number: 1, lines, isBroken: false }], [{ title: "Berths", level: 1 }])
  expect(read.map(({ text, level }) => [text, level])).toEqual([
    ["Berths", 2],
    ["They are long.", 0],
  ])
})
