import axe from "axe-core"
import type { Browser, Page } from "playwright-core"
import { cssProperties, deriveTokens } from "../src/app/theme/derive.ts"
import { kindOf, THEMES } from "../src/app/theme/themes.ts"
import { auditPage } from "./audit.ts"
import { launch, openPage } from "./browser.ts"
import { buildGallery } from "./build-gallery.ts"
import { TASK } from "./fake-pack.ts"
import { runId } from "./fake-runs-tables.ts"
import { startFakeServer } from "./fake-server.ts"
import type { WorldState } from "./fake-world.ts"
import { GATEWAY_SCENES } from "./gateway-scenes.ts"
import {
  CLAIM,
  DECISION,
  DENIED,
  HELD,
  HOSTILE_VERDICT,
  LIVE_SESSION,
  LOGGED_SESSION,
  TRYING,
} from "./kit-scenes.ts"
import { unseenFaults } from "./self-test.ts"
import { walkByTab } from "./walk.ts"

/**
 * Looks at every page as a reader would: `node console/dev/check.ts [filter]` after `vite build`. Every theme
 * and density by the audit, axe in light and dark, a walk by Tab, and nothing that the policy
 * refuses. Exits 1 with what was found.
 */
type Scene = {
  readonly path: string
  readonly state: WorldState
  readonly keys?: readonly string[]
  /** The button that is pressed first. */
  readonly press?: RegExp
  /** What comes up; a dialog unless said. */
  readonly floats?: "dialog" | "menu"
  /** Another build than the console: the gallery of parts. */
  readonly directory?: string
}

const MEMORY = encodeURIComponent("/home/ada/code/tideline/CLAUDE.md")

const OPEN = "open=src&open=src%2Ftariff%2Fsurcharges&open=src%2Ftariff"
const FILE = encodeURIComponent("src/tariff/rounding.ts")
const SYMBOL = encodeURIComponent("src/tariff/rounding.ts#roundLine")

const PACK = `/pack?task=${encodeURIComponent(TASK)}&role=backend&pin=${FILE}`

