import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readFile, rm } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { io, type Socket } from "socket.io-client"
import type { Cursor, JournalEntry } from "#ground/contract"
import { BUILT_PACKAGE } from "./qm.ts"
import { readToken, send } from "./server.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const SHIFT_CLOCK = path.join(import.meta.dirname, "shift-clock.mjs")

export type TeamNode = Awaited<ReturnType<typeof startNode>>

export type NodeOptions = {
  /** A machine of its own for the other nodes: they check its leases, not its process. */
  readonly name: string
  /** Gets the repository, at the same path for all nodes, and a home for each. */
  readonly folder: string
  readonly databaseUrl: string
  readonly clockShiftMs?: number
  readonly maxRunning?: number
}

/** A real `qm up` in its own process, as one node of a team server. */
export async function startNode(options: NodeOptions) {
  const { name, folder } = options
  const home = path.join(folder, `home-${name}`)
  const project = path.join(folder, "project")
  for (const it of [home, project]) await mkdir(it, { recursive: true })
  // One server per repository and machine: each machine has its own record of that.
  await rm(path.join(project, ".qm", "local", "server.json"), { force: true })
  const launcher = path.join(BUILT_PACKAGE ?? ROOT, "bin/qm.mjs")
  const child = spawn(
    process.execPath,
    ["--import", SHIFT_CLOCK, launcher, "up", "--port", "0", "--no-open"],
    {
      cwd: project,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        QM_HOME: home,
        QM_NODE: name,
        QM_DATABASE_URL: options.databaseUrl,
        QM_AGENTS_MAX_RUNNING: String(options.maxRunning ?? 8),
        QM_TEST_CLOCK_SHIFT_MS: String(options.clockShiftMs ?? 0),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  )
  const exited = once(child, "exit")
  exited.catch(() => {})
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-20_000)
  })
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const portText = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (portText !== undefined) resolve(Number(portText))
    })
    child.once("exit", (code) => reject(new Error(`node ${name} ended with ${code}: ${stderr}`)))
  })
  const token = await readToken(home)
  const ask = async (method: string, route: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { status, text } = await send(port, { method, path: route, headers, ...sent })
    const json: unknown = text === "" ? undefined : JSON.parse(text)
    return { status, json }
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    child.kill(signal)
    await exited.catch(() => {})
  }
  return {
    name,
    port,
    token,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? Number.NaN,
    ask,
    stderr: () => stderr,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** As a power failure: nothing of the process runs afterwards. */
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    async usage(): Promise<{ cpuSeconds: number; memoryMegabytes: number }> {
      const stat = await readFile(`/proc/${child.pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const ticks = Number(fields[11]) + Number(fields[12])
      const status = await readFile(`/proc/${child.pid}/status`, "utf8")
      const memoryMegabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
      return { cpuSeconds: ticks / 100, memoryMegabytes }
    },
    async [Symbol.asyncDispose]() {
      await end("SIGKILL")
    },
  }
}

type Address = { readonly url: string; readonly token: string }

/**
 * A live client with a list of nodes: it keeps its cursor, and after each lost or failed connection
 * it subscribes from it at the next node.
 */
export function followNodes(nodes: () => readonly Address[], from: Cursor) {
  const entries: JournalEntry[] = []
  const times: number[] = []
  const resyncs: unknown[] = []
  let cursor = from
  let isOver = false
  let turn = 0
  let socket: Socket | undefined
  let changed = Promise.withResolvers<void>()
  const tell = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  function connect(): void {
    if (isOver) return
    const all = nodes()
    const node = all[turn++ % Math.max(1, all.length)]
    if (node === undefined) return void setTimeout(connect, 100)
    const opened = io(node.url, {
      path: "/live",
      transports: ["websocket"],
      forceNew: true,
      reconnection: false,
      timeout: 5_000,
      extraHeaders: { authorization: `Bearer ${node.token}` },
    })
    socket = opened
    const next = (): void => {
      if (socket !== opened) return
      socket = undefined
      opened.disconnect()
      setTimeout(connect, 50)
    }
    opened.on("connect", () => {
      opened.emit("subscribe", { after: cursor }, (reply: { kind: string }) => {
        if (reply.kind !== "subscribed") resyncs.push(reply)
      })
    })
    opened.on("events", (page: { entries: readonly JournalEntry[] }) => {
      if (socket !== opened) return
      entries.push(...page.entries)
      for (const _ of page.entries) times.push(performance.now())
      const last = page.entries.at(-1)
      if (last !== undefined) cursor = { epoch: last.epoch, seq: last.seq }
      tell()
    })
    opened.on("disconnect", next)
    opened.on("connect_error", next)
  }
  connect()
  return {
    entries,
    /** When each entry arrived, in `performance.now()`. */
    times,
    resyncs,
    connections: () => turn,
    cursor: () => cursor,
    async until(isSo: () => boolean): Promise<void> {
      while (!isSo()) await changed.promise
    },
    [Symbol.dispose]() {
      isOver = true
      socket?.disconnect()
      tell()
    },
  }
}
