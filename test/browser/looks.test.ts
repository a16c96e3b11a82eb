import { mkdir } from "node:fs/promises"
import path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { launchChromium } from "./chromium.ts"
import { auditPage, RULES_OF_COLOUR, seriousFindings } from "./looking.ts"
import { enterScene, SCENES } from "./scenes.ts"
import { type Visit, visit } from "./visit.ts"
import { startWorld, type World } from "./world.ts"

const THEMES = ["light", "dark"] as const
const DENSITIES = ["compact", "default", "roomy"] as const
const isNight = process.env["QM_NIGHT"] === "1"

/** Wide and narrow are pictured; at night all of them, by day what a reviewer looks at first. */
const ALL_SIZES = [
  { width: 1440, height: 900, scale: 1, isPictured: true },
  { width: 900, height: 800, scale: 1, isPictured: false },
  { width: 390, height: 844, scale: 2, isPictured: isNight },
] as const
/** What holds when wide and narrow holds in between; at night it is looked at too. */
const SIZES = ALL_SIZES.filter((it) => isNight || it.width !== 900)

const PICTURES = path.join(import.meta.dirname, "../../artifacts/screenshots")

let chromium: Awaited<ReturnType<typeof launchChromium>>
let world: World

beforeAll(async () => {
  ;[chromium, world] = await Promise.all([launchChromium(), startWorld({ backups: 6 })])
  await world.qm(["config", "set", "tokens.window", "64000"])
  await mkdir(PICTURES, { recursive: true })
})
afterAll(async () => {
  await chromium[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

describe.each(SIZES)("at $width pixels", ({ width, height, scale, isPictured }) => {
  let window: Visit
  beforeAll(async () => {
    const size = { viewport: { width, height }, deviceScaleFactor: scale }
    window = await visit(chromium.browser, world, size)
  })
  afterAll(() => window[Symbol.asyncDispose]())

  test.each(SCENES)(
    "[CONSOLE-9] $name is readable in both themes and three densities",
    async (scene) => {
      const { page } = window
      await page.emulateMedia({ colorScheme: "light" })
      await enterScene(page, world, scene)
      const faults: string[] = []
      for (const theme of THEMES) {
        await showTheme(page, theme)
        for (const density of densitiesIn(theme)) {
          await page.evaluate(`document.documentElement.dataset.density = "${density}"`)
          const { findings, texts } = await auditPage(page)
          if (texts < 5) faults.push(`${theme} ${density}: the audit saw ${texts} texts`)
          faults.push(
            ...findings.map((it) => `${theme} ${density}: ${it.rule} ${it.where} ${it.says}`),
          )
        }
        await page.evaluate('document.documentElement.dataset.density = "default"')
        if (isPictured) {
          await page.screenshot({
            path: path.join(PICTURES, `${scene.name}-${theme}-${width}.png`),
          })
        }
        if (width === 1440) {
          const rules = theme === "light" ? undefined : RULES_OF_COLOUR
          faults.push(...(await seriousFindings(page, rules)).map((it) => `${theme}: ${it}`))
        }
      }
      expect(faults).toEqual([])
    },
  )

  test("[TB11] the policy, the console and the network had nothing to say", () => {
    expect(window.problems()).toEqual([])
  })
})

/** What lies on what does not depend on the colours: by day the densities are looked at in one. */
function densitiesIn(theme: "light" | "dark"): readonly string[] {
  return isNight || theme === "light" ? DENSITIES : ["default"]
}

/** As the machine would: the console follows the system's theme. */
async function showTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-theme=${theme}]`).waitFor()
}
