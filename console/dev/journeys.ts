import assert from "node:assert/strict"
import type { BrowserContext, Page } from "playwright-core"
import { launch, openPage } from "./browser.ts"
import { CAPTURE_JOURNEYS } from "./capture-journeys.ts"
import { startFakeServer } from "./fake-server.ts"
import type { WorldState } from "./fake-world.ts"
import { FOLD_JOURNEYS } from "./fold-journeys.ts"
import { MAP_JOURNEYS } from "./map-journeys.ts"
import { MEMORY_JOURNEYS } from "./memory-journeys.ts"
import { PACK_JOURNEYS } from "./pack-journeys.ts"
import { RUN_JOURNEYS } from "./run-journeys.ts"
import { RUNS_JOURNEYS } from "./runs-journeys.ts"

/** Ways through the console that must work: `node console/dev/journeys.ts [filter]` after `vite build`. */
type Server = Awaited<ReturnType<typeof startFakeServer>>
type Scene = { page: Page; server: Server; context: BrowserContext }
export type Journey = {
  readonly says: string
  readonly path: string
  readonly state?: WorldState
  /** Before the page: what the browser is like. */
  prepare?(context: BrowserContext): Promise<void>
  walk(scene: Scene): Promise<void>
}

const JOURNEYS: readonly Journey[] = [
  {
    says: "[CONSOLE-11] the token leaves the address bar at once and is worth nothing later",
    path: "/events",
    async walk({ page, context }) {
      assert.equal(new URL(page.url()).hash, "")
      assert.equal(await page.evaluate(() => document.cookie), "", "scripts cannot read the cookie")
      await page.reload()
      await page.getByRole("heading", { name: "Events" }).waitFor()
      await context.clearCookies()
      await page.reload()
      await page.getByText("This page needs a link").waitFor()
    },
  },
  {
    says: "[CONSOLE-11] a session that ends later says so and wipes nothing",
    path: "/events",
    async walk({ page, server, context }) {
      await option(page, 1204).waitFor()
      await context.clearCookies()
      server.breakOff()
      await page.getByText("Not let in any more, run qm open").waitFor()
      assert.equal(await option(page, 1204).count(), 1)
    },
  },
  {
    says: "[CONSOLE-6] the journal follows its end; paused it stands still and counts",
    path: "/events",
    async walk({ page, server }) {
      await option(page, 1204).waitFor()
      server.happen(3)
      await option(page, 1207).waitFor()
      await page.keyboard.press("p")
      await page.waitForURL(/until=1207/)
      server.happen(2)
      await page.getByRole("button", { name: "Follow, 2 new" }).waitFor()
      assert.equal(await option(page, 1209).count(), 0)
      await page.keyboard.press("p")
      await option(page, 1209).waitFor()
    },
  },
  {
    says: "[N1] after a break nothing is lost, doubled or wiped",
    path: "/events",
    async walk({ page, server }) {
      await option(page, 1204).waitFor()
      server.breakOff()
      await page.getByText("Reconnecting").waitFor()
      server.happen(31)
      assert.equal(await option(page, 1204).count(), 1, "what is shown stays")
      server.letIn()
      await page.getByText("Caught up, 31 events").waitFor()
      await option(page, 1235).waitFor()
      await page.getByText("the newest 531").waitFor()
    },
  },
  {
    says: "[CONSOLE-2] keys move, open and leave one layer at a time",
    path: "/",
    async walk({ page }) {
      await page.keyboard.press("g")
      await page.keyboard.press("e")
      await page.waitForURL(/\/events$/)
      await option(page, 1204).waitFor()
      await page.keyboard.press("k")
      await page.waitForURL(/at=1204/)
      await page.keyboard.press("k")
      await page.waitForURL(/at=1203/)
      await page.keyboard.press("v")
      await page.waitForURL(/view=raw/)
      await page.keyboard.press("/")
      await page.keyboard.type("backed jk")
      await page.waitForURL(/text=backed\+jk/)
      await page.keyboard.press("Escape")
      await page.keyboard.press("Escape")
      await page.waitForURL(/at=1203/)
      await page.keyboard.press("Escape")
      await page.waitForURL((url) => !url.search.includes("at="))
    },
  },
  {
    says: "[CONSOLE-10] the palette asks, shows, goes back and gives the focus back",
    path: "/",
    async walk({ page }) {
      await page.getByRole("button", { name: "Check again" }).focus()
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("count tok")
      await page.keyboard.press("Enter")
      await page.keyboard.type("CLAUDE.md")
      await page.keyboard.press("Enter")
      await page.keyboard.press("Enter")
      await page.keyboard.type("nonsense")
      await page.keyboard.press("Enter")
      await page.getByText("A whole number, at least 1").waitFor()
      await page.getByRole("combobox").fill("")
      await page.keyboard.press("Enter")
      await page.getByText("2,486").first().waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("combobox", { name: "Search or run" }).waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
      const focused = await page.evaluate(() => document.activeElement?.textContent)
      assert.match(focused ?? "", /Check again/)
    },
  },
  {
    says: "[CONSOLE-10] a write asks first",
    path: "/",
    async walk({ page }) {
      const writes: string[] = []
      page.on("request", (it) => it.method() === "POST" && writes.push(it.url()))
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("store.backup")
      for (let i = 0; i < 3; i++) await page.keyboard.press("Enter")
      await page.getByText("This writes").waitFor()
      assert.deepEqual(writes, [])
      await page.keyboard.press("Enter")
      await page.getByText("store.backup is done").waitFor()
      assert.equal(writes.length, 1)
    },
  },
  {
    says: "[CONSOLE-12] a setting is saved in a layer, says so, and can be undone",
    path: "/settings?layer=project",
    async walk({ page }) {
      const input = page.getByRole("textbox", { name: "store.keepBackups" })
      await input.fill("101")
      await page.getByText("A whole number from 1 to 100").waitFor()
      await input.fill("21")
      await input.press("Enter")
      await page.getByText("store.keepBackups was saved in the project file").waitFor()
      await page.getByRole("button", { name: "Undo" }).click()
      await page.getByText("was removed from the project file").waitFor()
      assert.equal(await input.inputValue(), "7")
      const secret = page.getByRole("textbox", { name: "store.databaseUrl" })
      assert.equal(await secret.getAttribute("type"), "password")
      assert.equal(await secret.inputValue(), "", "a secret is never sent to the page")
    },
  },
  {
    says: "[CONSOLE-9] themes and densities change at once and are remembered",
    path: "/settings",
    async walk({ page }) {
      await page.getByText("Paper").click()
      const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      assert.match(await ground(), /oklch\(0\.977/)
      await page.getByText("Compact").click()
      assert.equal(await page.evaluate(() => document.documentElement.dataset.density), "compact")
      const stored = await page.evaluate(() => localStorage.getItem("qm.look"))
      assert.equal(stored, "light,Paper,Night,compact")
    },
  },
  {
    says: "[CONSOLE-12] a read-only console changes nothing and says so",
    path: "/settings",
    state: "read-only",
    async walk({ page }) {
      await page.getByText("Read only", { exact: true }).waitFor()
      assert.equal(
        await page.getByRole("textbox", { name: "store.keepBackups" }).isDisabled(),
        true,
      )
    },
  },
  {
    says: "[CONSOLE-4] the console works in a browser that keeps nothing",
    path: "/events",
    async prepare(context) {
      await context.addInitScript(() => {
        for (const name of ["localStorage", "sessionStorage"]) {
          Object.defineProperty(window, name, {
            get() {
              throw new DOMException("refused", "SecurityError")
            },
          })
        }
      })
    },
    async walk({ page, server }) {
      await option(page, 1204).waitFor()
      server.happen(1)
      await option(page, 1205).waitFor()
    },
  },
]

function option(page: Page, seq: number) {
  return page.locator(`#event-${seq}`)
}

await using chromium = await launch()
let failures = 0
const [filter = ""] = process.argv.slice(2)
const all = [
  ...JOURNEYS,
  ...CAPTURE_JOURNEYS,
  ...MAP_JOURNEYS,
  ...MEMORY_JOURNEYS,
  ...PACK_JOURNEYS,
  ...FOLD_JOURNEYS,
  ...RUNS_JOURNEYS,
  ...RUN_JOURNEYS,
]
const chosen = all.filter((it) => `${it.path} ${it.says}`.includes(filter))
for (const journey of chosen) {
  const server = await startFakeServer({ state: journey.state ?? "populated" })
  const context = await chromium.browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  })
  const look = { theme: "Daylight", kind: "light", density: "default" } as const
  const isOurs = journey.prepare === undefined
  await journey.prepare?.(context)
  try {
    const options = { path: journey.path, ...(isOurs ? { look } : {}) }
    const page = await openPage(context, server.link, options)
    page.setDefaultTimeout(8_000)
    await journey.walk({ page, server, context })
    console.log("ok  ", journey.says)
  } catch (error) {
    failures++
    console.error("FAIL", journey.says, "\n", error)
  }
  await context.close()
  await server.stop()
}
process.exitCode = failures === 0 ? 0 : 1
