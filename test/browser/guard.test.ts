import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RULES } from "#choose/guard"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { walkByTab } from "./page-audit.ts"
import { payloads } from "./payloads.ts"
import { CLAUDE, FILE, type GuardStory, seedGuard } from "./seed/guard.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture
let story: GuardStory

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 2 })])
  story = await seedGuard(fixture)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const row = (page: Page, list: string, name: string | RegExp) =>
  page.getByRole("listbox", { name: list }).getByRole("option", { name })
const both = (key: string) => `at=${encodeURIComponent(key)}&show=${encodeURIComponent(key)}`
const projectConfig = async () => {
  const file = path.join(fixture.project, ".qm", "config.json")
  return existsSync(file) ? await readFile(file, "utf8") : ""
}

describe("Guard page, with verdicts of hooks", () => {
  test("verdicts are listed newest first, each with its rule and the rule's effective level", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/guard" })
    const { page } = window
    await page.getByText("4 verdicts in 24 hours, 1 denied").waitFor()
    const lines = page.getByRole("listbox", { name: "Verdicts" }).getByRole("option")
    expect(await lines.allInnerTexts()).toEqual([
      expect.stringMatching(/Denied\s+risk[^]*is of high risk/),
      expect.stringMatching(/Warned\s+concurrency[^]*Somebody was faster/),
      expect.stringMatching(/Context\s+boot[^]*session starts/),
    ])
    await page.getByRole("button", { name: /^Silent 1/ }).click()
    await row(page, "Verdicts", /Silent/).waitFor()
    await page.getByRole("button", { name: /^Reported 3/ }).click()
    for (const [name, rule] of [
      ["Denied", "risk"],
      ["Warned", "concurrency"],
      ["Context", "boot"],
    ] as const) {
      await row(page, "Verdicts", new RegExp(name)).click()
      const detail = page.getByRole("region", { name: "The verdict" })
      const level = RULES.find((it) => it.name === rule)?.level
      await detail.getByText(`Rule ${rule}from level ${level}`).waitFor()
    }
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-49] a new verdict appears without a reload and does not move the selection", async () => {
    const key = String(story.now - 8_000)
    await using window = await visit(chromium.browser, fixture, { path: `/guard?${both(key)}` })
    const { page } = window
    await row(page, "Verdicts", /Somebody was faster/).waitFor()
    await story.say({ at: Date.now(), verdict: "block", rule: "drift", event: "stop", paths: [] })
    await row(page, "Verdicts", /Blocked/).waitFor()
    const list = page.getByRole("listbox", { name: "Verdicts" })
    const selected = list.getByRole("option", { selected: true })
    expect(await selected.innerText()).toContain("Somebody was faster")
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-46] after a refusal, a stored reason allows the edit", async () => {
    const key = String(story.now - 7_000)
    await using window = await visit(chromium.browser, fixture, { path: `/guard?${both(key)}` })
    const { page } = window
    const detail = page.getByRole("region", { name: "The verdict" })
    await detail.getByText(`qm simulate ${FILE}`).waitFor()
    const button = detail.getByRole("button", { name: "Override" })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await detail.getByLabel("Reason").fill("The table is generated")
    await button.click()
    await page.getByText(/It may be edited until \d\d:\d\d, the reason is recorded/).waitFor()
    const folder = path.join(story.stateDirectory, "overrides")
    const kept = await Promise.all(
      (await readdir(folder)).map((it) => readFile(path.join(folder, it), "utf8")),
    )
    expect(kept.join("\n")).toContain("The table is generated")
    expect(kept.join("\n")).toContain(FILE)
    await detail.getByRole("button", { name: "Simulate now" }).click()
    await page.getByText(/^Risk \d\.\d\d, .* edit allowed for 4 hours$/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a rule is tested on past events, saved in the project, and undone", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/guard" })
    const { page } = window
    await page.keyboard.press("t")
    const panel = page.getByRole("region", { name: "Test a rule" })
    await panel.getByText("this repository is at level 2").waitFor()
    await panel.getByLabel("High-risk paths").fill("docs/**, nowhere/**")
    await panel
      .getByText(/docs\/\*\*[^]*edits?, 1 file/)
      .first()
      .waitFor()
    await panel.getByText("0 edits, 0 files").waitFor()
    await panel.getByText(/^[1-9] of [1-9] in 24 hours$/).waitFor()
    expect(await projectConfig()).not.toContain("nowhere")
    await panel.getByRole("button", { name: "Save", exact: true }).click()
    await page.getByText("guard.highRiskPaths was changed in the project file").waitFor()
    expect(await projectConfig()).toContain("docs/**, nowhere/**")
    await panel.getByText("Saved; applies from level 5.").waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await panel.getByText("Applies from level 5.", { exact: true }).waitFor()
    expect(await projectConfig()).not.toContain("nowhere")
    expect(window.problems()).toEqual([])
  })
})

