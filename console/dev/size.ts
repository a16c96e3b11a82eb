import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { launch } from "./browser.ts"
import { TASK } from "./fake-pack.ts"
import { runId } from "./fake-runs-tables.ts"
import { startFakeServer } from "./fake-server.ts"
import { DECISION, LIVE_SESSION } from "./kit-scenes.ts"

/**
 * What the first page costs: `node console/dev/size.ts` after `vite build`. Counts what a browser
 * really asks for, gzipped, also what is fetched while it idles. What comes with the first sign of
 * a person, the palette, is not counted. Exits 1 above the budget.
 */
const BUDGET_BYTES = 250_000
/** Nothing moves once it is there; this is what a rounding may leave. */
const MOST_SHIFT = 0.001
/** Words that only the schema library has: it must stay out of the console. */
const UNWANTED = /ZodError|\$ZodType/

/** Where a person may arrive first, and what says that the page is there. */
type Arrival = { readonly path: string; readonly shows: string }
const ARRIVALS: readonly Arrival[] = [
  { path: "/", shows: "Back up now" },
  { path: "/capture", shows: "16,981" },
  { path: "/pack?id=pk_3", shows: "9, in final order" },
  { path: `/pack?task=${encodeURIComponent(TASK)}`, shows: "9, in final order" },
  { path: "/folds?show=fb_01callers", shows: "Seven callers." },
  { path: "/memory?show=mem_01halfcents", shows: "Seen in the invoices" },
  { path: "/guard", shows: "189 verdicts" },
  { path: LIVE_SESSION, shows: "Files it edited" },
  { path: DECISION, shows: "The handbook, section 7.3" },
  { path: "/pipelines", shows: "What may a pilot refuse" },
  { path: "/pipelines/p-12", shows: "Paused after web calibration" },
  { path: "/pipelines/p-11", shows: "Key points" },
  { path: "/agents?show=deep-research", shows: "quick, standard, deep" },
  { path: "/knowledge?show=kp_arrival42", shows: "Where it stands" },
  { path: "/runs", shows: "Make quotes and invoices" },
  { path: `/runs/${runId(31)}`, shows: "Quotes round every line" },
  { path: `/runs/${runId(31)}/gateway`, shows: "As a table" },
]

const dist = join(import.meta.dirname, "../dist")
await using chromium = await launch()
for (const arrival of ARRIVALS) await weigh(chromium.browser, arrival)

async function weigh(browser: Browser, arrival: Arrival): Promise<void> {
  const { asked, first, shift } = await arrive(browser, arrival)
  const sizes = await Promise.all([...asked].map((path) => sizeOf(path, first.has(path))))
  for (const it of sizes.toSorted((a, b) => b.size - a.size).slice(0, 8)) {
    console.log(String(it.size).padStart(8), it.path, it.isFirst ? "" : "(idle)")
  }
  const total = sum(sizes)
  const shown = sum(sizes.filter((it) => it.isFirst))
  console.log(`${arrival.path}: ${shown} bytes to the first page, ${total} with what is fetched`)
  console.log(`while it idles, of ${BUDGET_BYTES}; layout shift ${shift.toFixed(4)}`)
  const unwanted = sizes.filter((it) => it.hasUnwanted)
  for (const it of unwanted) console.error(`${it.path} holds the schema library`)
  const isShifting = shift > MOST_SHIFT
  if (sizes.length < 4 || total > BUDGET_BYTES || unwanted.length > 0 || isShifting) {
    process.exitCode = 1
  }
}

async function arrive(browser: Browser, { path, shows }: Arrival) {
  const server = await startFakeServer({ state: "populated" })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const asked = new Set<string>()
  context.on("request", (it) => {
    const { pathname } = new URL(it.url())
    const isData = pathname.startsWith("/api/") || pathname.startsWith("/live")
    if (!isData) asked.add(pathname === path.split("?", 1)[0] ? "/" : pathname)
  })
  const page = await context.newPage()
  await page.goto(server.link.replace("/#", `${path}#`))
  await page.getByText(shows).waitFor()
  const first = new Set(asked)
  await page.waitForTimeout(3_000)
  const shift: number = await page.evaluate(
    () =>
      new Promise((done) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const it of list.getEntries()) sum += Number(Reflect.get(it, "value") ?? 0)
        }).observe({ type: "layout-shift", buffered: true })
        window.setTimeout(() => done(sum), 200)
      }),
  )
  await context.close()
  await server.stop()
  return { asked, first, shift }
}

async function sizeOf(path: string, isFirst: boolean) {
  const bytes = await readFile(join(dist, path === "/" ? "index.html" : path))
  const isFont = path.endsWith(".woff2")
  const hasUnwanted = path.endsWith(".js") && UNWANTED.test(bytes.toString())
  const size = isFont ? bytes.length : gzipSync(bytes, { level: 9 }).length
  return { path, size, isFirst, hasUnwanted }
}

function sum(of: readonly { readonly size: number }[]): number {
  return of.reduce((total, it) => total + it.size, 0)
}
