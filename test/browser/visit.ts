import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import type { ConsoleFixture } from "./console-fixture.ts"

/** A step that takes longer than three minutes counts as hung: at load 30 some took one minute. */
export const HANG_MS = 180_000

export type Visit = Awaited<ReturnType<typeof visit>>

/**
 * A browser window that logged in with a real link, and every problem in it: `await using window =
 * await visit(browser, fixture, { path: "/events" })`.
 */
export async function visit(browser: Browser, fixture: Visited, options: VisitOptions = {}) {
  const { path = "/", expects = [], by = "link", initScript, prepare, ...rest } = options
  const { timeoutMs = HANG_MS, ...contextOptions } = rest
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...contextOptions,
  })
  context.setDefaultTimeout(timeoutMs)
  const problems = await watch(context, fixture.url)
  if (initScript !== undefined) await context.addInitScript({ content: initScript })
  await prepare?.(context)
  const page = await context.newPage()
  await page.goto(by === "link" ? linkTo(fixture, path) : `${fixture.url}${path}`)
  if (by === "link") await settle(page)
  return {
    page,
    context,
    problems: () => problems.filter((it) => !expects.some((known) => known.test(it))),
    async [Symbol.asyncDispose]() {
      await context.close()
    },
  }
}

type Visited = Pick<ConsoleFixture, "url" | "link">

type VisitOptions = BrowserContextOptions & {
  readonly path?: string
  readonly initScript?: string
  readonly prepare?: (context: BrowserContext) => Promise<void>
  /** Problems that the test causes, such as refused connections of a stopped server. */
  readonly expects?: readonly RegExp[]
  readonly by?: "link" | "address"
  readonly timeoutMs?: number
}

/** Waits until the page is drawn, its fonts are loaded and the socket is connected. */
export async function settle(page: Page): Promise<void> {
  await page.getByText(/^(Live|Caught up.*)$/).waitFor()
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" })
  await page.evaluate("document.fonts.ready.then(() => undefined)")
}

/** For `prepare`: the page gets the state of a read-only store. */
export async function beReadOnly(context: BrowserContext): Promise<void> {
  await context.route("**/api/session", async (route) => {
    if (route.request().method() !== "GET") return await route.fallback()
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), readOnly: true } })
  })
}

export async function beFailing(context: BrowserContext): Promise<void> {
  await context.route(/\/api\/(?!session$|operations$)/, (route) =>
    route.fulfill({ status: 503, json: BROKEN }),
  )
}

const BROKEN = {
  code: "STORE_CORRUPT",
  message: "The store cannot be read: page 7 fails its checksum.",
  hint: "Run `qm store restore`.",
  data: {},
}

function linkTo(fixture: Visited, path: string): string {
  const [origin, token] = fixture.link().split("/#")
  return `${origin}${path}#${token}`
}

async function watch(context: BrowserContext, origin: string): Promise<string[]> {
  const problems: string[] = []
  const socketOrigin = origin.replace("http:", "ws:")
  context.on("console", (it) => {
    // Whether a font is used within seconds of its preload depends on the speed of the machine.
    if (/was preloaded using link preload but not used/.test(it.text())) return
    if (["error", "warning"].includes(it.type())) {
      problems.push(`console: ${it.text()} (${new URL(it.page()?.url() ?? origin).pathname})`)
    }
  })
  context.on("weberror", (it) => problems.push(`error: ${it.error().message}`))
  context.on("request", (it) => {
    const isOwn = it.url().startsWith(`${origin}/`) || /^(data|blob):/.test(it.url())
    if (!isOwn) problems.push(`external request: ${it.url()}`)
  })
  context.on("page", (page) => {
    page.on("websocket", (it) => {
      if (!it.url().startsWith(`${socketOrigin}/`)) problems.push(`external socket: ${it.url()}`)
    })
  })
  context.on("dialog", (it) => {
    problems.push(`dialog: ${it.message()}`)
    void it.dismiss()
  })
  await context.exposeFunction("reportProblem", (text: string) => void problems.push(text))
  await context.addInitScript({ content: REPORT_VIOLATIONS })
  return problems
}

const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", (it) => {
  reportProblem("policy: " + it.violatedDirective + " " + it.blockedURI + " " + it.sample)
})`
