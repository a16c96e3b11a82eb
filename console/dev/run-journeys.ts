import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { DIAGRAMS, EVERY_KIND, LONG, TARIFF } from "./fake-run.ts"
import { activity, say } from "./fake-run-drafts.ts"
import type { Journey } from "./journeys.ts"

/** Ways through the page of one run; `journeys.ts` runs them with the others. */
export const RUN_JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-31] 100,000 messages: few rows, no jump while older ones load, both ends by keys",
    path: `/runs/${LONG}`,
    async walk({ page }) {
      await page.getByText("Step 9999:").waitFor()
      for (let i = 0; i < 80; i++) {
        const moved = await scrollUp(page, 150)
        assert.ok(moved === null || Math.abs(moved - 150) < 3, `a row moved by ${moved} px`)
      }
      assert.ok((await page.locator("[data-entry]").count()) < 300)
      await page.keyboard.press("g")
      await page.keyboard.press("g")
      await page.getByText("Step 0:").waitFor()
      await page.keyboard.press("G")
      await page.getByText("Step 9999:").waitFor()
    },
  },
  {
    says: "[CONSOLE-3] a link leads to its message wherever it lies, also within another",
    path: `/runs/${LONG}?at=50005`,
    async walk({ page }) {
      const selected = page.locator("[data-entry][aria-current=true]")
      await selected.waitFor()
      await page.getByRole("button", { name: /Jump to latest, \d/ }).waitFor()
      await page.keyboard.press("j")
      await page.waitForURL((url) => Number(url.searchParams.get("at")) > 50_005)
      await page.keyboard.press("r")
      await page.getByRole("region", { name: "Raw message" }).waitFor()
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.searchParams.has("raw"))
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.searchParams.has("at"))
    },
  },
  {
    says: "[CONSOLE-4] a break of the line wipes nothing, and what was missed comes once",
    path: `/runs/${TARIFF}`,
    async walk({ page, server }) {
      await page.getByText("Quotes round every line").waitFor()
      server.transcripts.write(TARIFF, "Half a sen")
      await page.locator("#writing", { hasText: "Half a sen" }).waitFor()
      server.transcripts.add(TARIFF, [say(400_000, "Half a sentence, now whole.")])
      await page.getByText("now whole").waitFor()
      assert.equal(await page.locator("#writing").count(), 0)
      server.breakOff()
      await page.getByText("Nothing is lost").waitFor()
      assert.equal(await page.getByText("now whole").count(), 1)
      server.transcripts.add(TARIFF, [say(401_000, "Said while away.")])
      server.letIn()
      await page.getByText(/^Reconnecting(,|$)/).click()
      await page.getByText("Caught up, 1 message").waitFor()
      assert.equal(await page.getByText("Said while away.").count(), 1)
    },
  },
  {
    says: "[CONSOLE-31] the end is followed from the end, and left alone from further up",
    path: `/runs/${LONG}`,
    async walk({ page, server }) {
      await page.getByText("Step 9999:").waitFor()
      server.transcripts.add(LONG, [say(1, "Followed.")])
      await page.getByText("Followed.").waitFor()
      await scrollUp(page, 900)
      const before = await page.getByRole("feed").evaluate((it) => it.scrollTop)
      server.transcripts.add(LONG, [say(2, "Not followed.")])
      await page.waitForTimeout(200)
      assert.equal(await page.getByRole("feed").evaluate((it) => it.scrollTop), before)
      await page.getByRole("button", { name: /Jump to latest/ }).click()
      await page.getByText("Not followed.").waitFor()
    },
  },
  {
    says: "[CONSOLE-25] a question is answered by its key, once, and the turn behind it is changed",
    path: `/runs/${TARIFF}`,
    async walk({ page }) {
      await page.getByRole("button", { name: "Allow once" }).waitFor()
      const focused = await page.evaluate(() => document.activeElement?.tagName)
      assert.notEqual(focused, "BUTTON", "the focus never lands on Allow by itself")
      await page.keyboard.press("a")
      await page.getByText("allowed by console").waitFor()
      await page.getByRole("button", { name: "Take it back" }).click()
      await page.getByText("Then update docs/tariffs.md").waitFor({ state: "detached" })
      await page.keyboard.press("m")
      await page.keyboard.type("And the changelog.")
      await page.keyboard.press("Control+Enter")
      await page.getByRole("feed").getByText("And the changelog.").waitFor()
    },
  },
  {
    says: "[CONSOLE-34] Stop keeps its place: a second press meets no other button",
    path: `/runs/${TARIFF}`,
    async walk({ page }) {
      const stop = page.getByRole("button", { name: "Stop" })
      await stop.waitFor()
      const box = await stop.boundingBox()
      assert.ok(box !== null)
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      await page.mouse.click(x, y)
      await page.getByText("Stopped").first().waitFor()
      await page.mouse.click(x, y)
      assert.equal(await page.getByRole("dialog").count(), 0)
      assert.ok(await stop.isDisabled())
      assert.deepEqual(await stop.boundingBox(), box)
    },
  },
  {
    says: "[CONSOLE-34] a run is taken away as a page or as lines, under the page's own policy",
    path: `/runs/${TARIFF}`,
    async walk({ page }) {
      await page.getByText("Quotes round every line").waitFor()
      for (const format of ["HTML", "JSONL"]) {
        await page.getByRole("button", { name: "Actions" }).click()
        const saved = page.waitForEvent("download")
        await page.getByRole("menuitemradio", { name: `Export as ${format}` }).click()
        const file = await saved
        assert.equal(file.suggestedFilename(), `${TARIFF}.${format.toLowerCase()}`)
        assert.equal(await file.failure(), null)
      }
    },
  },
  {
    says: "[CONSOLE-30] what is written within an activity is seen there, folded and open",
    path: `/runs/${TARIFF}`,
    async walk({ page, server }) {
      await page.getByText("Quotes round every line").waitFor()
      server.transcripts.add(TARIFF, activity("live-1", [402_000, 0], LOOKS_INTO))
      const row = page.getByRole("button", { name: /Look into the callers/ })
      await row.waitFor()
      server.transcripts.write(TARIFF, "Half a thou", "live-1")
      await row.getByText("Half a thou").waitFor()
      await row.click()
      await page.getByText("Half a thou").waitFor()
      assert.equal(await page.locator("#writing").count(), 0)
    },
  },
  {
    says: "[CONSOLE-32] markdown is never seen raw, not even at first",
    path: `/runs/${EVERY_KIND}`,
    async prepare(context) {
      await context.addInitScript(() => {
        const note = () => {
          const isRaw = document.body?.textContent.includes("**twice**") === true
          if (isRaw) Reflect.set(window, "sawRaw", true)
        }
        const all = { subtree: true, childList: true, characterData: true }
        new MutationObserver(note).observe(document, all)
      })
    },
    async walk({ page }) {
      await page.getByText("Everything was shown.").waitFor()
      await page.locator("strong", { hasText: "twice" }).waitFor({ state: "attached" })
      assert.equal(await page.evaluate(() => Reflect.has(window, "sawRaw")), false)
    },
  },
  {
    says: "[CONSOLE-32] a diagram is an image, its source one press away, its error in words",
    path: `/runs/${DIAGRAMS}`,
    async walk({ page }) {
      await page.locator("figure img").nth(1).waitFor({ timeout: 20_000 })
      await page.getByText("No diagram: Parse error").waitFor()
      await page.getByRole("button", { name: "Show the source" }).first().click()
      await page.getByText("graph LR Quote").waitFor()
      assert.equal(await page.getByRole("feed").locator("img").count(), 1)
    },
  },
]

/** A sub-agent at work. */
const LOOKS_INTO = { kind: "agent", tool: "Task", title: "Look into the callers", isOpen: true }

/** Scrolls, and says how far a row that was in sight has moved; null when it left. */
async function scrollUp(page: Page, px: number): Promise<number | null> {
  const before = await page.evaluate(() => {
    const rows = [...document.querySelectorAll("[data-entry]")]
    const row = rows.find((it) => it.getBoundingClientRect().top > 250)
    return { id: row?.id ?? "", top: row?.getBoundingClientRect().top ?? 0 }
  })
  await page.getByRole("feed").evaluate((feed, by) => {
    feed.scrollTop -= by
  }, px)
  await page.waitForTimeout(20)
  const after = await page.evaluate(
    (id) => document.getElementById(id)?.getBoundingClientRect().top ?? null,
    before.id,
  )
  return after === null ? null : after - before.top
}
