import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import type { Journey } from "./journeys.ts"

/** Ways through Folds; `journeys.ts` runs them with the others. */
export const FOLD_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-41] keys walk over the tree; left closes and goes up, right opens, Enter shows",
    path: "/",
    async walk({ page }) {
      await press(page, "g", "f")
      await item(page, "Which callers").waitFor()
      await press(page, "j", "j", "ArrowLeft")
      await item(page, "List snapshot tests").waitFor({ state: "detached" })
      assert.equal(await item(page, "Which callers").getAttribute("aria-expanded"), "false")
      await press(page, "ArrowRight", "ArrowRight")
      await page.waitForURL((url) => url.searchParams.get("at") === "fb_02snapshots")
      await press(page, "ArrowLeft", "Enter")
      await page.getByText("Returned to the parent").waitFor()
      await page.reload()
      await page.getByText("Seven callers.").waitFor()
      await press(page, "Escape")
      await page.waitForURL((url) => !url.searchParams.has("show"))
    },
  },
  {
    says: "[CONSOLE-42] the trail is walked by keys, a step opens below it, Escape closes it first",
    path: "/folds?at=fb_01callers&show=fb_01callers",
    async walk({ page }) {
      await page.getByText("Seven callers.").waitFor()
      await press(page, "t")
      const steps = page.getByRole("listbox", { name: "Steps" })
      await steps.focus()
      await press(page, "j", "j", "Enter")
      await page.getByText("src/tariff/quote.ts:41").waitFor()
      await page.waitForURL((url) => url.searchParams.get("step") === "2")
      await press(page, "Escape")
      await page.waitForURL((url) => !url.searchParams.has("step"))
      assert.equal(new URL(page.url()).searchParams.get("show"), "fb_01callers")
      await press(page, "u")
      await page.getByText("2 steps had no room").waitFor()
    },
  },
  {
    says: "[CONSOLE-42] what is found in a trail opens the branch at its step",
    path: "/folds",
    async walk({ page }) {
      await item(page, "Which callers").waitFor()
      await press(page, "/")
      await page.keyboard.type("one cent")
      await page.getByText("No trail has these words").waitFor()
      await page.getByRole("textbox", { name: "Search the trails" }).fill("1 cent")
      await page.getByRole("option", { name: /invoice 2026-10-03/ }).waitFor()
      await press(page, "Enter", "j", "Enter")
      await page.getByRole("region", { name: "Text of the step" }).waitFor()
      await page.waitForURL((url) => url.searchParams.get("step") === "7")
    },
  },
  {
    says: "[CONSOLE-42] a memory that was handed in leads to Memory, and back",
    path: "/folds?show=fb_01callers",
    async walk({ page }) {
      await page.getByRole("link", { name: "Half cents in split stays" }).click()
      await page.waitForURL((url) => url.pathname === "/memory")
      await page.getByText("Seen in the invoices of October").waitFor()
      await page.goBack()
      await page.getByText("Seven callers.").waitFor()
    },
  },
  {
    says: "[CONSOLE-6] 1,200 branches draw only those in sight, and the last is one key away",
    path: "/folds?all=yes",
    async walk({ page }) {
      await item(page, "Which callers").waitFor()
      assert.ok((await page.getByRole("treeitem").count()) < 80)
      await press(page, "End")
      await item(page, "Check station 1200 of").waitFor()
    },
  },
]

const item = (page: Page, name: string) => page.getByRole("treeitem", { name })

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
