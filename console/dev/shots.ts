import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { type Look, launch, openPage } from "./browser.ts"
import { buildGallery } from "./build-gallery.ts"
import { runId } from "./fake-runs-tables.ts"
import { startFakeServer } from "./fake-server.ts"
import type { WorldState } from "./fake-world.ts"
import { FOLD_SCENES } from "./fold-scenes.ts"
import { GATEWAY_SCENES } from "./gateway-scenes.ts"
import { KIT_SCENES } from "./kit-scenes.ts"
import { MAP_SCENES } from "./map-scenes.ts"
import { MEMORY_SCENES } from "./memory-scenes.ts"
import { PACK_SCENES } from "./pack-scenes.ts"
import { PIPELINE_SCENES } from "./pipeline-scenes.ts"

/**
 * Takes a picture of every page in every state: `node console/dev/shots.ts <folder> [filter]`.
 * To be looked at beside the mock-ups.
 */
export type Scene = {
  readonly name: string
  readonly path: string
  readonly state: WorldState
  readonly directory?: string
  act?(page: Page, server: Awaited<ReturnType<typeof startFakeServer>>): Promise<void>
}

const MEMORY = encodeURIComponent("/home/ada/code/tideline/CLAUDE.md")

const SCENES: readonly Scene[] = [
  { name: "now", path: "/", state: "populated" },
  { name: "now-empty", path: "/", state: "empty" },
  { name: "now-failing", path: "/", state: "failing" },
  { name: "now-read-only", path: "/", state: "read-only" },
  { name: "runs", path: "/runs", state: "populated" },
  { name: "runs-peek", path: `/runs?at=${runId(31)}&beside=peek`, state: "populated" },
  { name: "runs-peek-failed", path: `/runs?at=${runId(28)}&beside=peek`, state: "populated" },
  { name: "runs-new", path: "/runs?beside=new", state: "populated" },
  { name: "runs-refused", path: "/runs?beside=new", state: "populated", act: beRefusedAStart },
  { name: "runs-hostile", path: "/runs?label=hostile", state: "populated" },
  { name: "runs-nothing", path: "/runs?text=nothing+at+all", state: "populated" },
  { name: "runs-empty", path: "/runs", state: "empty" },
  { name: "runs-failing", path: "/runs", state: "failing" },
  { name: "runs-actions", path: `/runs?at=${runId(30)}`, state: "populated", act: openActions },
  { name: "runs-delete", path: `/runs?at=${runId(30)}`, state: "populated", act: askToDelete },
  { name: "runs-rename", path: `/runs?at=${runId(30)}`, state: "populated", act: askToRename },
  { name: "runs-views", path: "/runs?status=failed", state: "populated", act: openViews },
  { name: "run", path: `/runs/${runId(31)}`, state: "populated" },
  { name: "run-open", path: `/runs/${runId(31)}?at=9`, state: "populated" },
  { name: "run-raw", path: `/runs/${runId(31)}?at=9&raw=yes`, state: "populated" },
  { name: "run-find", path: `/runs/${runId(31)}?find=rounding`, state: "populated" },
  { name: "run-kinds", path: `/runs/${runId(27)}`, state: "populated" },
  { name: "run-markdown", path: `/runs/${runId(27)}?at=4`, state: "populated" },
  { name: "run-diagram", path: `/runs/${runId(26)}`, state: "populated", act: waitForDiagram },
  { name: "run-long", path: `/runs/${runId(30)}?at=50000`, state: "populated" },
  { name: "run-queued", path: `/runs/${runId(34)}`, state: "populated" },
  { name: "run-handoff", path: `/runs/${runId(31)}`, state: "populated", act: openHandoff },
  { name: "run-unknown", path: "/runs/rn_nobody", state: "populated" },
  { name: "run-read-only", path: `/runs/${runId(31)}`, state: "read-only" },
  { name: "run-failing", path: `/runs/${runId(31)}`, state: "failing" },
  { name: "approvals", path: "/runs?view=approvals", state: "populated" },
  { name: "approvals-one", path: "/runs?view=approvals&at=ap_2", state: "populated" },
  { name: "approvals-hostile", path: "/runs?view=approvals&at=ap_4", state: "populated" },
  { name: "approvals-empty", path: "/runs?view=approvals", state: "empty" },
  { name: "approvals-failing", path: "/runs?view=approvals", state: "failing" },
  { name: "permissions", path: "/runs?view=permissions", state: "populated" },
  { name: "permissions-empty", path: "/runs?view=permissions", state: "empty" },
  { name: "capture", path: "/capture", state: "populated" },
  { name: "capture-detail", path: `/capture?at=${MEMORY}&open=yes`, state: "populated" },
  { name: "capture-closed", path: `/capture?at=${MEMORY}`, state: "populated" },
  { name: "capture-item-diff", path: `/capture?at=${MEMORY}&view=diff`, state: "populated" },
  { name: "capture-raw", path: `/capture?at=${MEMORY}&view=raw`, state: "populated" },
  { name: "capture-found", path: "/capture?tab=found", state: "populated" },
  {
    name: "capture-settings",
    path: "/capture?tab=settings&at=setting%3Amodel",
    state: "populated",
  },
  { name: "capture-biggest", path: "/capture?tab=biggest", state: "populated" },
  { name: "capture-diff", path: "/capture?tab=diff", state: "populated" },
  { name: "capture-change", path: `/capture?tab=diff&at=change%3A${MEMORY}`, state: "populated" },
  { name: "capture-unasked", path: "/capture?host=codex", state: "populated" },
  { name: "capture-ask", path: "/capture?host=codex", state: "populated", act: askHost },
  { name: "capture-refused", path: "/capture?host=codex", state: "populated", act: beRefused },
  { name: "capture-nothing", path: "/capture?host=copilot", state: "populated" },
  { name: "capture-many", path: "/capture?host=gemini", state: "populated" },
  { name: "capture-never", path: "/capture?host=antigravity", state: "populated" },
  {
    name: "capture-hosts",
    path: "/capture",
    state: "populated",
    act: (page) => page.keyboard.press("h"),
  },
  {
    name: "capture-history",
    path: "/capture",
    state: "populated",
    act: (page) => page.keyboard.press("e"),
  },
  { name: "capture-agreement", path: "/capture", state: "populated", act: openAgreement },
  { name: "capture-folder", path: "/capture", state: "populated", act: openFolder },
  { name: "capture-failing", path: "/capture", state: "failing" },
  ...MAP_SCENES,
  ...MEMORY_SCENES,
  ...PACK_SCENES,
  ...FOLD_SCENES,
  ...GATEWAY_SCENES,
  ...KIT_SCENES,
  ...PIPELINE_SCENES,
  { name: "events", path: "/events", state: "populated" },
  { name: "events-detail", path: "/events?at=1195", state: "populated" },
  { name: "events-raw", path: "/events?at=1195&view=raw", state: "populated" },
  { name: "events-empty", path: "/events?text=nothing+at+all", state: "populated" },
  { name: "events-failing", path: "/events", state: "failing" },
  { name: "settings", path: "/settings", state: "populated" },
  { name: "settings-detail", path: "/settings?at=tokens.window", state: "populated" },
  { name: "settings-filter", path: "/settings?text=store", state: "read-only" },
  { name: "settings-failing", path: "/settings", state: "failing" },
  { name: "not-found", path: "/no/such/page", state: "populated" },
  { name: "palette", path: "/events", state: "populated", act: (page) => openPalette(page, "") },
  { name: "palette-query", path: "/", state: "populated", act: (page) => openPalette(page, "st") },
  { name: "palette-ask", path: "/", state: "populated", act: askTokens },
  { name: "palette-result", path: "/", state: "populated", act: countTokens },
  { name: "palette-confirm", path: "/", state: "populated", act: confirmBackup },
  {
    name: "palette-nothing",
    path: "/",
    state: "populated",
    act: (page) => openPalette(page, "zz"),
  },
  { name: "help", path: "/events", state: "populated", act: openHelp },
  { name: "toast", path: "/settings", state: "populated", act: saveSetting },
  { name: "reconnecting", path: "/events", state: "populated", act: breakOff },
  { name: "caught-up", path: "/events", state: "populated", act: catchUp },
  { name: "come-in", path: "/", state: "populated", act: leave },
]

