import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { TASK } from "./fake-pack.ts"
import type { Journey } from "./journeys.ts"

const ROUNDING = "src/tariff/rounding.ts"
const QUOTE = "src/tariff/quote.ts"
const NIGHT = "src/tariff/night-rates.ts"
const BUILT = `/pack?task=${encodeURIComponent(TASK)}`

/** Ways through the page Pack; `journeys.ts` runs them with the others. */
export const PACK_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-38] a task is written, a file pinned, dropped, moved and turned by keys alone",
    path: "/",
    async walk({ page }) {
      await page.keyboard.press("g")
      await page.keyboard.press("p")
      await page.getByRole("textbox", { name: "Task" }).waitFor()
      await page.keyboard.press("e")
      await page.keyboard.type(TASK)
      // To the budget and back: nothing is built before it is asked for.
      await page.keyboard.press("Tab")
      await page.keyboard.press("Shift+Tab")
      assert.equal(new URL(page.url()).search, "")
      await page.keyboard.press("Enter")
      await chosen(page, ROUNDING).waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("Space")
      await page.waitForURL((url) => url.searchParams.get("pin") === ROUNDING)
      await chosen(page, ROUNDING).getByText("pinned").waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      await page.waitForURL((url) => url.searchParams.get("drop") === "src/tariff/invoice.ts")
      await page.getByText("of 24,000 tokens, 8 files").waitFor()
      await page.keyboard.press("Control+z")
      await page.getByText("of 24,000 tokens, 9 files").waitFor()
      // The selection went to the neighbour when its row went away.
      await page.keyboard.press("k")
      await page.keyboard.press("v")
      await page.keyboard.press("3")
      await page.waitForURL((url) => url.searchParams.has("signatures"))
      await page.keyboard.press("Alt+ArrowUp")
      await page.waitForURL((url) => url.searchParams.get("order") === "src/tariff/invoice.ts")
      assert.deepEqual((await order(page)).slice(0, 2), ["src/tariff/invoice.ts", ROUNDING])
    },
  },
  {
    says: "[CONSOLE-38] many changes in a row are built once, and the old package stays meanwhile",
    path: BUILT,
    async walk({ page }) {
      await chosen(page, ROUNDING).waitFor()
      const asked: string[] = []
      page.on("request", (it) => {
        if (it.url().endsWith("/api/pack/build")) asked.push(it.postData() ?? "")
      })
      for (let i = 0; i < 4; i++) {
        await page.keyboard.press("j")
        await page.keyboard.press("Space")
      }
      assert.equal(await chosen(page, ROUNDING).count(), 1)
      await page.waitForURL((url) => url.searchParams.getAll("pin").length === 4)
      await page.getByText("not kept").waitFor()
      assert.ok(asked.length < 4, `${asked.length} were built`)
      assert.match(asked.at(-1) ?? "", /"target":\[("[^"]+",?){4}\]/)
    },
  },
  {
    says: "[CONSOLE-38] a row is taken by the pointer to another place, and the form by a press",
    path: BUILT,
    async walk({ page }) {
      await chosen(page, ROUNDING).waitFor()
      await chosen(page, QUOTE).dragTo(chosen(page, ROUNDING), { targetPosition: { x: 60, y: 3 } })
      await page.waitForURL((url) => url.searchParams.get("order") !== null)
      assert.deepEqual((await order(page)).slice(0, 3), [QUOTE, ROUNDING, "src/tariff/invoice.ts"])
      await chosen(page, QUOTE).getByText("Path", { exact: true }).click()
      await page.waitForURL((url) => url.searchParams.get("mention") === QUOTE)
      await page
        .getByRole("option", { name: "night-rates.ts" })
        .locator("span[aria-hidden]")
        .nth(1)
        .click()
      await page.waitForURL((url) => url.searchParams.get("pin") === NIGHT)
      await chosen(page, NIGHT).waitFor()
    },
  },
  {
    says: "[CONSOLE-3] what is asked of a package survives a reload, and back leads back",
    path: `${BUILT}&pin=${QUOTE}&drop=docs/tariffs.md&symbols=${ROUNDING}&tab=xml&budget=20000`,
    async walk({ page }) {
      await page.getByText(`<file path="${ROUNDING}">`).waitFor()
      const before = await order(page)
      await page.reload()
      await page.getByText(`<file path="${ROUNDING}">`).waitFor()
      assert.deepEqual(await order(page), before)
      await page.keyboard.press("b")
      await page.keyboard.press("Control+a")
      await page.keyboard.type("9k")
      await page.keyboard.press("Enter")
      await page.getByText("of 9,000 tokens, 6 files").waitFor()
      await page.goBack()
      await page.getByText("of 20,000 tokens, 8 files").waitFor()
    },
  },
  {
    says: "[CONSOLE-39] a preview opens at the selected file, and Escape leads back to the list",
    path: `${BUILT}&tab=json`,
    async walk({ page }) {
      await chosen(page, ROUNDING).waitFor()
      for (let i = 0; i < 3; i++) await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      const text = page.getByRole("region", { name: "What is sent" })
      await text.getByText(`"path": "${QUOTE}"`).waitFor()
      assert.equal(await isFocused(page, "What is sent"), true)
      await page.keyboard.press("Escape")
      assert.equal(await isFocused(page, "Candidates"), true)
      await page.waitForURL((url) => url.searchParams.get("at") === QUOTE)
    },
  },
  {
    says: "[CONSOLE-39] a budget that is too small leaves the package and offers what is needed",
    path: BUILT,
    async walk({ page }) {
      await chosen(page, ROUNDING).waitFor()
      await page.getByRole("textbox", { name: "Budget in tokens" }).fill("20")
      await page.keyboard.press("Enter")
      await page.getByText("PACK_BUDGET_TOO_SMALL").waitFor()
      assert.equal(await chosen(page, ROUNDING).count(), 1)
      await page.getByRole("button", { name: "Raise the budget to 420" }).click()
      await page.waitForURL((url) => url.searchParams.get("budget") === "420")
      await page.getByText("of 420 tokens, ").waitFor()
    },
  },
  {
    says: "[CONSOLE-38] a package is kept when asked, stays as it is, and can be compared",
    path: BUILT,
    async walk({ page, context }) {
      await context.grantPermissions(["clipboard-read", "clipboard-write"])
      await chosen(page, ROUNDING).waitFor()
      await page.keyboard.press("y")
      await page.getByText("tokens were copied").waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      assert.match(copied, /^## Context Package/)
      await page.keyboard.press("s")
      await page.waitForURL((url) => url.searchParams.get("id") === "pk_4")
      await page.getByText("kept today 08:16").waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      await page.waitForURL((url) => !url.searchParams.has("id"))
      await page.getByText("not kept").waitFor()
      await page.keyboard.press("d")
      await page.getByRole("option", { name: "tariffs.md" }).waitFor()
      await page.keyboard.press("Escape")
      await chosen(page, QUOTE).waitFor()
    },
  },
  {
    says: "[CONSOLE-40] a package is kept by running with it, and the run begins with both",
    path: BUILT,
    async walk({ page }) {
      const started: unknown[] = []
      page.on("request", (it) => {
        if (it.url().endsWith("/api/agents/start")) started.push(it.postDataJSON())
      })
      await chosen(page, ROUNDING).waitFor()
      await page.keyboard.press("Control+Enter")
      await page.waitForURL((url) => url.pathname === "/runs")
      const { searchParams } = new URL(page.url())
      assert.deepEqual(
        ["beside", "prompt", "pack"].map((it) => searchParams.get(it)),
        ["new", TASK, "pk_4"],
      )
      const words = page.getByLabel("What shall it do?")
      assert.equal(await words.inputValue(), TASK)
      await page.getByText(/^9 files, [\d,]+ tokens, before the first turn/).waitFor()
      await page.getByRole("link", { name: "Open" }).click()
      await page.getByText("kept today 08:16").waitFor()
      await page.getByRole("button", { name: /^Run with this/ }).click()
      await words.waitFor()
      assert.equal(await page.getByLabel("Package").inputValue(), "pk_4", "it is not kept twice")
      await page.getByLabel("Package").fill("pk_none")
      await page.getByRole("alert").getByText("no kept package").waitFor()
      await page.getByLabel("Package").fill("pk_4")
      await words.press("Control+Enter")
      await page.waitForURL((url) => url.pathname.startsWith("/runs/"))
      assert.partialDeepStrictEqual(started, [{ prompt: TASK, pack: "pk_4" }])
      await page.goBack()
      await page.goBack()
      await page.getByText("kept today 08:16").waitFor()
    },
  },
  {
    says: "[CONSOLE-38] a kept package is changed from what was chosen for it",
    path: `${BUILT}&pin=${encodeURIComponent(QUOTE)}&signatures=${encodeURIComponent(NIGHT)}`,
    async walk({ page }) {
      await chosen(page, QUOTE).getByText("pinned").waitFor()
      await page.keyboard.press("s")
      await page.waitForURL((url) => url.searchParams.get("id") === "pk_4")
      await page.goto(new URL("/pack?id=pk_4", page.url()).href)
      await chosen(page, QUOTE).getByText("pinned").waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      await page.waitForURL((url) => url.searchParams.get("signatures") === NIGHT)
      assert.equal(new URL(page.url()).searchParams.get("pin"), QUOTE)
    },
  },
  {
    says: "[CONSOLE-3] on a phone the columns stand behind tabs, and the preview is a page",
    path: BUILT,
    async walk({ page }) {
      await page.setViewportSize({ width: 390, height: 844 })
      const tab = (name: RegExp) => page.getByRole("button", { name })
      await page.getByRole("option", { name: "night-rates.ts" }).waitFor()
      assert.equal(await chosen(page, ROUNDING).isVisible(), false)
      await tab(/^Chosen/).click()
      await chosen(page, ROUNDING).click()
      await page.getByRole("button", { name: "Pin" }).click()
      await page.waitForURL((url) => url.searchParams.get("pin") === ROUNDING)
      await tab(/^Preview/).click()
      await page.getByRole("region", { name: "What is sent" }).waitFor()
      assert.equal(await chosen(page, ROUNDING).isVisible(), false)
      await page.goBack()
      await chosen(page, ROUNDING).waitFor()
    },
  },
  {
    says: "[CONSOLE-6] of 2,000 candidates only those in sight are drawn, and End reaches the last",
    path: "/pack?task=everything&turned=group%3Abelow",
    async walk({ page }) {
      await chosen(page, ROUNDING).waitFor()
      const drawn = await page.getByRole("option").count()
      assert.ok(drawn > 10 && drawn < 90, `${drawn} rows are drawn`)
      await page.keyboard.press("End")
      await page.getByRole("option", { name: "mooring-1999.ts" }).waitFor()
    },
  },
]

/** Folder and name of a path are two parts of a row. */
function chosen(page: Page, path: string) {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return page.getByRole("listbox", { name: "Chosen files" }).getByRole("option", { name })
}

async function order(page: Page): Promise<readonly string[]> {
  const titles = page.getByRole("listbox", { name: "Chosen files" }).locator("[title]")
  return titles.evaluateAll((all) => all.map((it) => it.getAttribute("title") ?? ""))
}

async function isFocused(page: Page, label: string): Promise<boolean> {
  return page.evaluate((name) => document.activeElement?.getAttribute("aria-label") === name, label)
}
