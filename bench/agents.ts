import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { io, type Socket } from "socket.io-client"
import { z } from "zod"
import { launchChromium } from "../test/browser/chromium.ts"
import {
  atMost,
  type Bar,
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Row,
  type Samples,
} from "./frame.ts"

const RATE = 200
const SECONDS = 5
const RUNS = 20
const RATE_OF_ALL = 2_000
const SECONDS_OF_ALL = 10

/** Time to start and follow the programs before the first one writes. */
const ONE_STARTS_MS = 2_000
const ALL_START_MS = 8_000

export const bench: Bench = {
  name: "agents",
  about:
    "A line of an agent to a client and to Chromium, beside a bare relay of the same lines; 20 runs",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-agents-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
}

type Plan = {
  readonly runs: number
  readonly rate: number
  readonly seconds: number
  readonly startsMs: number
}

const ONE: Plan = { runs: 1, rate: RATE, seconds: SECONDS, startsMs: ONE_STARTS_MS }
const ALL: Plan = {
  runs: RUNS,
  rate: RATE_OF_ALL / RUNS,
  seconds: SECONDS_OF_ALL,
  startsMs: ALL_START_MS,
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  await using server = await startServer(folder)
  await using chromium = await launchChromium()
  const page = await openPage(await chromium.browser.newContext(), server)
  // One run to load the code and fill the caches; its times are discarded.
  await relayed(server, { ...ONE, seconds: 1 })
  await followed(server, { ...ONE, seconds: 1 })
  const floor = await relayed(server, ONE)
  const client = await followed(server, ONE)
  const browser = await inBrowser(page, { server, plan: ONE })
  context.note(`agents: ${RUNS} runs, ${RATE_OF_ALL} messages a second for ${SECONDS_OF_ALL} s`)
  const floorOfAll = await relayed(server, ALL)
  const all = await followed(server, ALL)
  return rowsOf({ floor, client, browser, floorOfAll, all })
}

type LineTimings = { readonly ages: Samples; readonly rate: number }

function rowsOf(
  timings: Record<"floor" | "client" | "browser" | "floorOfAll" | "all", LineTimings>,
) {
  const one = { unit: "ms", against: `bare relay of the same lines, ${RATE} a second` }
  const many = { against: `bare relay of the same ${RUNS} programs` }
  const { floor, client, browser, floorOfAll, all } = timings
  return [
    makeRow({
      ...one,
      what: `agent line to client, ${RATE} a second`,
      measured: client.ages.median,
      floor: floor.ages.median,
    }),
    makeRow({
      ...one,
      what: "the same, p95",
      measured: client.ages.p95,
      floor: floor.ages.p95,
      bar: atMost(50, "ms"),
    }),
    makeRow({
      ...one,
      what: "agent line to Chromium, p95",
      measured: browser.ages.p95,
      floor: floor.ages.p95,
      bar: atMost(50, "ms"),
    }),
    makeRow({
      ...many,
      what: `${RUNS} runs, messages a second`,
      measured: all.rate,
      unit: "a second",
      floor: floorOfAll.rate,
      bar: AT_LEAST_ALL,
    }),
    makeRow({
      ...many,
      what: `${RUNS} runs, agent line to client, p95`,
      measured: all.ages.p95,
      unit: "ms",
      floor: floorOfAll.ages.p95,
    }),
  ]
}

/** The last line arrives a moment after the last second, which is not a lack of speed. */
const AT_LEAST_ALL: Bar = {
  words: `at least ${RATE_OF_ALL} a second`,
  holds: (measured) => measured >= RATE_OF_ALL * 0.99,
}

const HelloLine = z.object({ url: z.url(), floorPort: z.int(), token: z.string(), link: z.url() })
type HelloLine = z.infer<typeof HelloLine>

const SERVER = fileURLToPath(new URL("agents/server.ts", import.meta.url))

