import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { gzipSync } from "node:zlib"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { z } from "zod"
import { invariant } from "#ground/base"
import { launchChromium } from "../test/browser/chromium.ts"
import { type ConsoleFixture, startConsole } from "../test/browser/console-fixture.ts"
import {
  atMost,
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Row,
  type Samples,
} from "./frame.ts"

const ROUNDS = 20
const MESSAGES_A_SECOND = 200
const MESSAGES = 1_000
const HANG_MS = 30_000

export const bench: Bench = {
  name: "console",
  about: "First load and live messages in Chromium, against an empty page and a bare socket",
  async run(context) {
    await using chromium = await launchChromium()
    await using fixture = await startConsole({ backups: 5 })
    const session = await signIn(chromium.browser, fixture)
    return [
      await measureSize(session),
      await measureStart(chromium.browser, { fixture, session, context }),
      await measureMessages(session, { fixture, context }),
    ]
  },
}

type Session = { readonly page: Page; readonly context: BrowserContext }

async function signIn(browser: Browser, fixture: ConsoleFixture): Promise<Session> {
  const context = await browser.newContext()
  context.setDefaultTimeout(HANG_MS)
  await context.addInitScript({ content: NOTE_MESSAGES })
  const page = await context.newPage()
  await page.goto(fixture.link())
  await page.getByText("Live", { exact: true }).waitFor()
  return { page, context }
}

const Addresses = z.array(z.url())

async function measureSize({ page }: Session): Promise<Row> {
  const loaded = await page.evaluate(
    `performance.getEntriesByType("resource").map((it) => it.name)`,
  )
  const files = Addresses.parse(loaded).filter((it) => !it.includes("/api/"))
  const bodies = await Promise.all(
    [new URL("/", page.url()).href, ...files].map(async (it) => {
      const response = await page.request.get(it)
      invariant(response.ok(), `${it} is served`)
      return response.body()
    }),
  )
  const sum = (sizes: readonly number[]) => sizes.reduce((total, it) => total + it, 0)
  return makeRow({
    what: `first load, gzipped (${bodies.length} files)`,
    measured: inKilobytes(sum(bodies.map((it) => gzipSync(it).length))),
    unit: "kB",
    against: "the same files as they are",
    floor: inKilobytes(sum(bodies.map((it) => it.length))),
    bar: atMost(250, "kB"),
  })
}

function inKilobytes(bytes: number): number {
  return Math.round(bytes / 100) / 10
}

type ConsoleBench = { readonly fixture: ConsoleFixture; readonly context: BenchContext }

async function measureStart(
  browser: Browser,
  { fixture, session, context }: ConsoleBench & { session: Session },
): Promise<Row> {
  const storageState = await session.context.storageState()
  const inNewWindow = async (visit: (page: Page) => Promise<number>): Promise<number> => {
    const window = await browser.newContext({ storageState })
    window.setDefaultTimeout(HANG_MS)
    await window.addInitScript({ content: NOTE_EVENTS })
    const ms = await visit(await window.newPage())
    await window.close()
    return ms
  }
  const empty: number[] = []
  const full: number[] = []
  // The browser measures the times, so `interleave` cannot be used; the order alternates in the
  // same way.
  for (let round = 0; round < (context.rounds ?? ROUNDS); round++) {
    empty.push(await inNewWindow((page) => untilLoaded(page, fixture)))
    full.push(await inNewWindow((page) => untilInteractive(page, fixture)))
  }
  return makeRow({
    what: "time to interactive, p95",
    measured: Math.round(createSamples(full).p95),
    unit: "ms",
    against: "an empty page of the same server, p95",
    floor: Math.round(createSamples(empty).p95),
    bar: atMost(1_000, "ms"),
  })
}

/**
 * Checks at every frame in the page itself: playwright polls at growing intervals, which turned 390
 * ms into 980 ms in one visit of ten.
 */
