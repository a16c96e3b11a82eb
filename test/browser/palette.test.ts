import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { type ConsoleFixture, startConsole } from "./console-fixture.ts"
import { writeHarbour } from "./seed/harbour.ts"
import { visit } from "./visit.ts"

let chromium: Awaited<ReturnType<typeof launchChromium>>
let fixture: ConsoleFixture

beforeAll(async () => {
  ;[chromium, fixture] = await Promise.all([launchChromium(), startConsole({ backups: 0 })])
  await writeHarbour(fixture)
  await fixture.call("map.scan", {})
  await fixture.call("memory.record", {
    kind: "pitfall",
    title: "Rounding twice loses a cent",
    body: "Round once, on the line.",
  })
  const run = { type: "synthetic", prompt: "Check the rounding of quotes" } as const
  await fixture.call("agents.start", run)
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true })

async function openPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill(text)
}

describe("palette", () => {
  test("[CONSOLE-64] it finds runs, files, symbols, memories and settings, and opens the first with Enter", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    await openPalette(page, "rounding")
    await group(page, "Runs").getByText("Check the rounding of quotes").waitFor()
    await group(page, "Files").getByText("src/tariff/rounding.ts").waitFor()
    await group(page, "Memories").getByText("Rounding twice loses a cent").waitFor()
    await page.getByRole("combobox").fill("roundLine")
    await group(page, "Symbols").getByText("src/tariff/rounding.ts").waitFor()
    await page.getByRole("combobox").fill("tokens.win")
    await group(page, "Settings").getByText("tokens.window").waitFor()
    const first = page.getByRole("option").first()
    await expect.poll(() => first.getAttribute("aria-selected")).toBe("true")
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/settings\?at=tokens\.window$/)
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-64] no single letter gives an error", async () => {
    await using window = await visit(chromium.browser, fixture, { path: "/events" })
    const { page } = window
    const refused: string[] = []
    page.on("response", (it) => it.status() >= 400 && refused.push(it.url()))
    await openPalette(page, "")
    for (const letter of "aemrqtz.-'#") {
      await page.getByRole("combobox").fill(letter)
      await page.waitForResponse((it) => it.url().includes("/api/memory/search"))
    }
    expect(refused).toEqual([])
    expect(window.problems()).toEqual([])
  })

  test("[CONSOLE-64] a slow group delays no other, and a failed one is named", async () => {
    await using window = await visit(chromium.browser, fixture, {
      path: "/events",
      expects: [/status of 503/],
    })
    const { page } = window
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route("**/api/agents/list*", async (route) => {
      await held
      await route.fulfill({
        status: 503,
        json: { code: "STORE_BUSY", message: "The store is busy", hint: "Wait.", data: {} },
      })
    })
    await openPalette(page, "rounding")
    await group(page, "Files").getByText("src/tariff/rounding.ts").waitFor()
    await group(page, "Memories").getByText("Rounding twice loses a cent").waitFor()
    expect(await group(page, "Runs").count()).toBe(0)
    release()
    await page.getByText("Not searched: Runs").waitFor()
    await group(page, "Files").waitFor()
    expect(window.problems()).toEqual([])
  })
})