describe("Sessions, claims and decisions pages", () => {
  test("a session shows its ledger, and its text once it is registered", async () => {
    const registered = await fixture.qm(["session", "register", "rounding", "Round **once**"])
    expect(registered.code, registered.stderr).toBe(0)
    await using window = await visit(chromium.browser, fixture, { path: "/sessions" })
    const { page } = window
    await row(page, "Sessions", "5f0c2d1e").click()
    const detail = page.getByRole("region", { name: "The session" })
    await detail.getByText("3 edits of 2 files").waitFor()
    await detail.getByText(/^(important, )?2 edits, 1 min ago$/).waitFor()
    await detail.getByText("Changed by others").waitFor()
    await detail.getByText(/risk 0\.62/).waitFor()
    await detail.getByRole("link", { name: "Show hook messages" }).click()
    await page.waitForURL(/\/guard\?session=5f0c2d1e/)
    await page.goto(`${fixture.url}/sessions?tab=logged`)
    await row(page, "Registered", "rounding").click()
    await detail.locator("strong", { hasText: "once" }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("the user's own claim is released at once with undo; releasing an agent's claim asks first", async () => {
    await fixture.qm(["claim", "take", "README.md"])
    await fixture.qm(["claim", "take", "docs", "--session", CLAUDE])
    await using window = await visit(chromium.browser, fixture, { path: "/sessions?tab=claims" })
    const { page } = window
    await row(page, "Claims", "README.md").click()
    await page.keyboard.press("x")
    await page.getByText("README.md was released").waitFor()
    await row(page, "Claims", "README.md").waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Undo" }).click()
    await row(page, "Claims", "README.md").waitFor()

    await row(page, "Claims", /docs/).click()
    await page.keyboard.press("x")
    const dialog = page.getByRole("dialog")
    await dialog.getByText(`claimed by the session ${CLAUDE.slice(0, 8)}.`).waitFor()
    await dialog.getByRole("button", { name: "Cancel" }).click()
    await dialog.waitFor({ state: "detached" })
    await row(page, "Claims", /docs/).waitFor()
    await page.keyboard.press("x")
    await dialog.getByRole("button", { name: "Release" }).click()
    await row(page, "Claims", /docs/).waitFor({ state: "detached" })
    const { stdout } = await fixture.qm(["claim", "list", "--json"])
    expect(stdout).toContain("README.md")
    expect(stdout).not.toContain('"docs"')
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-49] Now lists claims, and new ones appear while the page is open", async () => {
    await using window = await visit(chromium.browser, fixture)
    const facts = window.page.getByRole("region", { name: "Details" })
    await window.page.getByText("Session 5f0c2d1e").waitFor()
    await fixture.qm(["claim", "take", FILE, "--session", "s-later"])
    await facts.getByText("s-later").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("a decision added in the console is a file and can be undone", async () => {
    const expects = [/status of 400/]
    await using window = await visit(chromium.browser, fixture, { path: "/decisions", expects })
    const { page } = window
    await page.getByText("qm decision add").waitFor()
    await page.keyboard.press("c")
    await page.getByLabel("Title").fill("Round on the line")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByText("A context is required.").waitFor()
    await page.getByLabel("Context", { exact: true }).fill("Totals differed.")
    await page.getByLabel("Decision", { exact: true }).fill("Half to **even**.")
    await page.getByLabel("Cited code").fill("no/such.ts")
    await page.keyboard.press("Control+Enter")
    await page.getByRole("alert").filter({ hasText: "no/such.ts" }).waitFor()
    await page.getByLabel("Cited code").fill(FILE)
    await page.keyboard.press("Control+Enter")
    const detail = page.getByRole("region", { name: "The memory" })
    await detail.locator("strong", { hasText: "even" }).waitFor()
    const told = await page.getByText(/^Saved in /).innerText()
    const file = path.join(fixture.project, told.replace("Saved in ", ""))
    expect(await readFile(file, "utf8")).toContain("Totals differed.")
    await row(page, "Memories", "Round on the line").waitFor()
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText(/^Undone, /).waitFor()
    expect(existsSync(file)).toBe(false)
    expect(window.problems()).toEqual([])
  })
})

describe("keyboard", () => {
  test.each(["/guard", "/sessions?tab=claims", "/decisions?add=yes"])(
    "[CONSOLE-2] Tab reaches every control on %s and is never trapped",
    async (address) => {
      await using window = await visit(chromium.browser, fixture, { path: address })
      const { stops, traps, missed } = await walkByTab(window.page)
      expect({ traps, missed }).toEqual({ traps: [], missed: [] })
      expect(stops).toBeGreaterThan(4)
    },
  )
})

describe("data of a hostile agent", () => {
  const PAYLOADS = payloads(isNight() ? 60 : 4)
  const SENTINEL = `Object.defineProperty(window, "__pwn", {
    set: (value) => reportProblem("pwned: " + value),
  })`
  const LOADS_SOMETHING = "img, iframe, object, embed, base, form"

  test("[S4] sessions, paths, tools and messages are text in Guard, Sessions and on Now", async () => {
    for (const [i, payload] of PAYLOADS.entries()) {
      const session = `${i} ${payload}`.slice(0, 200)
      await story.ledger.opened(session, payload)
      await story.ledger.modified(session, { path: payload, tool: payload })
      const said = { at: story.now - 20_000 - i, session, tool: payload, paths: [payload] }
      await story.say({ ...said, host: payload, event: payload, text: `${payload}\n${payload}` })
    }
    await using window = await visit(chromium.browser, fixture, { initScript: SENTINEL })
    const { page } = window
    for (const [i, payload] of PAYLOADS.entries()) {
      await page.goto(`${fixture.url}/guard?${both(String(story.now - 20_000 - i))}`)
      const verdict = page.getByRole("region", { name: "The verdict" })
      await verdict.getByText("When and where").waitFor()
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
      await page.goto(`${fixture.url}/sessions?${both(`${i} ${payload}`.slice(0, 200))}`)
      const session = page.getByRole("region", { name: "The session" })
      await session.getByText("Edited files").waitFor()
      expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    }
    await page.goto(fixture.url)
    await page.getByRole("heading", { name: "Recent sessions" }).waitFor()
    expect(await page.locator(LOADS_SOMETHING).count()).toBe(0)
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(window.problems()).toEqual([])
  })
})
