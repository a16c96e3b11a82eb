import type { Page, Response } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { measureFirstLoad } from "./first-load.ts"
import { auditPage, RULES_OF_COLOUR, seriousFindings, walkByTab } from "./page-audit.ts"
import { DAY_SCENES, NIGHT_SCENES, openStage, pathOf, type Scene } from "./scenes.ts"

const THEMES = ["light", "dark"] as const
const DENSITIES = ["compact", "default", "roomy"] as const
const FIRST = new Set(["now", "run", "pack", "pipeline-done"])
const SCENES = isNight() ? [...DAY_SCENES, ...NIGHT_SCENES] : DAY_SCENES

/** The day run checks the widest and the narrowest size; the night run checks those between. */
const SIZES = [
  { width: 1440, height: 900 },
  ...(isNight() ? [{ width: 900, height: 800 }] : []),
  { width: 390, height: 844 },
]

const ARRIVALS = SCENES.filter(
  (it) => it.on === "seeded" && it.act === undefined && (isNight() || FIRST.has(it.name)),
)
const LARGEST_FIRST_LOAD_BYTES = 250_000
/** The browser vendors' limit for a good layout shift; late numbers move the content below them. */
const MOST_SHIFT = 0.1

let chromium: Awaited<ReturnType<typeof launchChromium>>
let stage: Awaited<ReturnType<typeof openStage>>
const answers: Promise<string | undefined>[] = []

beforeAll(async () => {
  chromium = await launchChromium()
  stage = await openStage(chromium.browser)
  stage.onContext((context) => context.on("response", (it) => void answers.push(faultIn(it))))
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await chromium[Symbol.asyncDispose]()
})

describe("pages of the seeded repository", () => {
  test.each(SCENES)(
    "$name is readable at each width, in both themes and three densities",
    async (scene) => {
      const page = await enter(scene)
      const faults: string[] = []
      for (const size of SIZES) {
        await page.setViewportSize(size)
        for (const theme of THEMES) {
          const found = await findingsIn(page, theme, size.width)
          faults.push(...found.map((it) => `${size.width} ${theme}: ${it}`))
        }
      }
      expect(faults).toEqual([])
    },
  )

  const walked = isNight() ? SCENES.filter((it) => it.act === undefined) : []
  test.each(walked)(
    "[CONSOLE-2] Tab reaches every control on $name and is never trapped",
    async (scene) => {
      const { stops, traps, missed } = await walkByTab(await enter(scene))
      expect({ traps, missed }).toEqual({ traps: [], missed: [] })
      expect(stops).toBeGreaterThan(2)
    },
  )

  test.each(ARRIVALS)(
    "a first visit to $name is small and has little layout shift",
    async (scene) => {
      const address = pathOf(scene, stage.seed)
      const load = await measureFirstLoad(chromium.browser, stage.fixture, address)
      expect(load.files).toBeGreaterThan(3)
      expect(load.bytes).toBeLessThan(LARGEST_FIRST_LOAD_BYTES)
      expect(load.withSchemaLibrary).toEqual([])
      expect(load.shift).toBeLessThan(MOST_SHIFT)
    },
  )

  test("[CONSOLE-23] every response to these pages matches the contract", async () => {
    const faults = await Promise.all(answers)
    expect(faults.filter((it) => it !== undefined)).toEqual([])
    expect(faults.length).toBeGreaterThan(SCENES.length)
  })

  test("[TB11] no page caused a CSP violation, console message or failed request", async () => {
    expect(await stage.problems()).toEqual([])
  })
})

test("the audit detects a fault of each kind", async () => {
  const page = await chromium.browser.newPage({ viewport: { width: 800, height: 600 } })
  await page.setContent(FAULTY)
  const { findings } = await auditPage(page)
  await page.close()
  expect(new Set(findings.map((it) => it.rule))).toEqual(
    new Set(["contrast", "row-height", "overlap", "cut", "sideways"]),
  )
})

const FAULTY = `<!doctype html><html lang="en"><body>
  <p style="color: #999; background: #fff">too pale</p>
  <div data-row style="height: 10px; font-size: 20px; line-height: 30px">
    <span>too</span><span>high</span></div>
  <div data-row style="display: grid; grid-template-columns: 20px 60px; white-space: nowrap">
    <span style="width: 80px">one long cell</span><span style="width: 80px">two</span></div>
  <div style="width: 60px; overflow: hidden; white-space: nowrap">
    this sentence leaves its box without saying so</div>
  <div style="width: 3000px">wide</div></body></html>`

async function enter(scene: Scene): Promise<Page> {
  const page = await stage.enter(scene)
  await page.setViewportSize({ width: 1440, height: 900 })
  return page
}

async function findingsIn(page: Page, theme: (typeof THEMES)[number], width: number) {
  // The console follows the system's theme.
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
  const faults: string[] = []
  for (const density of densitiesIn(theme)) {
    await page.evaluate(`document.documentElement.dataset.density = "${density}"`)
    const { findings, texts } = await auditPage(page)
    if (texts < 5) faults.push(`${density}: the audit saw ${texts} texts`)
    faults.push(...findings.map((it) => `${density}: ${it.rule} ${it.where} ${it.says}`))
  }
  await page.evaluate('document.documentElement.dataset.density = "default"')
  // The elements are the same at each width and in both themes, so one of each is enough.
  if (width !== 1440) return faults
  if (theme === "light") return [...faults, ...(await seriousFindings(page, axeRules()))]
  return isNight()
    ? [...faults, ...(await seriousFindings(page, { only: RULES_OF_COLOUR }))]
    : faults
}

/** Our own audit measures the contrast of every text, in a tenth of axe's time. */
function axeRules(): { without: readonly string[] } | undefined {
  return isNight() ? undefined : { without: RULES_OF_COLOUR }
}

/** Overlaps do not depend on colours, so the day run checks the densities in one theme. */
function densitiesIn(theme: (typeof THEMES)[number]): readonly string[] {
  return isNight() || theme === "light" ? DENSITIES : ["default"]
}

async function faultIn(response: Response): Promise<string | undefined> {
  const name = new URL(response.url()).pathname.replace(/^\/api\//, "").replace("/", ".")
  const operation = Object.entries(OPERATIONS).find(([it]) => it === name)?.[1]
  if (operation === undefined || !response.ok()) return undefined
  // The page navigated before the body arrived.
  const body = await response.json().catch(() => undefined)
  if (body === undefined) return undefined
  const { error } = operation.output.safeParse(body)
  return error === undefined ? undefined : `${name}: ${error.message}`
}
