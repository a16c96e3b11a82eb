import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launch, rows, say, waitForReply } from "./agents-pages.ts"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { settle, visit } from "./visit.ts"

const QUESTION = "When may a booking be re-priced after arrival?"
const CORPUS = path.join(import.meta.dirname, "../../recipes/deep-research/corpus")

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let run = ""

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  await fixture.call("kb.add", { path: CORPUS })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const card = (page: Page, name: RegExp = /^deep-research has paused/) =>
  page.getByRole("region", { name })
const stage = (page: Page, title: string) =>
  page.locator("[data-entry]").filter({ has: page.getByText(title, { exact: true }) })

describe("a whole research inside a session", () => {
  test("[CONSOLE-104] a task that names a recipe starts its pipeline in the transcript, and a change at its pause reaches the stage", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/runs" })
    const { page } = window
    run = await launch(page, { agent: "Synthetic", prompt: `@deep-research ${QUESTION}` })
    await rows(page, "You").filter({ hasText: QUESTION }).waitFor()
    await stage(page, "Analyze query").first().waitFor()
    await card(page).getByText("Which conditions must be met").waitFor()
    await page.getByText("Waiting for your answer", { exact: true }).waitFor()
    await page.keyboard.press("2")
    await page.getByLabel("Requested change").fill("Name the form that the agent signs")
    await page.keyboard.press("Control+Enter")
    await rows(page, "You").filter({ hasText: "Name the form" }).waitFor()
    await stage(page, "Analyze query, round 2").first().waitFor()
    await card(page)
      .getByRole("button", { name: /Proceed/ })
      .waitFor()
    expect(await card(page).count(), "one pause is open").toBe(1)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-104] while its research waits for an answer, a run is listed as waiting", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/runs?status=waiting" })
    const { page } = window
    const row = page.getByRole("listbox", { name: "Runs" }).getByRole("option")
    await row.filter({ hasText: QUESTION }).getByText("waiting", { exact: true }).first().waitFor()
    await row.filter({ hasText: QUESTION }).click()
    const peek = page.getByRole("region", { name: "The selected run" })
    await peek.getByText("waiting for your answer").waitFor()
    expect(await peek.getByRole("button", { name: "Stop" }).count(), "no agent works").toBe(0)
    await page.goto(`${fixture.url}/`)
    await page.getByText("Paused after Analyze query").waitFor()
    await settle(page)
    expect(await page.getByText("Ended today").count(), "it has not ended").toBe(0)
    await page.goto(`${fixture.url}/runs?at=${run}&beside=peek`)
    await peek.getByRole("link", { name: "Answer" }).click()
    await card(page).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-104] [PIPE-27] after a restart of the server the pause is answered in place", async () => {
    await fixture.stop()
    await fixture.startAgain()
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${run}` })
    const { page } = window
    const messages = rows(page, "You").filter({ hasText: QUESTION })
    await card(page)
      .getByRole("button", { name: /Proceed/ })
      .click()
    await card(page, /after Web calibration/).waitFor()
    await stage(page, "Web calibration").first().waitFor()
    expect(await messages.count(), "nothing is repeated").toBe(1)
    await stage(page, "Web calibration").first().getByRole("button").first().click()
    await page.getByText("Web Search").first().waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-104] leaving is confirmed, a denied exit goes on to the document, and its labels open paragraphs", async () => {
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${run}` })
    const { page } = window
    await card(page).waitFor()
    await say(page, "never mind, what is the capital?")
    await card(page)
      .getByText(/^Leave this run/)
      .waitFor()
    expect(await card(page).count()).toBe(1)
    await page.keyboard.press("Escape")
    await card(page)
      .getByRole("button", { name: /^2 ?No/ })
      .click()
    const document = rows(page, "The agent").filter({ hasText: "Key points" })
    await document.waitFor()
    await page.getByText(/deep-research p-1 completed/).waitFor()
    await page.getByText("Completed", { exact: true }).waitFor()
    expect(await page.getByText("Waiting for your answer").count()).toBe(0)
    await page.reload()
    await settle(page)
    await document.waitFor()
    expect(await document.count(), "the document appears once").toBe(1)
    await document
      .getByRole("link", { name: /^P\d+$/ })
      .first()
      .click()
    await page.getByRole("region", { name: "The paragraph" }).getByText("Location").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-104] a second research is left with a question, which the agent answers with the results", async () => {
    await using window = await visit(chromium.browser, fixture, { path: `/runs/${run}` })
    const { page } = window
    await say(page, "@deep-research Who signs the arrival form?")
    await card(page).getByRole("button", { name: /Exit/ }).waitFor()
    await say(page, "forget it, what is the capital of the harbour?")
    await card(page)
      .getByText(/^Leave this run/)
      .waitFor()
    await say(page, "yes")
    await page.getByText(/deep-research p-2 was left/).waitFor()
    await waitForReply(page, "what is the capital of the harbour?")
    expect(await card(page).count()).toBe(0)
    expect(window.problems()).toEqual([])
  })

  test("[PIPE-26] the terminal and the export have the same research", async () => {
    const attached = await fixture.qm(["attach", run])
    for (const words of [QUESTION, "Analyze query", "Paused after", "Key points", "was left"]) {
      expect(attached.stdout).toContain(words)
    }
    const exported = await fixture.qm(["runs", "export", run, "--format", "html"])
    for (const words of ["Analyze query", "Knowledge Base Search", "Key points", "was left"]) {
      expect(exported.stdout).toContain(words)
    }
  })
})
