import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { launch } from "./browser.ts"
import { startFakeServer } from "./fake-server.ts"

/**
 * What the first page costs: `node console/dev/size.ts` after `vite build`. Counts what a browser
 * really asks for, gzipped, also what is fetched while it idles. Exits 1 above the budget.
 */
const BUDGET_BYTES = 250_000
/** Words that only the schema library has: it must stay out of the console. */
const UNWANTED = /ZodError|\$ZodType/

const dist = join(import.meta.dirname, "../dist")
await using chromium = await launch()
const server = await startFakeServer({ state: "populated" })
const context = await chromium.browser.newContext({ viewport: { width: 1440, height: 900 } })
const asked = new Set<string>()
context.on("request", (it) => {
  const { pathname } = new URL(it.url())
  if (!pathname.startsWith("/api/") && !pathname.startsWith("/live")) asked.add(pathname)
})
const page = await context.newPage()
await page.goto(server.link)
await page.getByText("Back up now").waitFor()
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
await server.stop()

const sizes = await Promise.all(
  [...asked].map(async (path) => {
    const bytes = await readFile(join(dist, path === "/" ? "index.html" : path))
    const isFont = path.endsWith(".woff2")
    const hasUnwanted = path.endsWith(".js") && UNWANTED.test(bytes.toString())
    const size = isFont ? bytes.length : gzipSync(bytes, { level: 9 }).length
    return { path, size, isFirst: first.has(path), hasUnwanted }
  }),
)
const sum = (of: typeof sizes) => of.reduce((total, it) => total + it.size, 0)
for (const it of sizes.toSorted((a, b) => b.size - a.size).slice(0, 8)) {
  console.log(String(it.size).padStart(8), it.path, it.isFirst ? "" : "(idle)")
}
const total = sum(sizes)
console.log(`${sum(sizes.filter((it) => it.isFirst))} bytes to the first page, ${total} with what`)
console.log(`is fetched while it idles, of ${BUDGET_BYTES}; layout shift ${shift.toFixed(4)}`)
const unwanted = sizes.filter((it) => it.hasUnwanted)
for (const it of unwanted) console.error(`${it.path} holds the schema library`)
if (sizes.length < 4 || total > BUDGET_BYTES || unwanted.length > 0) process.exitCode = 1
