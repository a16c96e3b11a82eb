import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { io, type Socket } from "socket.io-client"
import { z } from "zod"
import {
  atMost,
  atMostTimes,
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Row,
  type Samples,
} from "./frame.ts"

const RATE = 200
const RATE_SECONDS = 5
const FLOOD = 2_000

/**
 * `QM_BENCH_LIVE_SECONDS=30` is the full flood; ten seconds keep the benchmark short.
 */
const FLOOD_SECONDS = Number(process.env["QM_BENCH_LIVE_SECONDS"] ?? 10)

export const bench: Bench = {
  name: "live",
  about:
    "an event from before its write to a client, beside a bare socket.io; the heap after a flood",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-live-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  await using server = await startServer(folder)
  using ours = await listenToOurs(server)
  using floor = await listenToFloor(server)

  await server.order(`ours ${RATE} 1`)
  await server.order(`floor ${RATE} 1`)
  await ours.drain(RATE)
  await floor.drain(RATE)
  await server.order(`floor ${RATE} ${RATE_SECONDS}`)
  const floorTimes = createSamples(await floor.drain(RATE * RATE_SECONDS))
  await server.order(`ours ${RATE} ${RATE_SECONDS}`)
  const times = createSamples(await ours.drain(RATE * RATE_SECONDS))

  context.note(`live: ${FLOOD} a second for ${FLOOD_SECONDS} s`)
  await server.order(`ours ${FLOOD} 1`)
  await ours.drain(FLOOD)
  const before = await server.order("heap")
  await server.order(`ours ${FLOOD} ${FLOOD_SECONDS}`)
  const flood = createSamples(await ours.drain(FLOOD * FLOOD_SECONDS))
  const after = await server.order("heap")

  return rowsOf({ floorTimes, times, flood, before, after })
}

type Figures = {
  readonly floorTimes: Samples
  readonly times: Samples
  readonly flood: Samples
  readonly before: z.infer<typeof Heap>
  readonly after: z.infer<typeof Heap>
}

function rowsOf({ floorTimes, times, flood, before, after }: Figures): readonly Row[] {
  const bare = { unit: "ms", against: `bare socket.io, ${RATE} a second` }
  return [
    makeRow({
      ...bare,
      what: `write to client, ${RATE} a second`,
      measured: times.median,
      floor: floorTimes.median,
    }),
    makeRow({
      ...bare,
      what: "the same, p95",
      measured: times.p95,
      floor: floorTimes.p95,
      bar: atMost(50, "ms"),
    }),
    makeRow({
      ...bare,
      what: `write to client, ${FLOOD} a second, p95`,
      measured: flood.p95,
      floor: floorTimes.p95,
    }),
    makeRow({
      what: `heap after ${FLOOD * FLOOD_SECONDS} events`,
      measured: after.heapBytes / 1e6,
      unit: "MB",
      against: "before them, collected too",
      floor: before.heapBytes / 1e6,
      bar: atMostTimes(1.2),
    }),
  ]
}

const Hello = z.object({ port: z.int(), floorPort: z.int(), token: z.string() })
const Heap = z.object({ heapBytes: z.number() })

const SERVER = fileURLToPath(new URL("live/server.ts", import.meta.url))

async function startServer(folder: string) {
  const child = spawn(process.execPath, ["--expose-gc", SERVER, folder], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const receive = async (): Promise<unknown> => {
    const { value } = await lines.next()
    const message: unknown = JSON.parse(String(value))
    return message
  }
  return {
    ...Hello.parse(await receive()),
    async order(line: string) {
      child.stdin.write(`${line}\n`)
      return Heap.parse(await receive())
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

type Address = { readonly port: number; readonly floorPort: number; readonly token: string }

const LiveEvents = z.object({ entries: z.array(z.object({ body: z.object({ key: z.string() }) })) })

async function listenToOurs({ port, token }: Address) {
  const extraHeaders = { authorization: `Bearer ${token}` }
  const options = { path: "/live", transports: ["websocket"], extraHeaders }
  const listener = createListener(io(`http://127.0.0.1:${port}`, options))
  listener.socket.on("events", (page: unknown) => {
    listener.take(LiveEvents.parse(page).entries.map((it) => it.body.key))
  })
  await listener.connected
  await listener.socket.emitWithAck("subscribe", { after: null })
  return listener
}

async function listenToFloor({ floorPort }: Address) {
  const listener = createListener(
    io(`http://127.0.0.1:${floorPort}`, { transports: ["websocket"] }),
  )
  listener.socket.on("stamp", (stamp: unknown) => listener.take([String(stamp)]))
  await listener.connected
  return listener
}

function createListener(socket: Socket) {
  let ages: number[] = []
  let goal = { count: Number.POSITIVE_INFINITY, resolve: () => {} }
  return {
    socket,
    connected: new Promise<void>((resolve) => socket.on("connect", resolve)),
    take(stamps: readonly string[]): void {
      const now = performance.timeOrigin + performance.now()
      ages.push(...stamps.map((it) => now - Number(it)))
      if (ages.length >= goal.count) goal.resolve()
    },
    async drain(count: number): Promise<readonly number[]> {
      if (ages.length < count) {
        await new Promise<void>((resolve) => {
          goal = { count, resolve }
        })
      }
      const sample = ages
      ages = []
      return sample
    },
    [Symbol.dispose]() {
      socket.disconnect()
    },
  }
}
