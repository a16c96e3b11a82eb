import { mkdir } from "node:fs/promises"
import path from "node:path"
import { setTimeout as after } from "node:timers/promises"
import type { Page } from "playwright-core"
import { launchChromium } from "../test/browser/chromium.ts"
import { DAY_SCENES, NIGHT_SCENES, openStage, type Scene } from "../test/browser/scenes.ts"

/**
 * `node scripts/shots.ts [part of a name…]`: pictures of every page of the console in every state,
 * with the repositories of the browser tests, into artifacts/screenshots. A scene that fails or
 * exceeds its limit is listed at the end; the others are still drawn.
 */
const FOLDER = path.join(import.meta.dirname, "../artifacts/screenshots")
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const
const THEMES = ["light", "dark"] as const
const STEP_LIMIT_MS = 20_000
/** The first scene of a repository also starts its server and fills it. */
const SCENE_LIMIT_MS = 120_000

const parts = process.argv.slice(2)
const scenes = [...DAY_SCENES, ...NIGHT_SCENES].filter(
  ({ name }) => parts.length === 0 || parts.some((it) => name.includes(it)),
)
const failures = await drawAll()
process.stdout.write(`${scenes.length - failures.length} scenes written to ${FOLDER}\n`)
for (const it of failures) process.stderr.write(`not drawn: ${it}\n`)
process.exitCode = failures.length === 0 ? 0 : 1

async function drawAll(): Promise<readonly string[]> {
  await mkdir(FOLDER, { recursive: true })
  await using chromium = await launchChromium()
  await using stage = await openStage(chromium.browser, { timeoutMs: STEP_LIMIT_MS })
  const failed: string[] = []
  for (const [i, scene] of scenes.entries()) {
    const startedAt = performance.now()
    const problem = await withinLimit(stage.enter(scene).then(draw(scene)))
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    process.stderr.write(`${i + 1}/${scenes.length} ${scene.name} ${seconds} s\n`)
    if (problem !== undefined) failed.push(`${scene.name}: ${problem}`)
  }
  return failed
}

async function withinLimit(drawing: Promise<void>): Promise<string | undefined> {
  const limit = new AbortController()
  try {
    const late = after(SCENE_LIMIT_MS, `no picture within ${SCENE_LIMIT_MS / 1_000} s`, limit)
    return await Promise.race([drawing.then(() => undefined), late.catch(() => undefined)])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    limit.abort()
  }
}

function draw({ name }: Scene): (page: Page) => Promise<void> {
  return async (page) => {
    for (const size of SIZES) {
      await page.setViewportSize(size)
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme })
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
        // Charts are drawn to the size that the frame before measured.
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        await page.screenshot({
          path: path.join(FOLDER, `${name}-${colorScheme}-${size.width}.png`),
        })
      }
    }
    await page.setViewportSize(SIZES[0])
  }
}
