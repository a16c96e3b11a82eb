import { readFile } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { walkByTab } from "./page-audit.ts"
import { beReadOnly, settle, visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 3 })])
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

describe("keyboard", () => {
  test.each(["/", "/events?at=2", "/settings?at=tokens.window", "/no/such/page"])(
    "[CONSOLE-2] Tab reaches every control on %s and is never trapped",
    async (address) => {
      await using window = await visit(chromium.browser, fixture, { path: address })
      const { stops, traps, missed } = await walkByTab(window.page)
      expect({ traps, missed }).toEqual({ traps: [], missed: [] })
      expect(stops).toBeGreaterThan(4)
      expect(window.problems()).toEqual([])
    },
  )

  test("[CONSOLE-2] g navigates, ? shows the keys, j and k move, Escape closes one layer at a time", async () => {
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    const head = await fixture.head()
    await press(page, "g", "s")
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor()
    await press(page, "g", "e")
    await page.getByRole("heading", { name: "Events", level: 1 }).waitFor()
    await page.locator(`#event-${head}`).waitFor()
    await press(page, "k", "k")
    await page.waitForURL(new RegExp(`at=${head - 1}$`))
    await press(page, "?")
    const sheet = page.getByRole("dialog")
    await sheet.getByText("Pause or follow").waitFor()
    await press(page, "Escape")
    await sheet.waitFor({ state: "detached" })
    expect(new URL(page.url()).search, "the selection is another layer").toBe(`?at=${head - 1}`)
    await press(page, "Escape")
    await page.waitForURL(/\/events$/)
    await press(page, "g", "n")
    await page.getByRole("heading", { name: "Now", level: 1 }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-3] the address contains the whole state: it survives a reload and Back", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    await page
      .getByRole("button", { name: "store" })
      .or(page.getByText("store", { exact: true }))
      .first()
      .click()
    await page.waitForURL(/name=store/)
    await press(page, "/")
    await page.keyboard.type("backed")
    await page.waitForURL(/text=backed/)
    await page.locator("#event-2").click()
    await page.waitForURL(/at=2/)
    await press(page, "v")
    await page.waitForURL(/view=raw/)
    const address = page.url()
    await page.reload()
    await settle(page)
    expect(page.url()).toBe(address)
    expect(await page.getByRole("textbox", { name: "Filter by text" }).inputValue()).toBe("backed")
    await page.getByText('"store.backed-up"').waitFor()
    await page.getByRole("link", { name: /^Now/ }).click()
    await page.getByRole("heading", { name: "Now", level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('"store.backed-up"').waitFor()
    expect(page.url()).toBe(address)
    expect(window.problems()).toEqual([])
  })
})

describe("changes made in the console", () => {
  test("[CONSOLE-10] the palette asks for each argument, confirms once, and writes once", async () => {
    await using window = await visit(chromium.browser, fixture)
    const { page } = window
    const head = await fixture.head()
    const writes: string[] = []
    page.on("request", (it) => it.method() === "POST" && writes.push(it.url()))
    await page.getByRole("button", { name: "Check again" }).focus()
    await press(page, "Control+k")
    await page.getByRole("combobox").fill("store.backup")
    await press(page, "Enter")
    await press(page, "Enter")
    await page.keyboard.type("0")
    await press(page, "Enter")
    await page.getByText("A whole number from 1 to 100").waitFor()
    await page.getByRole("combobox").fill("9")
    await press(page, "Enter")
    await page.getByText("This operation changes data. Arguments: keep 9").waitFor()
    expect([writes, await fixture.head()]).toEqual([[], head])
    await press(page, "Enter")
    await page.getByText("store.backup completed").waitFor()
    expect([writes, await fixture.head()]).toEqual([[`${fixture.url}/api/store/backup`], head + 1])
    await press(page, "Enter")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const focused = () => page.evaluate("document.activeElement?.textContent")
    await expect.poll(focused, { message: "the focus is where it was" }).toMatch(/Check again/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-12] a setting is written to the file of its layer, reported, and can be undone", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/settings" })
    const { page } = window
    const file = path.join(fixture.home, ".qm", "config.json")
    const input = page.getByRole("textbox", { name: "store.keepBackups" })
    await input.fill("101")
    await page.getByText("A whole number from 1 to 100").waitFor()
    await input.fill("21")
    await input.press("Enter")
    await page.getByText("store.keepBackups was saved in the user file").waitFor()
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ store: { keepBackups: 21 } })
    const { stdout } = await fixture.qm(["config", "show", "--json"])
    expect(stdout, "another process sees it").toMatch(/"keepBackups"|store\.keepBackups/)
    await page.getByRole("button", { name: "Undo" }).click()
    await page.getByText("store.keepBackups was removed from the user file").waitFor()
    expect(await input.inputValue()).toBe("7")
    expect(await readFile(file, "utf8")).not.toMatch(/keepBackups/)
    const secret = page.getByRole("textbox", { name: "store.databaseUrl" })
    expect(await secret.getAttribute("type")).toBe("password")
    expect(await secret.inputValue(), "a secret is never sent to the page").toBe("")
    await page.getByRole("heading", { name: "Settings" }).click()
    await press(page, "l")
    await page.waitForURL(/layer=project/)
    await input.fill("22")
    await input.press("Enter")
    await page.getByText("store.keepBackups was saved in the project file").waitFor()
    const shared = path.join(fixture.project, ".qm", "config.json")
    expect(JSON.parse(await readFile(shared, "utf8"))).toMatchObject({ store: { keepBackups: 22 } })
    expect(window.problems()).toEqual([])
  })
})