const SCENES: readonly Scene[] = [
  { path: "/", state: "populated" },
  { path: "/", state: "empty" },
  { path: "/", state: "failing" },
  { path: "/", state: "read-only" },
  { path: "/runs", state: "populated" },
  { path: "/runs", state: "empty" },
  { path: "/runs", state: "failing" },
  { path: `/runs?at=${runId(31)}&beside=peek`, state: "populated" },
  { path: "/runs?beside=new", state: "populated" },
  { path: "/runs?text=nothing", state: "populated" },
  { path: `/runs?at=${runId(30)}`, state: "populated", keys: ["e"], floats: "dialog" },
  { path: "/runs?view=approvals&at=ap_2", state: "populated" },
  { path: "/runs?view=approvals", state: "empty" },
  { path: "/runs?view=permissions", state: "populated" },
  { path: "/runs?view=permissions", state: "populated", press: /Trust/, floats: "dialog" },
  { path: "/runs?view=permissions", state: "read-only" },
  { path: `/runs/${runId(31)}`, state: "populated" },
  { path: `/runs/${runId(31)}`, state: "populated", keys: ["."], floats: "menu" },
  { path: `/runs/${runId(31)}?at=9&raw=yes`, state: "populated" },
  { path: `/runs/${runId(31)}`, state: "read-only" },
  { path: `/runs/${runId(27)}`, state: "populated" },
  { path: `/runs/${runId(30)}?at=50000`, state: "populated" },
  { path: `/runs/${runId(34)}`, state: "populated" },
  { path: `/runs/${runId(31)}`, state: "failing" },
  { path: `/runs/${runId(31)}`, state: "populated", keys: ["h"], floats: "dialog" },
  { path: "/runs/rn_nobody", state: "populated" },
  { path: "/capture", state: "populated" },
  { path: "/capture", state: "empty" },
  { path: "/capture", state: "failing" },
  { path: `/capture?at=${MEMORY}&open=yes`, state: "populated" },
  { path: `/capture?at=${MEMORY}`, state: "read-only" },
  { path: `/capture?at=${MEMORY}&view=diff`, state: "populated" },
  { path: `/capture?at=${MEMORY}&view=raw`, state: "populated" },
  { path: "/capture?tab=found", state: "populated" },
  { path: "/capture?tab=settings&at=setting%3Amodel", state: "populated" },
  { path: "/capture?tab=biggest&at=duplicate%3A0", state: "populated" },
  { path: `/capture?tab=diff&at=change%3A${MEMORY}`, state: "populated" },
  { path: "/capture?host=codex", state: "populated" },
  { path: "/capture?host=copilot", state: "populated" },
  { path: "/capture?host=gemini", state: "populated" },
  { path: "/capture?host=codex", state: "populated", keys: ["a"], floats: "dialog" },
  { path: "/capture", state: "populated", press: /observed/, floats: "dialog" },
  { path: "/capture", state: "populated", keys: ["h"], floats: "menu" },
  { path: "/capture", state: "populated", keys: ["e"], floats: "menu" },
  { path: `/map?${OPEN}`, state: "populated" },
  { path: `/map?${OPEN}&show=${FILE}`, state: "populated" },
  { path: `/map?${OPEN}&show=${SYMBOL}`, state: "populated" },
  { path: "/map?open=data&open=data%2Fstations", state: "populated" },
  { path: "/map?text=rounding+of+cents", state: "populated" },
  { path: "/map?show=no%2Fsuch.ts", state: "populated" },
  { path: "/map", state: "empty" },
  { path: "/map", state: "failing" },
  { path: "/memory", state: "populated" },
  { path: "/memory?show=mem_01halfcents", state: "populated" },
  { path: "/memory?at=mem_07hostile&show=mem_07hostile", state: "populated" },
  { path: "/memory?show=mem_02stations", state: "read-only" },
  { path: "/memory?text=rounding+line&show=mem_03blog", state: "populated" },
  { path: "/memory?kind=term&state=stale", state: "populated" },
  { path: "/memory?add=yes", state: "populated" },
  { path: "/memory?show=mem_05berth", state: "populated", keys: ["x"], floats: "dialog" },
  { path: "/memory", state: "empty" },
  { path: "/memory", state: "failing" },
  { path: "/guard", state: "populated" },
  { path: DENIED, state: "populated" },
  { path: HELD, state: "read-only" },
  { path: HOSTILE_VERDICT, state: "populated" },
  { path: TRYING, state: "populated" },
  { path: "/guard?verdict=deny&session=x", state: "populated" },
  { path: "/guard", state: "empty" },
  { path: "/guard", state: "failing" },
  { path: "/sessions", state: "populated" },
  { path: LIVE_SESSION, state: "populated" },
  { path: LOGGED_SESSION, state: "populated" },
  { path: CLAIM, state: "populated" },
  { path: CLAIM, state: "populated", keys: ["x"], floats: "dialog" },
  { path: "/sessions?tab=claims", state: "empty" },
  { path: "/sessions?show=nobody", state: "populated" },
  { path: "/sessions", state: "failing" },
  { path: DECISION, state: "populated" },
  { path: "/decisions?add=yes", state: "populated" },
  { path: "/decisions", state: "empty" },
  { path: "/decisions", state: "failing" },
  { path: `${PACK}&at=${FILE}`, state: "populated" },
  { path: `${PACK}&at=${FILE}&pane=chosen&drop=docs/tariffs.md&tab=json`, state: "populated" },
  { path: `${PACK}&at=${FILE}&pane=preview`, state: "read-only" },
  { path: `${PACK}&budget=20`, state: "populated" },
  { path: "/pack?task=everything&turned=group%3Abelow", state: "populated" },
  { path: "/pack?task=nothing", state: "populated" },
  { path: "/pack?id=pk_3", state: "populated" },
  { path: "/pack", state: "populated" },
  { path: "/pack", state: "empty" },
  { path: "/pack", state: "failing" },
  { path: PACK, state: "failing" },
  { path: "/pack?compare=yes&from=pk_1", state: "populated" },
  { path: "/folds", state: "populated" },
  { path: "/folds?at=fb_01callers&show=fb_01callers", state: "populated" },
  { path: "/folds?show=fb_01callers&tab=trail&step=2", state: "populated" },
  { path: "/folds?show=fb_07october&tab=prompt", state: "populated" },
  { path: "/folds?show=fb_10hostile", state: "populated" },
  { path: "/folds?show=fb_05currencies&tab=restored", state: "populated" },
  { path: "/folds?all=yes&closed=session+s-claude-31", state: "populated" },
  { path: "/folds?text=cent", state: "populated" },
  { path: "/folds?text=zzz&show=fb_nobody", state: "populated" },
  { path: "/folds", state: "empty" },
  { path: "/folds", state: "failing" },
  ...GATEWAY_SCENES.map(({ path, state }) => ({ path, state })),
  { path: "/pipelines", state: "populated" },
  { path: "/pipelines?add=yes&start=berth-review", state: "populated" },
  { path: "/pipelines?text=zzz", state: "populated" },
  { path: "/pipelines", state: "empty" },
  { path: "/pipelines", state: "failing" },
  { path: "/pipelines/p-12", state: "populated" },
  { path: "/pipelines/p-12?at=1.1&turned=0.1", state: "read-only" },
  { path: "/pipelines/p-12", state: "populated", keys: ["r"], floats: "dialog" },
  { path: "/pipelines/p-13?at=4.1&turned=note-52", state: "populated" },
  { path: "/pipelines/p-11?turned=3.1", state: "populated" },
  { path: "/pipelines/p-9", state: "populated" },
  { path: "/pipelines/p-8", state: "populated" },
  { path: "/pipelines/p-7", state: "populated" },
  { path: "/pipelines/p-12?compare=yes&other=p-11", state: "populated" },
  { path: "/pipelines/p-99", state: "populated" },
  { path: "/pipelines/p-12", state: "failing" },
  { path: "/agents?at=deep-research&show=deep-research", state: "populated" },
  { path: "/agents?show=deep-research&tab=prompts", state: "populated" },
  { path: "/agents?show=deep-research&tab=runs", state: "populated" },
  { path: "/agents?show=berth-review", state: "populated" },
  { path: "/agents?show=tariff-check", state: "populated" },
  { path: "/agents", state: "failing" },
  { path: "/knowledge", state: "populated" },
  {
    path: "/knowledge?text=arrival&hops=yes&at=kp_arrival42&show=kp_arrival42",
    state: "populated",
  },
  { path: "/knowledge?document=kd_handbook&at=kd_handbook", state: "populated" },
  { path: "/knowledge?show=kp_guide1", state: "populated" },
  { path: "/knowledge?add=yes", state: "populated" },
  { path: "/knowledge?text=zzz&show=kp_nobody", state: "populated" },
  { path: "/knowledge", state: "empty" },
  { path: "/knowledge", state: "failing" },
  { path: "/events", state: "populated" },
  { path: "/events?at=1195", state: "populated" },
  { path: "/events?at=1195&view=raw", state: "populated" },
  { path: "/events?text=nothing", state: "populated" },
  { path: "/settings", state: "populated" },
  { path: "/settings?at=tokens.window", state: "read-only" },
  { path: "/settings", state: "failing" },
  { path: "/no/such/page", state: "populated" },
  { path: "/", state: "populated", keys: ["Control+k"] },
  { path: "/events", state: "populated", keys: ["?"] },
]
const SIZES = [
  [1440, 900],
  [900, 800],
  [390, 844],
] as const
const DENSITIES = ["compact", "default", "roomy"] as const

