import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, makeRepository, startConsole } from "./console-fixture.ts"
import { ENDED, question, runsOf } from "./seed/runs.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 1 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("several repositories", () => {
  test("[CONSOLE-72] with two repositories the switcher opens the other one by keys, and returns", async () => {
    const other = path.join(path.dirname(fixture.project), "quay")
    await makeRepository(other, "west")
    for (const folder of [fixture.project, other]) await fixture.call("fleet.add", { path: folder })
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    await page.getByRole("button", { name: "Repository" }).waitFor()
    await page.keyboard.press("g")
    await page.keyboard.press("w")
    const menu = page.getByRole("menu", { name: "Repository" })
    await menu.getByRole("menuitemradio", { name: /tideline/, checked: true }).waitFor()
    await menu.getByRole("menuitemradio", { name: /quay/ }).focus()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/r\/quay-[a-z0-9]+\//)
    await page.getByText("west", { exact: true }).waitFor()
    await page.getByRole("link", { name: "Settings" }).click()
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/r\/quay-[a-z0-9]+\/settings$/)
    expect(await page.getByText("tideline", { exact: true }).count()).toBe(0)
    await page.getByRole("button", { name: "Repository" }).click()
    await menu.getByRole("menuitemradio", { name: /tideline/ }).click()
    await page.getByRole("contentinfo", { name: "Status" }).getByText("main").first().waitFor()
    expect(window.problems()).toEqual([])
  })
})

/** Headless Chromium refuses notifications; this class replaces its own and grants the permission. */
const RECORD = `
  window.shown = []
  window.Notification = class extends EventTarget {
    static permission = "default"
    static async requestPermission() { return (this.permission = "granted") }
    constructor(title, { body }) { super(); shown.push(title + ": " + body) }
    close() {}
  }
  document.hasFocus = () => false`

describe("notifications", () => {
  test("[CONSOLE-73] nothing is shown before the user turns notifications on; then each new request is", async () => {
    const runs = runsOf(fixture)
    const ask = async (prompt: string) => {
      const { id } = await runs.play(prompt, [question("q", "npm test"), ENDED])
      return runs.question(id)
    }
    await using window = await visit(chromium.browser, fixture, {
      path: "/settings",
      initScript: RECORD,
    })
    const { page } = window
    const shown = () => page.evaluate("shown")
    await ask("Before")
    await expect.poll(() => page.title()).toMatch(/^\(1\) /)
    expect(await shown()).toEqual([])
    const field = page.getByRole("radiogroup", { name: "Notifications" })
    await field.getByText("on", { exact: true }).click()
    await field.getByRole("radio", { name: "on", checked: true }).waitFor()
    await ask("After")
    await expect.poll(shown).toEqual([expect.stringMatching(/^After: .*npm test/)])
    await expect.poll(() => page.title()).toMatch(/^\(2\) /)
    expect(window.problems()).toEqual([])
  })
})
