import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { writeFiles, writeHarbour } from "./seed/harbour.ts"
import { visit } from "./visit.ts"

const ROUNDING = "src/tariff/rounding.ts"
const AROUND = `/map?hops=2&show=${encodeURIComponent(`${ROUNDING}#roundLine`)}`

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  await writeHarbour(fixture)
  await writeFiles(fixture.project, { ".env": "FEED_KEY=none\n" })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const open = (address: string) =>
  // Chromium logs every response above 399 to its console.
  visit(chromium.browser, fixture, { path: address, expects: [/status of 4\d\d/] })
const item = (page: Page, name: RegExp) => page.getByRole("treeitem", { name })
const showing = (what: string) => (url: URL) => url.searchParams.get("show") === what

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

describe("Map page", () => {
  test("an unscanned repository is scanned from the page and its structure is shown", async () => {
    await using window = await open("/map")
    const { page } = window
    await page.getByText("qm map", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Scan" }).first().click()
    await page
      .getByRole("option", { name: /folder src/ })
      .first()
      .waitFor()
    await page.getByRole("button", { name: /files? skipped$/ }).click()
    await page.getByRole("dialog").getByText("files with this name contain credentials").waitFor()
    await page.goto(`${fixture.url}/map?show=${encodeURIComponent("roundLine")}`)
    const links = page.getByRole("listbox", { name: "Callers and callees" })
    await links.getByText("invoiceTotal").waitFor()
    await links.getByText("divideHalfEven").waitFor()
    expect(window.problems()).toEqual([])
  })

  test("keys move over the tree; Right opens, Left closes and goes up", async () => {
    await using window = await open("/")
    const { page } = window
    await press(page, "g", "m")
    await page.getByRole("listbox", { name: /^Treemap/ }).waitFor()
    await press(page, "l")
    await item(page, /^src/).waitFor()
    const isAt = (path: string) => new URL(page.url()).searchParams.get("at") === path
    for (let i = 0; i < 8 && !isAt("src"); i++) await press(page, "j")
    await press(page, "ArrowRight")
    await item(page, /^tariff/).waitFor()
    expect(await item(page, /^src/).getAttribute("aria-expanded")).toBe("true")
    await press(page, "j", "ArrowLeft")
    await page.waitForURL((url) => url.searchParams.get("at") === "src")
    await press(page, "ArrowLeft")
    await item(page, /^tariff/).waitFor({ state: "detached" })
    await page.waitForURL((url) => !url.searchParams.has("open"))
    expect(window.problems()).toEqual([])
  })

  test("Enter opens a file, keys move over its symbols, and Escape returns", async () => {
    await using window = await open(
      `/map?view=list&open=src&open=src%2Ftariff&at=${encodeURIComponent(ROUNDING)}`,
    )
    const { page } = window
    await item(page, /^rounding\.ts/).waitFor()
    await press(page, "Enter")
    await page.getByRole("listbox", { name: "Symbols" }).focus()
    await press(page, "j", "j", "Enter")
    await page.waitForURL(showing(`${ROUNDING}#roundLine`))
    // The focus moves to the list that replaced the previous one.
    const links = page.getByRole("listbox", { name: "Callers and callees" })
    await links.and(page.locator(":focus")).waitFor()
    await press(page, "j", "Enter")
    await page.waitForURL((url) => !showing(`${ROUNDING}#roundLine`)(url))
    expect(new URL(page.url()).searchParams.get("at"), "the tree stays").toBe(ROUNDING)
    await page.goBack()
    await page.waitForURL(showing(`${ROUNDING}#roundLine`))
    await press(page, "Escape")
    await page.waitForURL((url) => !url.searchParams.has("show"))
    expect(window.problems()).toEqual([])
  })

  test("the graph is one Tab stop, arrows move in it, Enter follows; hops are part of the address", async () => {
    await using window = await open(AROUND)
    const { page } = window
    const picture = page.getByRole("group", { name: "Around roundLine" })
    await picture.waitFor()
    await page.getByText("Callers, two hops").first().waitFor()
    const stop = picture.locator('a[tabindex="0"]')
    expect(await stop.count()).toBe(1)
    await stop.focus()
    const called = picture.locator(":focus", { hasText: "divideHalfEven" })
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"]) {
      if ((await called.count()) === 0) await press(page, key)
    }
    await called.waitFor()
    await press(page, "Enter")
    await page.waitForURL(showing("src/money/cents.ts#divideHalfEven"))
    await page.goBack()
    await page.waitForURL(showing(`${ROUNDING}#roundLine`))
    await press(page, "x")
    await page.waitForURL((url) => !url.searchParams.has("hops"))
    await page.getByText("Callers, two hops").waitFor({ state: "detached" })
    await page.reload()
    await page.getByRole("radio", { name: "One hop", checked: true }).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("text finds files and symbols, a path finds files, and Escape shows the tree again", async () => {
    await using window = await open("/map?view=list")
    const { page } = window
    await item(page, /^src/).waitFor()
    await press(page, "/")
    await page.keyboard.type("r")
    await page
      .getByRole("option", { name: /its name contains this text/ })
      .first()
      .waitFor()
    await page.keyboard.type("ounding")
    await page
      .getByRole("option", { name: /rounding\.ts.*matches 'rounding' in path/ })
      .first()
      .waitFor()
    await press(page, "Enter", "j", "Enter")
    await page.waitForURL((url) => /rounding/.test(url.searchParams.get("show") ?? ""))
    await press(page, "Escape", "v")
    await page.waitForURL((url) => url.searchParams.get("by") === "path")
    await item(page, /rounding\.test\.ts/).waitFor()
    await press(page, "Escape")
    await item(page, /^src/).waitFor()
    expect(window.problems()).toEqual([])
  })

  test("keys move over the treemap, colour it, open files and folders, and go up", async () => {
    await using window = await open("/map?folder=src")
    const { page } = window
    const plane = page.getByRole("listbox", { name: /coloured by (?:changes|size)/ })
    await plane.waitFor()
    await press(page, "3")
    await page.getByRole("listbox", { name: /coloured by rank/ }).waitFor()
    await page.waitForURL((url) => url.searchParams.get("color") === "rank")
    expect(await page.getByRole("radio", { name: "Agent reads" }).isDisabled()).toBe(true)
    await plane
      .or(page.getByRole("listbox", { name: /by rank/ }))
      .first()
      .focus()
    await press(page, "j", "Enter")
    await page.waitForURL(
      (url) => url.searchParams.get("folder") !== "src" || url.searchParams.has("show"),
    )
    await press(page, "Escape", "Backspace")
    await page.goto(`${fixture.url}/map?show=src%2Ftariff%2F`)
    await page.getByRole("group", { name: "Folders around src/tariff" }).waitFor()
    await page.getByRole("button", { name: "Open folder in the treemap" }).click()
    await page.waitForURL((url) => url.searchParams.get("folder") === "src/tariff")
    expect(window.problems()).toEqual([])
  })

  test("an unknown name lists similar names, and r scans again", async () => {
    await using window = await open("/map?show=roundLin")
    const { page } = window
    await page.getByText("No file, folder or symbol has this name.").waitFor()
    await page.getByRole("button", { name: "roundLine", exact: true }).click()
    await page.waitForURL(showing("roundLine"))
    await writeFiles(fixture.project, { "src/berth/mooring.ts": "export const lines = 4\n" })
    await press(page, "r")
    // An answer that arrives after the write has scanned the new file already.
    await page.getByText(/symbols in .*, (?:1 file changed|no changes)/).waitFor()
    await page.goto(`${fixture.url}/map?show=src/berth/mooring.ts`)
    await page.getByText("export const lines").first().waitFor()
    expect(window.problems()).toEqual([])
  })
})
