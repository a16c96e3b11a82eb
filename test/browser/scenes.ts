import type { Page } from "playwright-core"
import { settle } from "./visit.ts"
import type { World } from "./world.ts"

export type Scene = {
  readonly name: string
  readonly path: string
  act?(page: Page): Promise<void>
}

/** Every page of the console in the states that a picture can show. */
export const SCENES: readonly Scene[] = [
  { name: "now", path: "/" },
  { name: "capture-none", path: "/capture?host=antigravity" },
  { name: "guard-none", path: "/guard" },
  { name: "guard-try", path: "/guard?try=yes" },
  { name: "claims-none", path: "/sessions?tab=claims" },
  { name: "decisions-none", path: "/decisions" },
  { name: "events", path: "/events" },
  { name: "event", path: "/events?at=3" },
  { name: "events-none", path: "/events?text=nothing+like+this" },
  { name: "settings", path: "/settings" },
  { name: "setting", path: "/settings?at=tokens.window" },
  { name: "not-found", path: "/no/such/page" },
  { name: "palette", path: "/events", act: (page) => openPalette(page, "store") },
  { name: "confirm", path: "/", act: confirmBackup },
  { name: "help", path: "/events", act: openHelp },
]

/** In the window that is open, so that a scene costs a page and not a browser. */
export async function enterScene(page: Page, world: World, scene: Scene): Promise<void> {
  await page.goto(`${world.url}${scene.path}`)
  await settle(page)
  await scene.act?.(page)
}

async function openPalette(page: Page, query: string): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill(query)
  await page.getByRole("option").first().waitFor()
}

async function confirmBackup(page: Page): Promise<void> {
  await openPalette(page, "store.backup")
  await page.keyboard.press("Enter")
  await page.keyboard.press("Enter")
  await page.keyboard.type("9")
  await page.keyboard.press("Enter")
  await page.getByText("This writes, with keep 9").waitFor()
}

async function openHelp(page: Page): Promise<void> {
  await page.keyboard.press("?")
  await page.getByRole("dialog").getByText("Pause or follow").waitFor()
  await page.getByRole("dialog").locator("kbd").first().waitFor()
}