async function startServer(folder: string) {
  const child = spawn(process.execPath, [SERVER, folder], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  return {
    ...HelloLine.parse(JSON.parse(String(value))),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

const now = (): number => performance.timeOrigin + performance.now()
const promptOf = ({ rate, seconds }: Plan, beginsAt: number) => `go ${rate} ${seconds} ${beginsAt}`
const beginOf = ({ startsMs }: Plan) => Math.round(now() + startsMs)

async function relayed({ floorPort }: HelloLine, plan: Plan): Promise<LineTimings> {
  const socket = io(`http://127.0.0.1:${floorPort}`, { transports: ["websocket"], forceNew: true })
  const beginsAt = beginOf(plan)
  const listener = createListener(plan, beginsAt)
  socket.on("line", (line: string) => listener.take(line))
  socket.emit("start", promptOf(plan, beginsAt), plan.runs)
  const arrivals = await listener.all
  socket.disconnect()
  return arrivals
}

const MessageFrame = z.object({ message: z.object({ type: z.string(), content: z.string() }) })

async function followed(server: HelloLine, plan: Plan): Promise<LineTimings> {
  const extraHeaders = { authorization: `Bearer ${server.token}` }
  const options = { path: "/live", transports: ["websocket"], forceNew: true, extraHeaders }
  const socket = io(server.url, options)
  const beginsAt = beginOf(plan)
  const listener = createListener(plan, beginsAt)
  socket.on("agent:message", (frame: unknown) => {
    const { message } = MessageFrame.parse(frame)
    if (message.type === "assistant") listener.take(message.content)
  })
  await follow(socket, await startRuns(server, plan, beginsAt))
  const arrivals = await listener.all
  socket.disconnect()
  return arrivals
}

async function follow(socket: Socket, ids: readonly string[]): Promise<void> {
  for (const agentId of ids) await socket.emitWithAck("subscribe", { agentId })
}

const Started = z.object({ agentId: z.string() })

async function startRuns({ url, token }: HelloLine, plan: Plan, beginsAt: number) {
  const start = async (): Promise<string> => {
    const response = await fetch(`${url}/api/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        type: "claude-code",
        prompt: promptOf(plan, beginsAt),
        configuration: {},
      }),
    })
    return Started.parse(await response.json()).agentId
  }
  return Promise.all(Array.from({ length: plan.runs }, start))
}

function createListener(plan: Plan, beginsAt: number) {
  const ages: number[] = []
  const { promise: all, resolve } = Promise.withResolvers<LineTimings>()
  const total = plan.runs * plan.rate * plan.seconds
  return {
    all,
    take(text: string): void {
      const at = now()
      const saidAt = Number(/\d{13}\.?\d*/.exec(text)?.[0])
      ages.push(at - saidAt)
      if (ages.length < total) return
      resolve({ ages: createSamples(ages), rate: total / ((at - beginsAt) / 1_000) })
    },
  }
}

type BrowserContext = ReturnType<Page["context"]>

async function openPage(context: BrowserContext, { url, link }: HelloLine): Promise<Page> {
  const token = new URL(link).hash.slice("#t=".length)
  await context.request.post(`${url}/api/session`, { data: { token } })
  const page = await context.newPage()
  await page.goto(`${url}/docs`)
  return page
}

const BrowserHeard = z.array(z.tuple([z.number(), z.string()]))

/** The same in a page, with its own socket and its own clock, which is this machine's too. */
async function inBrowser(
  page: Page,
  { server, plan }: { readonly server: HelloLine; readonly plan: Plan },
): Promise<LineTimings> {
  const beginsAt = beginOf(plan)
  const [agentId] = await startRuns(server, plan, beginsAt)
  const total = plan.rate * plan.seconds
  const arrivals = await page.evaluate(`(${IN_PAGE})(${JSON.stringify({ agentId, total })})`)
  const ages = BrowserHeard.parse(arrivals).map(([at, sentAt]) => at - Number(sentAt))
  return { ages: createSamples(ages), rate: Number.NaN }
}

/** Source for the page, which has none of our code, so it speaks the socket.io protocol by hand. */
const IN_PAGE = `({ agentId, total }) => new Promise((resolve) => {
  const heard = []
  const socket = new WebSocket("ws://" + location.host + "/live/?EIO=4&transport=websocket")
  socket.onmessage = ({ data }) => {
    const at = performance.timeOrigin + performance.now()
    if (data === "2") socket.send("3")
    if (data.startsWith("0")) socket.send("40")
    if (data.startsWith("40")) socket.send("42" + JSON.stringify(["subscribe", { agentId }]))
    if (!data.startsWith('42["agent:message"')) return
    const { message } = JSON.parse(data.slice(2))[1]
    if (message.type !== "assistant") return
    heard.push([at, message.content.split(" ")[0]])
    if (heard.length === total) resolve(heard)
  }
})`
