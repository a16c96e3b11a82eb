import type { BrowserContext, Page } from "playwright-core"
import { launchChromium } from "../test/browser/chromium.ts"
import { startConsole } from "../test/browser/console-fixture.ts"
import { importRuns } from "../test/browser/seed/runs.ts"
import { visit } from "../test/browser/visit.ts"
import { atMost, type Bench, createSamples, makeRow } from "./frame.ts"

const MESSAGES = 100_000
const OPENINGS = 10
const FRAME_MS = 1_000 / 60
const WHEELS = 300

/**
 * A transcript of 100,000 messages in Chromium, imported into the store of a real server. The work
 * per frame is the CPU time in the browser's own trace.
 */
export const bench: Bench = {
  name: "console-transcript",
  about: "A run of 100,000 messages: opened, and scrolled through, against a plain list",
  async run({ rounds = OPENINGS, note }) {
    await using chromium = await launchChromium()
    await using fixture = await startConsole({ backups: 0 })
    note("importing the run")
    const [run] = await importRuns(fixture, { titles: ["Read all parts"], messages: MESSAGES })
    const address = `${fixture.url}/runs/${run?.id}`
    note("opening and scrolling")
    await using window = await visit(chromium.browser, fixture)
    const { context } = window
    const openMs: number[] = []
    for (let i = 0; i < rounds; i++) openMs.push(await open(context, address))
    const page = await context.newPage()
    await page.goto(address)
    await page.locator("[data-entry]").first().waitFor()
    const { frameMs, mostRows } = await scroll(context, page)
    const plain = await context.newPage()
    await plain.setContent(`<main>${"<p>A line of a plain list.</p>".repeat(5_000)}</main>`)
    await plain.evaluate("window.scrollTo(0, 1e9)")
    const floor = createSamples((await scroll(context, plain)).frameMs)
    const opening = createSamples(openMs)
    return [
      makeRow({
        what: "a run of 100,000 messages opens, p95",
        measured: Math.round(opening.p95),
        unit: "ms",
        against: "the fastest of these",
        floor: Math.round(opening.min),
        bar: atMost(1_000, "ms"),
      }),
      makeRow({
        what: "work of a frame while one scrolls, p95",
        measured: round(createSamples(frameMs).p95),
        unit: "ms",
        against: "a plain list of 5,000 lines",
        floor: round(floor.p95),
        bar: atMost(16, "ms"),
      }),
      makeRow({
        what: "rows in the document at most",
        measured: mostRows,
        unit: "rows",
        against: "all of them",
        floor: MESSAGES,
        bar: atMost(300, "rows"),
      }),
    ]
  },
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}

async function open(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage()
  await page.addInitScript({
    content: `window.drawnAt = new Promise((done) => {
      const look = () => requestAnimationFrame(() =>
        document.querySelector("[data-entry]") ? done(performance.now()) : look())
      look()
    })`,
  })
  await page.goto(address)
  const ms = Number(await page.evaluate("drawnAt"))
  await page.close()
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

async function scroll(context: BrowserContext, page: Page) {
  const session = await context.newCDPSession(page)
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
  const mostRows = await wheel(page)
  const ended = new Promise((done) => session.once("Tracing.tracingComplete", done))
  await session.send("Tracing.end")
  await ended
  return { frameMs: workByFrame(events), mostRows }
}

async function wheel(page: Page): Promise<number> {
  let most = 0
  await page.bringToFront()
  await page.mouse.move(500, 400)
  for (let i = 0; i < WHEELS; i++) {
    await page.mouse.wheel(0, i < WHEELS * 0.8 ? -600 : 400)
    await page.waitForTimeout(FRAME_MS)
    if (i % 10 > 0) continue
    most = Math.max(most, await page.locator("[data-entry]").count())
  }
  return most
}

/** The CPU time of the page's main thread in slices of a frame, without idle ones. */
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

/** The page's thread is the one with the most layout work. */
function threadOf(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>()
  for (const it of events) counts.set(threadIn(it), (counts.get(threadIn(it)) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? ""
}