const problems: string[] = []
const seen = { audits: 0, texts: 0, rows: 0, stops: 0, lowest: 21 }

async function checkScene(browser: Browser, scene: Scene): Promise<void> {
  for (const [width, height] of SIZES) {
    const where = `${scene.directory === undefined ? "" : "parts "}${scene.path} ${scene.state} ${(scene.keys ?? []).join("")} ${width}`
    const server = await startFakeServer({
      state: scene.state,
      ...(scene.directory === undefined ? {} : { directory: scene.directory }),
    })
    const context = await browser.newContext({
      viewport: { width, height },
      reducedMotion: "reduce",
    })
    const look = { theme: "Daylight", kind: "light", density: "default" } as const
    context.on("weberror", (it) => problems.push(`${where}: ${it.error().message}`))
    context.on("console", (it) => {
      if (/Content Security Policy|TrustedScript/i.test(it.text())) {
        problems.push(`${where}: ${it.text()}`)
      }
    })
    const page = await openPage(context, server.link, { path: scene.path, look })
    for (const key of scene.keys ?? []) await page.keyboard.press(key)
    if (scene.press !== undefined) {
      await page.getByRole("button", { name: scene.press }).first().click()
    }
    const isFloating = scene.keys !== undefined || scene.press !== undefined
    if (isFloating) await page.getByRole(scene.floats ?? "dialog").waitFor()
    await auditLooks(page, where)
    if (!isFloating && width === 1440) await walk(page, where)
    await context.close()
    await server.stop()
  }
}

