import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { offlineBrain } from "#act/pipeline"
import { isNight } from "#test/seed"
import { modelWires } from "#test/wires"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { payloads } from "./payloads.ts"
import { writeAgent } from "./seed/pipelines.ts"
import { settle, visit } from "./visit.ts"

const QUESTION = "When may a booking be re-priced after arrival?"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const card = (page: Page, name: string | RegExp = /^Paused after/) =>
  page.getByRole("region", { name })
const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const running = (page: Page) => page.locator("#page").getByRole("img", { name: "running" })
const answerBox = (page: Page) => page.getByRole("textbox", { name: "Type an answer" })

/** Marks the elements, so that the test can check that they are updated in place. */
async function mark(page: Page): Promise<void> {
  await page.evaluate(`for (const it of document.querySelectorAll(
    "#page header, [aria-label=Stages], [aria-label=Stages] > button, #page section"))
    it.dataset.same = "yes"`)
}

const marked = (page: Page) => page.locator("[data-same]").count()

async function happenElsewhere(page: Page): Promise<void> {
  const heard = page.waitForResponse((it) => it.url().includes("/api/now/show"))
  await fixture.backUp()
  await (await heard).finished()
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
}

describe("a research run from the first click to its document", () => {
  test("one click starts the shipped example, which reads its documents first", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines" })
    const { page } = window
    await page.getByRole("button", { name: "Start the example" }).click()
    await page.waitForURL("**/pipelines/p-1")
    await page.getByRole("heading", { level: 1, name: QUESTION }).waitFor()
    await card(page).getByText("Which conditions must be met").waitFor()
    await section(page, "Analyze query").getByText("LLM Analysis").waitFor()
    expect(await running(page).count(), "a pause stops every sign of work").toBe(0)
    await page.getByRole("link", { name: /^Knowledge/ }).click()
    await page.getByText("10 documents, ").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-52] the card survives a reload, and unrelated events do not move it", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines/p-1" })
    const { page } = window
    await card(page).waitFor()
    await page.reload()
    await settle(page)
    await card(page)
      .getByRole("button", { name: /Proceed/ })
      .waitFor()
    const before = await card(page).boundingBox()
    await mark(page)
    const all = await marked(page)
    await happenElsewhere(page)
    expect(await card(page).boundingBox()).toEqual(before)
    expect(await marked(page), "every element is the one of before").toBe(all)
    expect(all).toBeGreaterThan(8)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-51] substeps appear live and in place, and keys answer each pause", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines/p-1" })
    const { page } = window
    await card(page).waitFor()
    await mark(page)
    const stages = page.getByRole("group", { name: "Stages" }).locator("button[data-same]")
    await page.keyboard.press("1")
    await card(page, "Paused after web calibration").waitFor()
    await section(page, "Web calibration").getByText("Web Search").first().waitFor()
    expect(await running(page).count()).toBe(0)
    await page.keyboard.press("2")
    await page.getByLabel("Requested change").press("Control+Enter")
    await page.getByText("Describe the change.").waitFor()
    await page.keyboard.press("Escape")
    await page.keyboard.press("1")
    await page.getByRole("region", { name: "Document" }).waitFor()
    await section(page, "Retrieve").waitFor()
    await section(page, "Verify").waitFor()
    expect(await stages.count(), "no stage was drawn anew").toBe(6)
    expect(await page.locator("header[data-same]").count()).toBe(1)
    const first = page.locator("section[aria-label='Analyze query'][data-same]")
    expect(await first.count(), "nor was what had been done").toBe(1)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-53] the document is shown once after reloads, and a label leads to its paragraph", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines/p-1" })
    const { page } = window
    const document = page.getByRole("region", { name: "Document" })
    await document.getByRole("heading", { name: "Key points" }).waitFor()
    const text = await document.innerText()
    await page.reload()
    await settle(page)
    await document.getByRole("heading", { name: "Key points" }).waitFor()
    expect(await document.innerText()).toBe(text)
    expect(await document.count()).toBe(1)
    await document
      .getByRole("link", { name: /^P\d+$/ })
      .first()
      .click()
    await page.getByRole("region", { name: "The paragraph" }).getByText("Location").waitFor()
    expect(new URL(page.url()).pathname).toBe("/knowledge")
    await page.goBack()
    await document.waitFor()

    const ask = page.getByRole("textbox", { name: "Ask about the result" })
    await ask.fill("What counts as arrival?")
    await ask.press("Control+Enter")
    const talk = page.getByRole("region", { name: "Follow-up question" })
    await talk.getByText("What counts as arrival?").first().waitFor()
    await page.reload()
    await talk.getByText("What counts as arrival?").first().waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("a model that streams word by word", () => {
  test("[CONSOLE-51] streamed text appears at its stage and disappears with its pause", async () => {
    const released = Promise.withResolvers<void>()
    await using wires = await modelWires(async ({ instructions, prompt, schema }) => {
      const asked = { name: "wire", instructions, prompt, maxOutputTokens: 8_000 }
      const { text } = await offlineBrain({ ...asked, ...(schema === undefined ? {} : { schema }) })
      // The first stage ends before the page opens; the second is visible from its first word.
      const hold = wires.requests.length > 1 ? released.promise : Promise.resolve()
      return { text, pieces: 2, hold, usage: { input: 1_000, output: 100 } }
    })
    await using slow = await startConsole({ backups: 0 })
    const model = { provider: "anthropic", name: "some-model", baseUrl: wires.url }
    await mkdir(path.join(slow.home, ".qm"), { recursive: true })
    await writeFile(path.join(slow.home, ".qm", "config.json"), JSON.stringify({ model }))
    await using window = await visit(chromium.browser, slow, { path: "/pipelines" })
    const { page } = window
    await post(page, "credential/set", { name: "anthropic", value: wires.key })
    await page.getByRole("button", { name: "Start the example" }).click()
    await card(page, "Paused after analyze query").waitFor()
    await page.keyboard.press("1")
    const calibration = section(page, "Web calibration")
    const writing = calibration.locator("[data-writing]")
    await writing.getByText("{").waitFor()
    await calibration.getByText(/^running, /).waitFor()
    await expect.poll(() => running(page).count()).toBe(2)
    released.resolve()
    await card(page, "Paused after web calibration").waitFor()
    expect(await writing.count()).toBe(0)
    expect(await running(page).count(), "a pause stops every sign of work").toBe(0)
    await calibration.getByText("1.1k").waitFor()
    expect(wires.refusals).toEqual([])
    expect(window.problems()).toEqual([])
  })

  async function post(page: Page, operation: string, input: object): Promise<void> {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", "x-qm-client": "console" },
      body: JSON.stringify(input),
    }
    const call = `fetch("/api/${operation}", ${JSON.stringify(init)}).then((it) => it.status)`
    expect(await page.evaluate(call)).toBe(200)
  }
})

