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

/** A page signed in by its link, at the fixed time of the fake world, and in one look if given. */
export async function openPage(
  context: BrowserContext,
  link: string,
  options: { path: string; look?: Look },
): Promise<Page> {
  const { path, look } = options
  if (look !== undefined) await rememberLook(context, look)
  const page = await context.newPage()
  // Timers go on, only the date stands still: two pictures differ only where the console does.
  await page.clock.setFixedTime(WORLD_NOW)
  const [origin, fragment] = link.split("/#")
  await page.goto(`${origin}${path}#${fragment}`)
  await page.waitForLoadState("networkidle")
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  return page
}

async function rememberLook(context: BrowserContext, look: Look): Promise<void> {
  const light = look.kind === "light" ? look.theme : "Daylight"
  const dark = look.kind === "dark" ? look.theme : "Night"
  // The blank page before ours has no storage.
  await context.addInitScript((value) => {
    if (window.location.protocol === "http:") localStorage.setItem("qm.look", value)
  }, [look.kind, light, dark, look.density].join(","))
}
