import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import { Server } from "socket.io"
import { systemClock } from "#ground/base"
import { createApp } from "#show/app"
import { serve } from "#show/http"

/**
 * The server of the benchmark in its own process: `node --expose-gc … <folder>`. The floor beside
 * it is a bare socket.io server that sends the same stamp without store or authentication. A line
 * `ours|floor <per second> <seconds>` makes it send; `heap` returns the heap after a collection.
 */
const directory = process.argv[2] ?? ""
const app = await createApp({
  directory,
  environment: { QM_HOME: `${directory}/home` },
  settings: [],
  writeLog: (line) => process.stderr.write(line),
})
const serving = await serve({ app, port: 0, mayMove: false })
const events = (await app.store()).forRoom("config")
const bare = createServer()
const floor = new Server(bare, { transports: ["websocket"], serveClient: false })
await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve))
const address = bare.address()
const floorPort = typeof address === "object" ? (address?.port ?? 0) : 0

const stamp = (): string => String(performance.timeOrigin + performance.now())

const SENDERS: Readonly<Record<string, (count: number) => Promise<void>>> = {
  ours: (count) =>
    events.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        tx.emit("config.changed", { key: stamp(), layer: "user", isSet: true })
      }
    }),
  floor: async (count) => {
    for (let n = 0; n < count; n++) floor.emit("stamp", stamp())
  },
}

/** Sends in steps of five milliseconds; a late step catches up. */
async function send(name: string, rate: number, seconds: number): Promise<void> {
  const startedMs = systemClock.monotonicMs()
  const total = rate * seconds
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((systemClock.monotonicMs() - startedMs) / 1_000) * rate))
    if (due > sent) await SENDERS[name]?.(due - sent)
    sent = Math.max(sent, due)
    await systemClock.sleep(5)
  }
}

const answer = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)

answer({
  port: serving.port,
  floorPort,
  token: (await readFile(`${app.places.home}/token`, "utf8")).trim(),
})
for await (const line of createInterface({ input: process.stdin })) {
  const [command = "", rate, seconds] = line.split(" ")
  if (command !== "heap") await send(command, Number(rate), Number(seconds))
  globalThis.gc?.()
  answer({ heapBytes: process.memoryUsage().heapUsed })
}
floor.disconnectSockets(true)
bare.close()
await serving.close()
await app[Symbol.asyncDispose]()