const SIZES = [
  { name: "1440", width: 1440, height: 900, scale: 1 },
  { name: "900", width: 900, height: 800, scale: 1 },
  { name: "390", width: 390, height: 844, scale: 2 },
] as const

const LOOKS: readonly Look[] = [
  { theme: "Daylight", kind: "light", density: "default" },
  { theme: "Night", kind: "dark", density: "default" },
]

async function beRefusedAStart(page: Page): Promise<void> {
  await page.getByLabel("What shall it do?").fill("Read what is in etc")
  await page.getByText("Copilot", { exact: true }).click()
  await page.getByLabel("Budget in USD").fill("-2")
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByLabel("Budget in USD").fill("2")
  await page.getByLabel("Directory").fill("/etc")
  await page.getByRole("button", { name: "Start" }).click()
  await page.getByRole("alert").waitFor()
}

async function waitForDiagram(page: Page): Promise<void> {
  await page.locator("figure img").waitFor()
}

async function openHandoff(page: Page): Promise<void> {
  await page.keyboard.press("h")
  await page.getByRole("dialog").waitFor()
}

async function openActions(page: Page): Promise<void> {
  await page.keyboard.press(".")
  await page.getByRole("menu").waitFor()
}

async function askToDelete(page: Page): Promise<void> {
  await openActions(page)
  await page.getByRole("menuitemradio", { name: /^Delete/ }).click()
  await page.getByRole("dialog").waitFor()
}

