import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { makePdf } from "#test/office-files"
import { launch, rows } from "./agents-pages.ts"
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

beforeAll(async () => {
  const docs = path.join(fixture.project, "docs")
  await mkdir(docs, { recursive: true })
  await writeFile(path.join(docs, "fees.pdf"), PDF)
  await fixture.call("kb.add", { path: docs })
})

const QUERY = "When is the harbour fee of a vessel due?"

test("[HTTP-20] a citation of a research run leads to its paragraph and to the page of the PDF", async () => {
  const started = { agent: "deep-research", query: QUERY, depth: "quick", auto: true } as const
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

test("[HTTP-20] [CONSOLE-104] a citation in a session opens the PDF at its page in another tab", async () => {
  await using window = await visit(chromium.browser, fixture, { path: "/runs" })
  const { page } = window
  await launch(page, { agent: "Synthetic", prompt: `@deep-research ${QUERY}` })
  const card = page.getByRole("region", { name: /^deep-research has paused/ })
  await card.getByRole("button", { name: /Proceed/ }).click()
  const document = rows(page, "The agent").filter({ hasText: "Fee Rules § 2.1, p. 2" })
  await document
    .getByRole("link", { name: /^P\d+$/ })
    .first()
    .click()
  const original = page.getByRole("link", { name: "Open page 2" })
  expect(await original.getAttribute("href")).toMatch(/#page=2$/)
  // The headless browser has no PDF viewer, so the new tab gets a download.
  const opened = page.waitForEvent("popup")
  const answered = window.context.waitForEvent("response", {
    predicate: (it) => it.url().includes("/api/kb/original/"),
  })
  await original.click()
  const response = await answered
  expect([response.status(), response.headers()["content-type"]]).toEqual([200, "application/pdf"])
  await (await opened).close()
  expect(window.problems()).toEqual([])
})