const NOTE_EVENTS = `
  window.eventsNoted = new Promise((done) => {
    const look = () => {
      if (document.body?.textContent.includes("store.backed-up")) done(performance.now())
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

async function untilInteractive(page: Page, fixture: ConsoleFixture): Promise<number> {
  await page.goto(`${fixture.url}/events`)
  const eventsAt = z.number().parse(await page.evaluate("eventsNoted"))
  await page.keyboard.press("?")
  await page.getByRole("dialog").waitFor()
  return eventsAt
}

async function untilLoaded(page: Page, fixture: ConsoleFixture): Promise<number> {
  await page.goto(`${fixture.url}/healthz`)
  const loadedAt = `performance.getEntriesByType("navigation")[0].loadEventEnd`
  return z.number().parse(await page.evaluate(loadedAt))
}

async function measureMessages(session: Session, setting: ConsoleBench): Promise<Row> {
  const browser = await timeToBrowser(session, setting)
  const socket = await timeOverSocket(setting.context)
  return makeRow({
    what: `write to browser, p95 at ${MESSAGES_A_SECOND} a second`,
    measured: browser.p95,
    unit: "ms",
    against: "the same over a bare socket in node",
    floor: Math.round(socket.p95 * 100) / 100,
    bar: atMost(50, "ms"),
  })
}

/** The arrival time of each live message, by the browser's clock, which is this machine's. */
const NOTE_MESSAGES = `
  window.heard = []
  const Plain = WebSocket
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given)
      this.addEventListener("message", (it) => heard.push([Date.now(), it.data]))
    }
  }`

const MessageTimes = z.array(z.tuple([z.number(), z.string()]))
const Message = z.tuple([
  z.literal("events"),
  z.object({ entries: z.array(z.object({ seq: z.int(), at: z.int() })) }),
])

async function timeToBrowser(
  { page }: Session,
  { fixture, context }: ConsoleBench,
): Promise<Samples> {
  await page.goto(`${fixture.url}/events`)
  await page.getByText("Live", { exact: true }).waitFor()
  const first = (await fixture.head()) + 1
  const db = (await fixture.store()).forRoom("store")
  await atRate(context, (i) =>
    db.transaction(async (tx) => tx.emit("store.backed-up", { file: "bench", sizeBytes: i })),
  )
  await page.locator(`#event-${first + MESSAGES - 1}`).waitFor()
  return createSamples(await readTimes(page, first))
}

async function readTimes(page: Page, first: number): Promise<readonly number[]> {
  const arrivals = MessageTimes.parse(await page.evaluate("heard"))
  const times = arrivals.flatMap(([at, text]) => {
    // A socket.io event is 42, optionally a number, then JSON; the rest are handshakes and pings.
    const json = /^42\d*(\[.*)$/s.exec(text)?.[1]
    const message = Message.safeParse(json === undefined ? undefined : JSON.parse(json))
    const entries = message.success ? message.data[1].entries : []
    return entries.filter((it) => it.seq >= first).map((it) => at - it.at)
  })
  invariant(times.length === MESSAGES, `${times.length} of ${MESSAGES} messages came, none twice`)
  return times
}

async function timeOverSocket(context: BenchContext): Promise<Samples> {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve))
  const client = connect(portOf(server.address()), "127.0.0.1")
  const peer = await accepted
  const times: number[] = []
  const done = Promise.withResolvers<void>()
  createInterface({ input: client }).on("line", (line) => {
    times.push(context.clock.monotonicMs() - Number(line))
    if (times.length === MESSAGES) done.resolve()
  })
  await atRate(context, async () => peer.write(`${context.clock.monotonicMs()}\n`))
  await done.promise
  client.destroy()
  server.close()
  return createSamples(times)
}

function portOf(address: AddressInfo | string | null): number {
  invariant(typeof address === "object" && address !== null, "a listening server has a port")
  return address.port
}

/** Scheduled by the clock instead of pauses, so that a slow write does not lower the rate. */
async function atRate(
  { clock }: BenchContext,
  write: (index: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = clock.monotonicMs()
  for (let i = 0; i < MESSAGES; i++) {
    const dueIn = startedAt + (i * 1_000) / MESSAGES_A_SECOND - clock.monotonicMs()
    if (dueIn > 0) await clock.sleep(dueIn)
    await write(i)
  }
}