describe("themes and modes", () => {
  test("themes and densities apply at once and are remembered", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/settings" })
    const { page } = window
    await page.getByText("Paper").click()
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor")
    await expect.poll(ground).toMatch(/oklch\(0\.977/)
    await page.getByText("Compact").click()
    await page.locator("html[data-density=compact]").waitFor()
    const stored = await page.evaluate('localStorage.getItem("qm.look")')
    expect(stored).toMatch(/,Paper,Night,compact$/)
    await page.reload()
    await page.locator("html[data-density=compact]").waitFor()
    expect(await ground()).toMatch(/oklch\(0\.977/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-12] a read-only console changes nothing and says so", async () => {
    const options = { path: "/settings", prepare: beReadOnly }
    await using window = await visit(chromium.browser, fixture, options)
    const { page } = window
    await page.getByText("Read only", { exact: true }).waitFor()
    const input = page.getByRole("textbox", { name: "store.keepBackups" })
    expect(await input.isDisabled()).toBe(true)
    expect(window.problems()).toEqual([])
  })
})

describe("live updates", () => {
  test("[CONSOLE-6] the journal follows its end; while paused it does not move and counts new events", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    const head = await fixture.head()
    await page.locator(`#event-${head}`).waitFor()
    await press(page, "p")
    await page.waitForURL(new RegExp(`until=${head}`))
    await fixture.backUp()
    await fixture.backUp()
    await page.getByRole("button", { name: "Follow, 2 new" }).waitFor()
    expect(await page.locator(`#event-${head + 2}`).count()).toBe(0)
    await press(page, "p")
    await page.locator(`#event-${head + 2}`).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-11] an expired session is reported and the page keeps its content", async () => {
    const expects = [/WebSocket connection|ERR_CONNECTION|Failed to load resource/]
    await using window = await visit(chromium.browser, fixture, { path: "/events", expects })
    const { page, context } = window
    const event = page.locator(`#event-${await fixture.head()}`)
    await event.waitFor()
    await context.clearCookies()
    await fixture.stop()
    await page.getByText("Reconnecting").waitFor()
    await fixture.startAgain()
    await page.getByText("Session expired. Run qm open.").waitFor()
    expect(await event.count()).toBe(1)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-6] changes of another process appear without a reload on every page", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    const head = await fixture.head()
    const { code } = await fixture.qm(["store", "backup"])
    expect(code).toBe(0)
    await page.locator(`#event-${head + 1}`).waitFor()
    await page.getByRole("link", { name: "Settings" }).click()
    const events = (count: number) => page.getByText(new RegExp(`, ${count} events, `))
    await events(head + 1).waitFor()
    await fixture.backUp()
    await events(head + 2).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("[N1] after a server restart the page has kept its content, and no event is lost or duplicated", async () => {
    const expects = [/WebSocket connection|ERR_CONNECTION|Failed to load resource/]
    await using window = await visit(chromium.browser, fixture, { path: "/events", expects })
    const { page } = window
    const head = await fixture.head()
    await page.locator(`#event-${head}`).waitFor()
    await fixture.stop()
    await page.getByText("Reconnecting").waitFor()
    await fixture.qm(["store", "backup"])
    await fixture.qm(["store", "backup"])
    expect(await page.locator(`#event-${head}`).count(), "what is shown stays").toBe(1)
    await fixture.startAgain()
    // The page also reconnects by itself; either way it is connected again.
    const caughtUp = page.getByText("Caught up, 2 events")
    await Promise.any([page.getByRole("button", { name: /Retry now/ }).click(), caughtUp.waitFor()])
    await caughtUp.waitFor()
    const shown = await page.locator("[id^=event-]").evaluateAll((all) => all.map((it) => it.id))
    const expected = Array.from({ length: head + 2 }, (_, i) => `event-${i + 1}`)
    expect(shown).toEqual(expected)
    expect(window.problems()).toEqual([])
  })
})

test("[CONSOLE-8] data that was not loaded when the server stopped is loaded once it is back", async () => {
  const expects = [
    /WebSocket connection|ERR_CONNECTION|Failed to load resource|console is not loaded/,
  ]
  // A window of its own: a used one has every part of the console in its cache.
  const own = { prepare: async () => {} }
  await using window = await visit(chromium.browser, fixture, { path: "/events", expects, ...own })
  const { page } = window
  await fixture.stop()
  await page.getByText("Reconnecting").waitFor()
  await press(page, "?")
  await page.getByText("this part of the console is not loaded").waitFor()
  await page.getByText("store.backed-up").first().waitFor()
  await page.getByRole("link", { name: "Settings" }).click()
  await page.getByRole("heading", { name: "Failure" }).waitFor()
  const again = page.getByRole("button", { name: "Try again" })
  await again.click()
  await again.waitFor()
  await fixture.startAgain()
  await again.click()
  await page.getByRole("textbox", { name: "store.keepBackups" }).waitFor()
  await press(page, "?")
  await page.getByRole("dialog").getByText("Change the layer").waitFor()
  expect(window.problems()).toEqual([])
})

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
