import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import type { Journey } from "./journeys.ts"

const ROUNDING = "src/tariff/rounding.ts"

/** Ways through Map; `journeys.ts` runs them with the others. */
export const MAP_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-36] keys walk over the tree; right opens, left closes and goes up",
    path: "/",
    async walk({ page }) {
      await press(page, "g", "m")
      await item(page, "docs").waitFor()
      await press(page, "j", "j", "j", "ArrowRight")
      await item(page, "tariff").waitFor()
      assert.equal(await item(page, "src").getAttribute("aria-expanded"), "true")
      await press(page, "j", "ArrowLeft")
      await page.waitForURL((url) => url.searchParams.get("at") === "src")
      await press(page, "ArrowLeft")
      await item(page, "tariff").waitFor({ state: "detached" })
      await page.waitForURL((url) => !url.searchParams.has("open"))
    },
  },
  {
    says: "[CONSOLE-36] a file is opened by Enter, its symbols walked by keys, and Escape leads back",
    path: `/map?open=src&open=src%2Ftariff&at=${encodeURIComponent(ROUNDING)}`,
    async walk({ page }) {
      await item(page, "rounding.ts").waitFor()
      await press(page, "Enter")
      const symbols = page.getByRole("listbox", { name: "Symbols" })
      await symbols.focus()
      await press(page, "j", "j", "Enter")
      await page.waitForURL(showing(`${ROUNDING}#roundLine`))
      // The focus goes on in the list that took the place of the one that was left.
      const links = page.getByRole("listbox", { name: "Callers and called" })
      await links.and(page.locator(":focus")).waitFor()
      await press(page, "j", "j", "Enter")
      await page.waitForURL(showing("src/invoice/lines.ts#priceLine"))
      assert.equal(new URL(page.url()).searchParams.get("at"), ROUNDING, "the tree stays")
      await page.goBack()
      await page.waitForURL(showing(`${ROUNDING}#roundLine`))
      await press(page, "Escape")
      await page.waitForURL((url) => !url.searchParams.has("show"))
    },
  },
  {
    says: "[CONSOLE-35] the picture is one stop by Tab, arrows walk it, Enter follows",
    path: `/map?show=${encodeURIComponent(`${ROUNDING}#roundLine`)}`,
    async walk({ page }) {
      const picture = page.getByRole("group", { name: "Around roundLine" })
      await picture.waitFor()
      assert.equal(await picture.locator('a[tabindex="0"]').count(), 1)
      await picture.locator('a[tabindex="0"]').focus()
      await press(page, "ArrowRight", "ArrowRight")
      await picture.locator(":focus", { hasText: "divideHalfEven" }).waitFor()
      await press(page, "ArrowDown", "ArrowUp", "Enter")
      await page.waitForURL(showing("src/money/cents.ts#divideHalfEven"))
    },
  },
  {
    says: "[CONSOLE-35] one hop or two is in the address, and the picture follows",
    path: `/map?show=${encodeURIComponent(`${ROUNDING}#roundLine`)}`,
    async walk({ page }) {
      await page.getByText("Callers, two hops").waitFor()
      await press(page, "x")
      await page.waitForURL((url) => url.searchParams.get("hops") === "1")
      await page.getByText("Callers, two hops").waitFor({ state: "detached" })
      await page.reload()
      await page.getByRole("radio", { name: "One hop", checked: true }).waitFor()
    },
  },
  {
    says: "[CONSOLE-6] of 2,000 files in a folder only those in sight are drawn",
    path: "/map?open=data&open=data%2Fstations",
    async walk({ page }) {
      await item(page, "station-00000.json").waitFor()
      await press(page, "End", "Home")
      await page.waitForURL((url) => url.searchParams.get("at") === "data")
      const drawn = await page.getByRole("treeitem").count()
      assert.ok(drawn > 10 && drawn < 80, `${drawn} rows are drawn`)
    },
  },
  {
    says: "[CONSOLE-36] words find files and symbols; a path finds files; Escape brings the tree back",
    path: "/map",
    async walk({ page }) {
      await item(page, "src").waitFor()
      await press(page, "/")
      await page.keyboard.type("rounding")
      await page.getByRole("option", { name: /defines roundLine/ }).waitFor()
      await press(page, "Enter", "j", "j", "Enter")
      await page.waitForURL(showing(`${ROUNDING}#roundLine`))
      await press(page, "Escape", "v")
      await item(page, "test/ ?rounding.test.ts").waitFor()
      await press(page, "Escape")
      await item(page, "src").waitFor()
    },
  },
  {
    says: "[CONSOLE-36] r scans and says what came of it; what is not there is answered with what is near",
    path: "/map?show=roundLin",
    async walk({ page }) {
      await page.getByText("MAP_NAME_UNKNOWN").waitFor()
      await page.getByRole("button", { name: ROUNDING }).click()
      await page.waitForURL(showing(ROUNDING))
      await press(page, "r")
      await page.getByText("212 symbols in 1.3 s, 3 files changed").waitFor()
      await page.getByRole("button", { name: "14 files left out" }).click()
      await page.getByRole("dialog").getByText("may hold secrets").waitFor()
    },
  },
]

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

function item(page: Page, name: string) {
  return page.getByRole("treeitem", { name: new RegExp(`^${name.replaceAll(".", "\\.")}\\b`) })
}

function showing(what: string): (url: URL) => boolean {
  return (url) => url.searchParams.get("show") === what
}
