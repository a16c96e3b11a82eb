import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import type { ConsoleFixture } from "./console-fixture.ts"

/** A step that takes longer than three minutes counts as hung: at load 30 some took one minute. */
export const HANG_MS = 180_000

export type Visit = Awaited<ReturnType<typeof visit>>

/**
 * A browser window that logged in with a real link, and every problem in it: `await using window =
 * await visit(browser, fixture, { path: "/events" })`. A visit without options of its own takes over
 * the emptied window of an earlier one, because a new window costs half a second of computing time.
 */
export async function visit(browser: Browser, fixture: Visited, options: VisitOptions = {}) {
  const { path = "/", expects = [], by = "link", initScript, prepare, ...rest } = options
  const { timeoutMs = HANG_MS, viewport = WIDE, ...contextOptions } = rest
  const isPlain =
    initScript === undefined && prepare === undefined && Object.keys(contextOptions).length === 0
  const window = (isPlain && takeIdle(browser)) || (await openWindow(browser, contextOptions))
  const { context, page, watched } = window
  watched.origin = fixture.url
  watched.problems = []
  const { problems } = watched
  context.setDefaultTimeout(timeoutMs)
  if (initScript !== undefined) await context.addInitScript({ content: initScript })
  await prepare?.(context)
  await page.setViewportSize(viewport)
  await page.goto(by === "link" ? linkTo(fixture, path) : `${fixture.url}${path}`)
  if (by === "link") await settle(page)
  return {
    page,
    context,
    problems: () => problems.filter((it) => !expects.some((known) => known.test(it))),
    async [Symbol.asyncDispose]() {
      if (!isPlain || !(await empty(window))) await context.close()
      else idleOf(browser).push(window)
    },
  }
}

const WIDE = { width: 1440, height: 900 }

type Window = Awaited<ReturnType<typeof openWindow>>

const idle = new WeakMap<Browser, Window[]>()

function idleOf(browser: Browser): Window[] {
  const windows = idle.get(browser) ?? []
  idle.set(browser, windows)
  return windows
}

function takeIdle(browser: Browser): Window | undefined {
  const window = idleOf(browser).pop()
  // Its file may have closed all windows of the browser.
  return window?.page.isClosed() === true ? undefined : window
}

async function openWindow(browser: Browser, options: BrowserContextOptions) {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options })
  const watched: Watched = { origin: "", problems: [] }
  await watch(context, watched)
  return { context, page: await context.newPage(), watched }
}

/** Removes what a test left in its window. False if the window cannot be used again. */
async function empty({ context, page, watched }: Window): Promise<boolean> {
  if (page.isClosed() || context.pages().length > 1) return false
  try {
    for (const event of ["console", "pageerror", "request", "response", "websocket"]) {
      page.removeAllListeners(event)
    }
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await context.unrouteAll({ behavior: "ignoreErrors" })
    await page.evaluate("localStorage.clear(), sessionStorage.clear()")
    await page.goto("about:blank")
    await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" })
    await context.clearPermissions()
    await context.clearCookies()
  } catch {
    // The test ended on a page without storage, or its browser crashed.
    return false
  }
  watchSockets(page, watched)
  watched.problems = []
  return true
}

type Visited = Pick<ConsoleFixture, "url" | "link">

export type VisitOptions = Omit<BrowserContextOptions, "viewport"> & {
  readonly path?: string
  readonly initScript?: string
  readonly prepare?: (context: BrowserContext) => Promise<void>
  /** Problems that the test causes, such as refused connections of a stopped server. */
  readonly expects?: readonly RegExp[]
  readonly by?: "link" | "address"
  readonly timeoutMs?: number
  readonly viewport?: { readonly width: number; readonly height: number }
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

type Watched = { origin: string; problems: string[] }

async function watch(context: BrowserContext, watched: Watched): Promise<void> {
  const report = (problem: string) => void watched.problems.push(problem)
  context.on("console", (it) => {
    // Whether a font is used within seconds of its preload depends on the speed of the machine.
    if (/was preloaded using link preload but not used/.test(it.text())) return
    if (["error", "warning"].includes(it.type())) {
      const url = it.page()?.url() ?? watched.origin
      report(`console: ${it.text()} (${new URL(url).pathname})`)
    }
  })
  context.on("weberror", (it) => report(`error: ${it.error().message}`))
  context.on("request", (it) => {
    const isOwn = it.url().startsWith(`${watched.origin}/`) || /^(data|blob):/.test(it.url())
    if (!isOwn) report(`external request: ${it.url()}`)
  })
  context.on("page", (page) => watchSockets(page, watched))
  context.on("dialog", (it) => {
    report(`dialog: ${it.message()}`)
    void it.dismiss()
  })
  await context.exposeFunction("reportProblem", report)
  await context.addInitScript({ content: REPORT_VIOLATIONS })
}

function watchSockets(page: Page, watched: Watched): void {
  page.on("websocket", (it) => {
    const isOwn = it.url().startsWith(`${watched.origin.replace("http:", "ws:")}/`)
    if (!isOwn) watched.problems.push(`external socket: ${it.url()}`)
  })
}

const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", (it) => {
  reportProblem("policy: " + it.violatedDirective + " " + it.blockedURI + " " + it.sample)
})`
