import type { Page, Response } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { isNight } from "#test/seed"
import { launchChromium } from "./chromium.ts"
import { measureFirstLoad } from "./first-load.ts"
import { auditPage, RULES_OF_COLOUR, seriousFindings, walkByTab } from "./looking.ts"
import { DAY_SCENES, NIGHT_SCENES, openStage, pathOf, type Scene } from "./scenes.ts"

const THEMES = ["light", "dark"] as const
const DENSITIES = ["compact", "default", "roomy"] as const
const FIRST = new Set(["now", "run", "pack", "pipeline-done"])
const SCENES = isNight() ? [...DAY_SCENES, ...NIGHT_SCENES] : DAY_SCENES

/** What holds when wide and narrow holds in between; at night it is looked at too. */
const SIZES = [
  { width: 1440, height: 900 },
  ...(isNight() ? [{ width: 900, height: 800 }] : []),
  { width: 390, height: 844 },
]

/** Where a person may arrive first. */
const ARRIVALS = SCENES.filter(
  (it) => it.on === "seeded" && it.act === undefined && (isNight() || FIRST.has(it.name)),
)
const LARGEST_FIRST_LOAD_BYTES = 250_000
/** What the browsers' makers call good; figures that come later move what is below them. */
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

describe("on the seeded repository", () => {
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
    "[CONSOLE-2] Tab reaches everything on $name and is caught nowhere",
    async (scene) => {
      const { stops, traps, missed } = await walkByTab(await enter(scene))
      expect({ traps, missed }).toEqual({ traps: [], missed: [] })
      expect(stops).toBeGreaterThan(2)
    },
  )

  test.each(ARRIVALS)(
    "a first visit to $name is small, and hardly anything moves once it is there",
    async (scene) => {
      const address = pathOf(scene, stage.seed)
      const load = await measureFirstLoad(chromium.browser, stage.world, address)
      expect(load.files).toBeGreaterThan(3)
      expect(load.bytes).toBeLessThan(LARGEST_FIRST_LOAD_BYTES)
      expect(load.withSchemaLibrary).toEqual([])
      expect(load.shift).toBeLessThan(MOST_SHIFT)
    },
  )

  test("[CONSOLE-23] every answer that these pages got is one that the contract allows", async () => {
    const faults = await Promise.all(answers)
    expect(faults.filter((it) => it !== undefined)).toEqual([])
    expect(faults.length).toBeGreaterThan(SCENES.length)
  })

  test("[TB11] the policy, the console and the network had nothing to say", async () => {
    expect(await stage.problems()).toEqual([])
  })
})

test("the audit sees a fault of each kind", async () => {
  const page = await chromium.browser.newPage({ viewport: { width: 800, height: 600 } })
  await page.setContent(FAULTY)
  const { findings } = await auditPage(page)
  await page.close()
  expect(new Set(findings.map((it) => it.rule))).toEqual(
    new Set(["contrast", "row-height", "overlap", "cut", "sideways"]),
  )
})

/** A page with one fault of each kind. */
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
  // As the machine would: the console follows the system's theme.
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
  // The same elements at each width: once is enough.
  if (width !== 1440) return faults
  return [
    ...faults,
    ...(await seriousFindings(page, theme === "light" ? undefined : RULES_OF_COLOUR)),
  ]
}

/** What lies on what does not depend on the colours: by day the densities are looked at in one. */
function densitiesIn(theme: (typeof THEMES)[number]): readonly string[] {
  return isNight() || theme === "light" ? DENSITIES : ["default"]
}

/** What the contract refuses in an answer of an operation. */
async function faultIn(response: Response): Promise<string | undefined> {
  const name = new URL(response.url()).pathname.replace(/^\/api\//, "").replace("/", ".")
  const operation = Object.entries(OPERATIONS).find(([it]) => it === name)?.[1]
  if (operation === undefined || !response.ok()) return undefined
  // The page went on before the body was there.
  const body = await response.json().catch(() => undefined)
  if (body === undefined) return undefined
  const { error } = operation.output.safeParse(body)
  return error === undefined ? undefined : `${name}: ${error.message}`
}
