import { mkdir } from "node:fs/promises"
import path from "node:path"
import { launchChromium } from "../test/browser/chromium.ts"
import { DAY_SCENES, NIGHT_SCENES, openStage, type Scene } from "../test/browser/scenes.ts"

/**
 * `node scripts/shots.ts [part of a name…]`: pictures of every page of the console in every state,
 * with the repository of the browser tests, into artifacts/screenshots. A scene that fails is named
 * at the end; the others are still drawn.
 */
const FOLDER = path.join(import.meta.dirname, "../artifacts/screenshots")
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

const parts = process.argv.slice(2)
const scenes = [...DAY_SCENES, ...NIGHT_SCENES].filter(
  ({ name }) => parts.length === 0 || parts.some((it) => name.includes(it)),
)
await mkdir(FOLDER, { recursive: true })
await using chromium = await launchChromium()
await using stage = await openStage(chromium.browser)
const failures: string[] = []
for (const scene of scenes) {
  await draw(scene).catch((error: unknown) => {
    failures.push(`${scene.name}: ${error instanceof Error ? error.message : String(error)}`)
  })
}
process.stdout.write(`${scenes.length - failures.length} scenes written to ${FOLDER}\n`)
for (const it of failures) process.stderr.write(`not drawn: ${it}\n`)
process.exitCode = failures.length === 0 ? 0 : 1

async function draw(scene: Scene): Promise<void> {
  const page = await stage.enter(scene)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
      const file = `${scene.name}-${colorScheme}-${size.width}.png`
      await page.screenshot({ path: path.join(FOLDER, file) })
    }
  }
  await page.setViewportSize(SIZES[0] ?? { width: 1440, height: 900 })
}
