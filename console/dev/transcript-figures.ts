import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { launch } from "./browser.ts"
import { LONG } from "./fake-run.ts"
import { startFakeServer } from "./fake-server.ts"

/**
 * What a transcript of 100,000 messages costs: `node console/dev/transcript-figures.ts [directory of
 * the build] [openings]`. Prints JSON: how long it takes to open, how much work each frame is while
 * one scrolls through it, by the processor's time in the browser's own trace, the same for a plain
 * list, and how many rows were drawn at most.
 */
const [directory = join(import.meta.dirname, "../dist"), openings = "5"] = process.argv.slice(2)
const FRAME_MS = 1_000 / 60
const WHEELS = 300

await using chromium = await launch()
const server = await startFakeServer({ state: "populated", directory })
const context = await chromium.browser.newContext({ viewport: { width: 1440, height: 900 } })
const first = await context.newPage()
await first.goto(server.link)
await first.getByText("Live", { exact: true }).waitFor()

const openMs: number[] = []
for (let i = 0; i < Number(openings); i++) openMs.push(await open(context))
const page = await context.newPage()
await page.goto(`${server.url}/runs/${LONG}`)
await page.locator("[data-entry]").first().waitFor()
const { frameMs, mostRows } = await scroll(context, page)
const plain = await context.newPage()
await plain.setContent(`<main>${"<p>A line of a plain list.</p>".repeat(5_000)}</main>`)
await plain.evaluate(() => window.scrollTo(0, 1e9))
const floor = await scroll(context, plain)
await server.stop()
process.stdout.write(JSON.stringify({ openMs, frameMs, plainFrameMs: floor.frameMs, mostRows }))

/** From the address to the first row, by the page's own clock. */
async function open(windows: BrowserContext): Promise<number> {
  const window = await windows.newPage()
  await window.addInitScript({
    content: `window.drawnAt = new Promise((done) => {
      const look = () => requestAnimationFrame(() =>
        document.querySelector("[data-entry]") ? done(performance.now()) : look())
      look()
    })`,
  })
  await window.goto(`${server.url}/runs/${LONG}`)
  const ms = Number(await window.evaluate("drawnAt"))
  await window.close()
  return ms
}

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
}

function isTraceEvent(it: object): it is TraceEvent {
  return "name" in it && "ph" in it && "ts" in it && "pid" in it && "tid" in it
}

async function scroll(windows: BrowserContext, window: Page) {
  const session = await windows.newCDPSession(window)
  const events: TraceEvent[] = []
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const it of value) if (isTraceEvent(it)) events.push(it)
  })
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: {
      includedCategories: ["devtools.timeline", "disabled-by-default-devtools.timeline"],
    },
  })
  const mostRows = await wheel(window)
  const ended = new Promise((done) => session.once("Tracing.tracingComplete", done))
  await session.send("Tracing.end")
  await ended
  return { frameMs: workByFrame(events), mostRows }
}

/** Up through older pages, then down again, as fast as frames come. */
async function wheel(window: Page): Promise<number> {
  let most = 0
  await window.bringToFront()
  await window.mouse.move(500, 400)
  for (let i = 0; i < WHEELS; i++) {
    await window.mouse.wheel(0, i < WHEELS * 0.8 ? -600 : 400)
    await window.waitForTimeout(FRAME_MS)
    if (i % 10 > 0) continue
    most = Math.max(most, await window.locator("[data-entry]").count())
  }
  return most
}

/** The processor's time of the page's main thread, in slices of a frame; idle ones are left out. */
function workByFrame(events: readonly TraceEvent[]): readonly number[] {
  const main = threadOf(events.filter((it) => it.name === "Layout" || it.name === "PrePaint"))
  const tasks = events.filter(
    (it) => it.name === "RunTask" && it.ph === "X" && threadIn(it) === main,
  )
  const begin = Math.min(...tasks.map((it) => it.ts))
  const frames = new Map<number, number>()
  for (const { ts, dur = 0, tdur = dur } of tasks) {
    const frame = Math.floor((ts - begin) / 1_000 / FRAME_MS)
    frames.set(frame, (frames.get(frame) ?? 0) + tdur / 1_000)
  }
  return [...frames.values()]
}

function threadIn({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`
}

/** The one that lays out most is the one of the page. */
function threadOf(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>()
  for (const it of events) counts.set(threadIn(it), (counts.get(threadIn(it)) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ""
}
