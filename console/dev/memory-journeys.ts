import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import type { Journey } from "./journeys.ts"

/** Ways through Memory; `journeys.ts` runs them with the others. */
export const MEMORY_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-44] a quarantined one is confirmed by a key, and shows it in list and detail",
    path: "/memory",
    async walk({ page }) {
      await row(page, "Cache the harbour dues").waitFor()
      await press(page, "j", "j", "Enter")
      await page.getByText("Quarantined: it rests on").waitFor()
      await press(page, "a")
      await page.getByText("Quarantined: it rests on").waitFor({ state: "detached" })
      await row(page, "Cache the harbour dues").getByText("confirmed", { exact: true }).waitFor()
      await press(page, "u")
      await page.getByText("Counted, its trust is 0.72 now").waitFor()
      await page.getByText("1 helpful").waitFor()
    },
  },
  {
    says: "[CONSOLE-44] forgetting is asked once with the file, and Cancel has the focus",
    path: "/memory?at=mem_05berth&show=mem_05berth",
    async walk({ page }) {
      await page.getByText("is where a ship lies in it").waitFor()
      await press(page, "x")
      const dialog = page.getByRole("dialog")
      await dialog.getByText(".qm/memory/glossary/berth.md").waitFor()
      await press(page, "Enter")
      await dialog.waitFor({ state: "detached" })
      assert.equal(await row(page, "Berth and mooring").count(), 1, "Enter is no yes")
      await press(page, "x")
      await dialog.getByRole("button", { name: "Forget" }).click()
      await row(page, "Berth and mooring").waitFor({ state: "detached" })
      await page.waitForURL((url) => !url.searchParams.has("show"))
    },
  },
  {
    says: "[CONSOLE-44] one is added by the form, refused beside its field, shown, and taken back",
    path: "/memory",
    async walk({ page }) {
      await row(page, "Half cents").waitFor()
      await press(page, "c")
      await page.keyboard.type("Quotes are rounded like invoices")
      // Left and opened again: what was written is still there.
      await press(page, "Escape", "c")
      assert.equal(await page.getByLabel("Title").inputValue(), "Quotes are rounded like invoices")
      await page.keyboard.press("Control+Enter")
      await page.getByText("It needs a text.").waitFor()
      await page.getByLabel("What is to be remembered?").fill("Both on the line.")
      await page.getByLabel("Code it rests on").fill("no/such.ts")
      await page.keyboard.press("Control+Enter")
      await page.getByText("which is not in the repository").waitFor()
      await page.getByLabel("Code it rests on").fill("src/tariff/quote.ts")
      await page.keyboard.press("Control+Enter")
      await row(page, "Quotes are rounded").waitFor()
      await page.getByText("Both on the line.").waitFor()
      await page.getByRole("button", { name: "Undo" }).click()
      await row(page, "Quotes are rounded").waitFor({ state: "detached" })
    },
  },
  {
    says: "[CONSOLE-44] one that is there already is shown instead, and nothing is written",
    path: "/memory?add=yes",
    async walk({ page }) {
      await page.getByLabel("Title").fill("Half to even, on the line")
      await page.getByLabel("What is to be remembered?").fill("As the handbook says.")
      await page.getByRole("button", { name: "Record" }).click()
      await page.getByText("One of them says this already").waitFor()
      await page.waitForURL((url) => url.searchParams.get("show") === "mem_04halfeven")
    },
  },
  {
    says: "[CONSOLE-43] kind, state and words narrow the list, are in the address, and say why",
    path: "/memory",
    async walk({ page }) {
      await row(page, "Half cents").waitFor()
      await press(page, "t", "t")
      await page.waitForURL((url) => url.searchParams.get("state") === "confirmed")
      await row(page, "Cache the harbour").waitFor({ state: "detached" })
      await page.getByLabel("Kind").selectOption("decision")
      await row(page, "Half to even").waitFor()
      assert.equal(await page.getByRole("option").filter({ hasText: "Berth" }).count(), 0)
      await page.reload()
      await row(page, "Half to even").waitFor()
      await page.goto(`${new URL(page.url()).origin}/memory?text=rounding`)
      await row(page, "Half cents").getByText("words rounding, code it cites").waitFor()
    },
  },
  {
    says: "[CONSOLE-6] 248 memories draw only those in sight",
    path: "/memory",
    async walk({ page }) {
      await row(page, "Half cents").waitFor()
      assert.ok((await page.locator("[data-row]").count()) < 80)
      await press(page, "End")
      await row(page, "Round half up everywhere").waitFor()
    },
  },
]

const row = (page: Page, name: string) =>
  page.getByRole("listbox", { name: "Memories" }).getByRole("option", { name })

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
