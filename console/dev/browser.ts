import chromium from "@sparticuz/chromium"
import { type BrowserContext, type Page, chromium as playwright } from "playwright-core"
import { WORLD_NOW } from "./fake-world.ts"

/** Chromium of the development packages, headless, without any connection of its own. */
export async function launch() {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter(
        (it) => !it.startsWith("--headless") && !it.includes("single-process"),
      ),
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--font-render-hinting=none",
    ],
  })
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close()
    },
  }
}

export type Look = {
  readonly theme: string
  readonly kind: "light" | "dark"
  readonly density: "compact" | "default" | "roomy"
}

/** A page signed in by its link, in one look, at the fixed time of the fake world. */
export async function openPage(
  context: BrowserContext,
  link: string,
  options: { path: string; look: Look },
): Promise<Page> {
  const { path, look } = options
  const stored = `${look.kind},${look.kind === "light" ? look.theme : "Daylight"},${look.kind === "dark" ? look.theme : "Night"},${look.density}`
  await context.addInitScript((value) => localStorage.setItem("qm.look", value), stored)
  const page = await context.newPage()
  await page.clock.setFixedTime(WORLD_NOW)
  const [origin, fragment] = link.split("/#")
  await page.goto(`${origin}${path}#${fragment}`)
  await page.waitForLoadState("networkidle")
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  return page
}