describe("leaving a run and returning later", () => {
  test("[CONSOLE-52] leaving asks in place, also after a reload, and stores the results", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines" })
    const { page } = window
    await page.getByRole("option", { name: /completed/ }).waitFor()
    await page.keyboard.press("c")
    await page.getByLabel("Question", { exact: true }).fill("Who is told of a longer stay?")
    await page.getByText("quick", { exact: true }).click()
    await page.getByRole("button", { name: "Start", exact: true }).click()
    await page.waitForURL("**/pipelines/p-2")
    await card(page).waitFor()
    await answerBox(page).fill("never mind")
    await answerBox(page).press("Control+Enter")
    await card(page).getByText("1 yes / 2 no").waitFor()
    await page.reload()
    await card(page).getByText("1 yes / 2 no").waitFor()
    await page.locator("#page").press("1")
    await page.getByText("Exited.", { exact: true }).waitFor()
    expect(await card(page).count()).toBe(0)

    await page
      .getByRole("link", { name: /^Pipelines/ })
      .first()
      .click()
    await page.getByRole("option", { name: /exited/ }).click()
    await page.getByText("Exited.", { exact: true }).waitFor()
    await section(page, "Analyze query").waitFor()
    await page.getByRole("link", { name: /^Now/ }).click()
    await page.getByText("Who is told of a longer stay?").click()
    await page.waitForURL("**/pipelines/p-2")
    expect(window.problems()).toEqual([])
  })

  test("two runs are compared, and one is repeated from a stage", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/pipelines/p-1" })
    const { page } = window
    await page.getByRole("region", { name: "Document" }).waitFor()
    await page.keyboard.press("d")
    await page.getByText(/stages? differs?, /).waitFor()
    await page.keyboard.press("d")
    await page.keyboard.press("r")
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Synthesize", { exact: true }).click()
    await dialog.getByLabel("Requested change").fill("Only what binds the master")
    await dialog.getByRole("button", { name: "Re-run" }).click()
    await page.waitForURL("**/pipelines/p-3")
    await page.getByRole("region", { name: "Document" }).waitFor()
    await section(page, "Retrieve")
      .getByText(/reused/)
      .waitFor()
    await page.getByRole("link", { name: "p-1" }).waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("the other pipeline pages with real data", () => {
  test("[CONSOLE-97] the page ends above an error message", async () => {
    await writeAgent(fixture.project, "harbour-check")
    await using window = await visit(chromium.browser, fixture, {
      path: "/recipes?show=harbour-check",
      expects: [/status of 409/],
    })
    const { page } = window
    const error = { code: "PIPELINE_RECIPE_CHANGED", message: "It changed.", hint: "", data: {} }
    await page.route(/trust/, (route) => route.fulfill({ status: 409, json: error }))
    // The address names only what is open; its row is marked as well.
    await page.getByRole("option", { name: /harbour-check/, selected: true }).waitFor()
    const detail = page.getByRole("region", { name: "The recipe" })
    await detail.getByRole("button", { name: "Trust" }).click()
    const message = page.getByRole("region", { name: "Messages" })
    await message.getByText("It changed.").waitFor()
    const bottomOf = async () => {
      const box = await detail.boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0)
    }
    const top = (await message.boundingBox())?.y ?? 0
    await expect.poll(bottomOf).toBeLessThanOrEqual(top)
    await message.getByRole("button", { name: "Close" }).click()
    await expect.poll(bottomOf).toBeGreaterThan(top)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-56] a recipe of the repository is read, trusted and started", async () => {
    await writeAgent(fixture.project, "harbour-check")
    await using window = await visit(chromium.browser, fixture, { path: "/agents" })
    const { page } = window
    await page.getByRole("option", { name: /harbour-check.*not trusted/ }).click()
    const detail = page.getByRole("region", { name: "The recipe" })
    const start = detail.getByRole("button", { name: "Start" })
    await start.waitFor()
    expect(await start.isDisabled()).toBe(true)
    await detail.getByText("1. Plan it", { exact: true }).waitFor()
    await detail.getByRole("tab", { name: /Prompts/ }).click()
    await detail.getByText("Plan this: {{query}}").waitFor()
    await detail.getByRole("button", { name: "Trust" }).click()
    await page.getByText("harbour-check is trusted").waitFor()
    await expect.poll(() => start.isDisabled()).toBe(false)
    await start.click()
    await page.waitForURL("**/pipelines?**start=harbour-check**")
    expect(window.problems()).toEqual([])
  })

  test("a search explains each matching paragraph, and a folder is indexed from the page", async () => {
    await writeFile(
      path.join(fixture.project, "docs", "lamps.md"),
      "# Lamps\n\n1.1 Lamps burn at dusk.\n",
    )
    await using window = await visit(chromium.browser, fixture, {
      path: "/knowledge?text=breakwater",
    })
    const { page } = window
    const hits = page.getByRole("listbox", { name: "Paragraphs" }).getByRole("option")
    await hits
      .first()
      .getByText(/words, rank 1 \(.*breakwater.*\)/)
      .waitFor()
    await hits.first().click()
    await page.getByRole("region", { name: "The paragraph" }).getByText("Location").waitFor()
    await page.goto(`${fixture.url}/knowledge?add=yes`)
    await page.getByLabel("Folder or file").fill(path.join(fixture.project, "docs"))
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("option", { name: /Lamps/ }).waitFor()
    expect(window.problems()).toEqual([])
  })
})

