import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makePdf } from "#test/office-files"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const PDF = makePdf([
  {
    lines: [
      { text: "Fee Rules", size: 24 },
      { text: "1 Scope", size: 16, gap: 10 },
    ],
  },
  {
    lines: [
      { text: "2 Payment", size: 16 },
      { text: "2.1 The harbour fee of a vessel is due on arrival at the berth.", gap: 8 },
    ],
  },
])

test("[HTTP-20] a citation of a research run leads to its paragraph and to the page of the PDF", async () => {
  const docs = path.join(fixture.project, "docs")
  await mkdir(docs, { recursive: true })
  await writeFile(path.join(docs, "fees.pdf"), PDF)
  await fixture.call("kb.add", { path: docs })
  const query = "When is the harbour fee of a vessel due?"
  const started = { agent: "deep-research", query, depth: "quick", auto: true } as const
  const { id } = await fixture.call("pipeline.run", started)
  await using window = await visit(chromium.browser, fixture, { path: `/pipelines/${id}` })
  const { page } = window
  const document = page.getByRole("region", { name: "Document" })
  await document.getByText("Fee Rules § 2.1, p. 2").first().waitFor()
  await document
    .getByRole("link", { name: /^P\d+$/ })
    .first()
    .click()
  await page.waitForURL("**/knowledge?**")
  const original = page.getByRole("link", { name: "Open page 2" })
  await original.waitFor()
  const href = await original.getAttribute("href")
  expect(href).toMatch(/^\/api\/kb\/original\/[\w.]+#page=2$/)
  const response = await page.request.get(new URL(href ?? "", fixture.url).href)
  expect(response.headers()["content-type"]).toBe("application/pdf")
  expect((await response.body()).equals(PDF)).toBe(true)
  expect(window.problems()).toEqual([])
})