async function auditLooks(page: Page, where: string): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate(
      ({ kind, properties }) => {
        document.documentElement.dataset.theme = kind
        for (const [name, value] of properties) {
          document.documentElement.style.setProperty(name, value)
        }
      },
      { kind: kindOf(theme), properties: cssProperties(deriveTokens(theme)) },
    )
    for (const density of DENSITIES) {
      await page.evaluate((it) => {
        document.documentElement.dataset.density = it
      }, density)
      const audit = await auditPage(page)
      seen.audits++
      seen.texts += audit.texts
      seen.rows += audit.rows
      seen.lowest = Math.min(seen.lowest, audit.lowestContrast)
      if (audit.texts === 0) problems.push(`${where}: the audit saw no text`)
      for (const { rule, where: what, says } of audit.findings) {
        problems.push(`${where} ${theme.name} ${density}: ${rule} ${what} ${says}`)
      }
    }
    if (theme.name === "Daylight" || theme.name === "Night") await runAxe(page, where)
  }
}

async function runAxe(page: Page, where: string): Promise<void> {
  await page.evaluate(axe.source)
  const violations: { id: string; impact: string; nodes: { html: string }[] }[] =
    await page.evaluate("axe.run(document).then((it) => it.violations)")
  for (const { id, impact, nodes } of violations) {
    const isSerious = impact === "serious" || impact === "critical"
    if (isSerious) problems.push(`${where}: axe ${id} ${nodes[0]?.html.slice(0, 160)}`)
  }
}

async function walk(page: Page, where: string): Promise<void> {
  const { stops, traps, missed } = await walkByTab(page)
  seen.stops += stops
  if (stops < 3) problems.push(`${where}: only ${stops} stops by Tab`)
  for (const it of traps) problems.push(`${where}: the focus is trapped at ${it}`)
  for (const it of missed) problems.push(`${where}: Tab never reaches ${it}`)
}

await using chromium = await launch()
for (const rule of await unseenFaults(chromium.browser)) {
  problems.push(`the audit does not see a fault of ${rule}`)
}
await using gallery = await buildGallery()
const parts: Scene = { path: "/", state: "populated", directory: gallery.directory }
const [filter = ""] = process.argv.slice(2)
for (const scene of [...SCENES, parts].filter((it) => nameOf(it).includes(filter))) {
  await checkScene(chromium.browser, scene)
}

function nameOf({ path, state, keys = [], floats }: Scene): string {
  return [path, state, ...keys, floats ?? ""].join(" ")
}

const unique = [...new Set(problems)]
console.log(
  `${seen.audits} audits, ${seen.texts} texts, ${seen.rows} rows, ${seen.stops} stops by Tab, lowest contrast ${seen.lowest.toFixed(2)}`,
)
for (const it of unique.slice(0, 100)) console.error(it)
if (unique.length > 0) {
  console.error(`${unique.length} problems`)
  process.exitCode = 1
}