async function askToRename(page: Page): Promise<void> {
  await page.keyboard.press("e")
  await page.getByRole("dialog").waitFor()
}

async function openViews(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Views" }).click()
  await page.getByRole("menu").waitFor()
}

async function openPalette(page: Page, query: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill(query)
}

async function askTokens(page: Page): Promise<void> {
  await openPalette(page, "count tokens")
  await page.keyboard.press("Enter")
  await page.keyboard.type("CLAUDE.md")
  await page.keyboard.press("Enter")
}

async function countTokens(page: Page): Promise<void> {
  await askTokens(page)
  for (const path of ["docs/conventions.md", "src/tariff/rounding.ts"]) {
    await page.keyboard.type(path)
    await page.keyboard.press("Enter")
  }
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await page.getByText("tokens, ").waitFor()
}

async function confirmBackup(page: Page): Promise<void> {
  await openPalette(page, "backup")
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await page.keyboard.type("7")
  await page.keyboard.press("Enter")
}

async function askHost(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Ask the host" }).last().click()
  await page.getByRole("dialog").waitFor()
}

async function beRefused(page: Page): Promise<void> {
  await askHost(page)
  await page.getByRole("dialog").getByRole("button", { name: "Ask the host" }).click()
  await page.getByRole("button", { name: "Ask anyway" }).waitFor()
}

async function openAgreement(page: Page): Promise<void> {
  await page.getByRole("button", { name: /observed/ }).click()
  await page.getByRole("dialog").waitFor()
}

async function openFolder(page: Page): Promise<void> {
  await page.getByRole("option", { name: /Descriptions of 6 skills/ }).click()
  await page
    .getByRole("option", { name: /tariff-review/ })
    .first()
    .waitFor()
}

async function openHelp(page: Page): Promise<void> {
  await page.keyboard.press("?")
  await page.getByRole("dialog").waitFor()
}

async function saveSetting(page: Page): Promise<void> {
  const input = page.getByRole("textbox", { name: "store.keepBackups" })
  await input.fill("21")
  await input.press("Enter")
  await page.getByText("was saved in").waitFor()
}

async function breakOff(page: Page, server: Server): Promise<void> {
  server.breakOff()
  await page.getByText("Reconnecting").waitFor()
}

async function catchUp(page: Page, server: Server): Promise<void> {
  server.breakOff()
  await page.getByText("Reconnecting").waitFor()
  server.happen(31)
  server.letIn()
  await page
    .getByText("Reconnecting")
    .click()
    .catch(() => undefined)
  await page.getByText("Caught up, 31 events").waitFor()
}

async function leave(page: Page): Promise<void> {
  await page.context().clearCookies()
  await page.reload()
  await page.getByText("qm open").first().waitFor()
}

type Server = Awaited<ReturnType<typeof startFakeServer>>

async function shoot(browser: Browser, scene: Scene, folder: string): Promise<void> {
  for (const size of SIZES) {
    for (const look of LOOKS) {
      const { state, directory } = scene
      const server = await startFakeServer({ state, ...(directory && { directory }) })
      const context = await browser.newContext({
        viewport: { width: size.width, height: size.height },
        deviceScaleFactor: size.scale,
        reducedMotion: "reduce",
      })
      const page = await openPage(context, server.link, { path: scene.path, look })
      page.setDefaultTimeout(5_000)
      await scene.act?.(page, server).catch((error: unknown) => console.error(scene.name, error))
      await page.waitForTimeout(150)
      await page.screenshot({ path: join(folder, `${scene.name}-${look.kind}-${size.name}.png`) })
      await context.close()
      await server.stop()
    }
  }
}

const [folder = "shots", filter = ""] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
await using chromium = await launch()
await using gallery = await buildGallery()
const parts: Scene = { name: "parts", path: "/", state: "populated", directory: gallery.directory }
for (const scene of [...SCENES, parts].filter((it) => it.name.includes(filter))) {
  await shoot(chromium.browser, scene, folder)
}
