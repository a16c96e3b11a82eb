import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { z } from "zod"
import type { Cursor } from "#ground/contract"
import { follow, type LiveClient, readToken, send } from "#test/server"
import { atMost, type Bench, type BenchContext, createSamples, makeRow, type Row } from "./frame.ts"

const CLIENTS = 50
const RUNS = 20
const DEFAULT_MINUTES = 0.25
const READS = ["/api/now/show", "/api/agents/list", "/api/events/list?limit=50", "/api/session"]

/** A person reads a page a few times a second, not in a tight loop. */
const PAUSE_BETWEEN_READS_MS = 50

export const bench: Bench = {
  name: "load",
  about: `one server with ${CLIENTS} live clients, ${RUNS} runs, a scan and a search at once (--minutes 5 for the whole)`,
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-load-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  await using server = await startServer(context.root, folder)
  const clients = Array.from({ length: CLIENTS }, () =>
    follow(server.url, { token: server.token, after: null }),
  )
  for (const client of clients) await client.until(() => client.replies.length > 0)
  // The first scan and the first call of each route load code; they are not what a page waits for.
  await server.ask("POST", "/api/map/scan", {})
  for (const route of READS) await server.ask("GET", route)
  const starts = clients.map((it) => it.cursor()?.seq ?? 0)
  const endAt = context.clock.monotonicMs() + (context.minutes ?? DEFAULT_MINUTES) * 60_000
  const isOn = () => context.clock.monotonicMs() < endAt
  const readMs: number[] = []
  const memory: number[] = []
  const timeRead = async (route: string) => {
    const startedMs = context.clock.monotonicMs()
    await server.ask("GET", route)
    readMs.push(context.clock.monotonicMs() - startedMs)
  }
  const repeat = async (work: () => Promise<unknown>, pauseMs: number) => {
    while (isOn()) {
      await work()
      await context.clock.sleep(pauseMs)
    }
  }
  await Promise.all([
    ...READS.map((it) => repeat(() => timeRead(it), PAUSE_BETWEEN_READS_MS)),
    ...Array.from({ length: RUNS }, () => repeat(() => server.runOnce(isOn), 0)),
    repeat(() => server.ask("POST", "/api/map/scan", {}), 1_000),
    repeat(() => server.ask("GET", "/api/search/find?words=round"), 100),
    repeat(async () => memory.push(server.memoryMegabytes()), 1_000),
  ])
  const head = await server.head()
  for (const client of clients) await client.until(() => (client.cursor()?.seq ?? 0) >= head.seq)
  const lost = clients.map((it, at) => lostEvents(it, starts[at] ?? 0, head))
  for (const client of clients) client[Symbol.dispose]()
  const reads = createSamples(readMs)
  const half = Math.floor(memory.length / 2)
  const before = createSamples(memory.slice(0, Math.max(1, half)))
  const after = createSamples(memory.slice(half))
  return [
    makeRow({
      what: `read, p95 of ${reads.count}`,
      measured: reads.p95,
      unit: "ms",
      against: "its median",
      floor: reads.median,
      bar: atMost(100, "ms"),
    }),
    makeRow({
      what: `events lost or repeated, of ${CLIENTS * head.seq}`,
      measured: lost.reduce((sum, it) => sum + it, 0),
      unit: "events",
      against: "events in the journal",
      floor: head.seq,
      bar: atMost(0, "events"),
    }),
    makeRow({
      what: "memory of the server, second half",
      measured: after.median,
      unit: "MB",
      against: "first half",
      floor: before.median,
      bar: { words: "within 20 %", holds: (now, first) => now <= first * 1.2 },
    }),
  ]
}

function lostEvents(client: LiveClient, start: number, head: Cursor): number {
  const expected = head.seq - start
  const received = client.entries.filter((it) => it.seq > start && it.seq <= head.seq)
  const missing = expected - new Set(received.map((it) => it.seq)).size
  return missing + (received.length - new Set(received.map((it) => it.seq)).size)
}

const Started = z.object({ agentId: z.string() })
const RunState = z.object({ status: z.string() })
const Events = z.object({ head: z.object({ epoch: z.string(), seq: z.number() }) })

/** A real server in its own process, on a repository with the sources of two wings. */
async function startServer(root: string, folder: string) {
  const [home, project] = [path.join(folder, "home"), path.join(folder, "project")]
  for (const wing of ["ground", "know"]) {
    cpSync(path.join(root, "src", wing), path.join(project, wing), { recursive: true })
  }
  spawnSync("git", ["init", "-q", project])
  const args = [path.join(root, "bin", "qm.mjs"), "up", "--port", "0", "--no-open"]
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, QM_HOME: home }
  const child = spawn(process.execPath, args, {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  })
  let url = ""
  for await (const line of createInterface({ input: child.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ""
    if (url !== "") break
  }
  child.stdout.resume()
  const port = Number(new URL(url).port)
  const token = await readToken(home)
  const ask = async (method: string, route: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { text } = await send(port, { method, path: route, headers, ...sent })
    return JSON.parse(text === "" ? "null" : text)
  }
  return {
    url,
    token,
    ask,
    async runOnce(isOn: () => boolean): Promise<void> {
      const run = { type: "synthetic", prompt: "load" }
      const { agentId } = Started.parse(await ask("POST", "/api/agents", run))
      while (isOn()) {
        const { status } = RunState.parse(await ask("GET", `/api/agents/${agentId}`))
        if (status !== "running" && status !== "queued" && status !== "starting") return
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    },
    head: async (): Promise<Cursor> =>
      Events.parse(await ask("GET", "/api/events/list?limit=1")).head,
    memoryMegabytes(): number {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit")
      child.kill("SIGTERM")
      await ended
    },
  }
}
