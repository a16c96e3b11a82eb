import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import type { Journey } from "./journeys.ts"

const MEMORY = "/home/ada/code/tideline/CLAUDE.md"

/** Ways through the page Capture; `journeys.ts` runs them with the others. */
export const CAPTURE_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-21] keys walk over the loads and ask for no text until one is opened",
    path: "/",
    async walk({ page }) {
      const texts = askedOf(page, "/api/capture/text")
      await page.keyboard.press("g")
      await page.keyboard.press("c")
      await page.getByText("16,981").waitFor()
      for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowDown")
      await page.waitForURL((url) => url.searchParams.get("at") === MEMORY)
      await page.getByRole("button", { name: "Show the text" }).waitFor()
      assert.deepEqual(texts, [])
      await page.keyboard.press("Enter")
      await page.getByText("[redacted: api-key 7c1e]").waitFor()
      assert.equal(texts.length, 1)
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.searchParams.has("at"))
    },
  },
  {
    says: "[CONSOLE-3] what is shown of a capture survives a reload, and back leads back",
    path: `/capture?at=${encodeURIComponent(MEMORY)}&view=raw`,
    async walk({ page }) {
      await page.getByText('"sha256"').waitFor()
      await page.reload()
      await page.getByText('"sha256"').waitFor()
      await page.getByRole("button", { name: /^Found/ }).click()
      await page.getByRole("option", { name: /managed-settings/ }).waitFor()
      await page.keyboard.press("e")
      await page.getByRole("menuitemradio", { name: /yesterday/ }).click()
      await page.waitForURL(/id=cap_0mhz1k2c6b/)
      await page.goBack()
      await page.waitForURL((url) => !url.searchParams.has("id"))
      await page.goBack()
      await page.getByText('"sha256"').waitFor()
    },
  },
  {
    says: "[CONSOLE-17] a folder of names opens by Enter, and a group folds",
    path: "/capture",
    async walk({ page }) {
      const inside = page.getByRole("option", { name: /release\/SKILL.md/ })
      await page.getByRole("option", { name: /Descriptions of 6 skills/ }).waitFor()
      for (let i = 0; i < 10; i++) await page.keyboard.press("j")
      await page.getByRole("button", { name: "Open" }).waitFor()
      const before = await inside.count()
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Fold" }).waitFor()
      assert.equal(await inside.count(), before + 1)
      const observed = page.getByRole("option", { name: /AGENTS.md observed/ })
      assert.equal(await observed.count(), 1)
      await page.getByRole("option", { name: /Observed only/ }).click()
      await page.waitForURL(/turned=group%3Aobserved/)
      assert.equal(await observed.count(), 0)
    },
  },
  {
    says: "[CONSOLE-6] of 2,000 loads only those in sight are drawn, and End reaches the last",
    path: "/capture?host=gemini",
    async walk({ page }) {
      await page.getByText("134,740").first().waitFor()
      const drawn = await page.getByRole("option").count()
      assert.ok(drawn > 10 && drawn < 80, `${drawn} rows are drawn`)
      await page.keyboard.press("End")
      await page.waitForURL(/at=demand/)
      await page.getByRole("option", { name: /part-1999/ }).waitFor()
    },
  },
  {
    says: "[CONSOLE-19] the host is asked only after a yes, and trust is asked for on its own",
    path: "/capture?host=codex",
    async walk({ page }) {
      const takes: string[] = []
      page.on("request", (it) => {
        if (it.method() === "POST") takes.push(it.postData() ?? "")
      })
      await page.getByText("2,730").first().waitFor()
      await page.keyboard.press("a")
      await page.getByText("No model is called and no message is sent.").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      assert.deepEqual(takes, [])
      await page.keyboard.press("a")
      await page.getByRole("dialog").getByRole("button", { name: "Ask the host" }).click()
      await page.getByText("does not trust this folder").waitFor()
      assert.match(takes[0] ?? "", /"observe":true,"trust":false/)
      await page.getByRole("button", { name: "Ask anyway" }).click()
      await page.getByRole("dialog").getByText("does not trust this folder yet").waitFor()
      assert.equal(takes.length, 1)
      await page.getByRole("dialog").getByRole("button", { name: "Ask anyway" }).click()
      await page.getByRole("button", { name: "2 of 2 observed" }).waitFor()
      assert.match(takes[1] ?? "", /"observe":true,"trust":true/)
    },
  },
  {
    says: "[CONSOLE-20] two captures are compared, and the tabs are one key apart",
    path: "/capture",
    async walk({ page }) {
      await page.getByText("16,981").waitFor()
      await page.keyboard.press("d")
      await page.getByText("6 changes, 16,530 to 16,981 tokens, +451").waitFor()
      await page.getByRole("button", { name: /^From:/ }).click()
      await page.getByRole("menuitemradio", { name: /13 November/ }).click()
      await page.waitForURL(/from=cap_0mhz1k2c5c/)
      await page.keyboard.press("d")
      await page.keyboard.press("t")
      await page.waitForURL(/tab=found/)
    },
  },
  {
    says: "[CONSOLE-12] a read-only console captures nothing",
    path: "/capture",
    state: "read-only",
    async walk({ page }) {
      await page.getByText("16,981").waitFor()
      const again = page.getByRole("button", { name: "Capture again" })
      assert.equal(await again.isDisabled(), true)
      assert.equal(await page.getByRole("button", { name: "Ask the host" }).isDisabled(), true)
    },
  },
]

function askedOf(page: Page, path: string): string[] {
  const asked: string[] = []
  page.on("request", (it) => {
    if (new URL(it.url()).pathname === path) asked.push(it.url())
  })
  return asked
}