describe("data of hostile questions and documents", () => {
  const PAYLOADS = payloads(isNight() ? 60 : 2)
  const SENTINEL = `Object.defineProperty(window, "__pwn", {
    set: (value) => reportProblem("pwned: " + value),
  })`
  const LOADS_SOMETHING = "img, iframe, object, embed, base, form"

  test("[S4] questions, documents, answers and prompts are text on every pipeline page", async () => {
    await leaveHostile()
    await using window = await visit(chromium.browser, fixture, {
      path: "/pipelines",
      initScript: SENTINEL,
    })
    const { page } = window
    for (const payload of PAYLOADS) {
      await page.goto(`${fixture.url}/pipelines?add=yes`)
      await page.getByLabel("Question", { exact: true }).fill(`hostile mooring ${payload}`)
      await page.getByRole("button", { name: "Start", exact: true }).click()
      await page.waitForURL("**/pipelines/p-*")
      for (let pauses = 0; pauses < 3; pauses++) {
        await page.getByRole("region", { name: /^(Paused after|Document)/ }).waitFor()
        if ((await card(page).count()) === 0) break
        await card(page)
          .getByRole("button", { name: /Proceed/ })
          .click()
        await card(page).waitFor({ state: "detached" })
      }
      await page.getByRole("region", { name: "Document" }).waitFor()
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    }
    await page.goto(`${fixture.url}/pipelines`)
    await page
      .getByRole("option", { name: /hostile/ })
      .first()
      .waitFor()
    await page.goto(`${fixture.url}/knowledge?text=hostile+mooring`)
    await page.getByRole("listbox", { name: "Paragraphs" }).getByRole("option").first().click()
    await page.getByRole("region", { name: "The paragraph" }).getByText("Location").waitFor()
    expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(window.problems()).toEqual([])
  })

  async function leaveHostile(): Promise<void> {
    const folder = path.join(fixture.project, "hostile")
    await mkdir(folder)
    const paragraphs = PAYLOADS.map((it, i) => `${i + 1}.1 The hostile mooring says: ${it}`)
    const text = `# Hostile mooring\n\n${paragraphs.join("\n\n")}\n`
    await writeFile(path.join(folder, "mooring.md"), text)
    await writeFile(path.join(folder, "mooring.txt"), text)
    const { code, stderr } = await fixture.qm(["kb", "add", folder])
    expect([code, stderr]).toEqual([0, ""])
  }
})
