import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { extname, join } from "node:path"
import { type Socket, Server as SocketServer } from "socket.io"
import { answerOperation, type FakeWorld } from "./fake-answers.ts"
import { worldGuard } from "./fake-guard.ts"
import { worldLedger } from "./fake-ledger.ts"
import { worldMemories } from "./fake-memory.ts"
import { worldPacks } from "./fake-pack.ts"
import { worldPipelines } from "./fake-pipeline.ts"
import { fakeTranscripts } from "./fake-run.ts"
import { worldRuns } from "./fake-runs.ts"
import type { Cursor, JournalEntry } from "./fake-shapes.ts"
import { WORLD_OPERATIONS, worldConfig } from "./fake-tables.ts"
import { bodyFor, EPOCH, entry, type WorldState, worldJournal, worldSession } from "./fake-world.ts"

/**
 * A server for looking at the console, never shipped: it serves the built files with the real
 * policy, and invented answers on the real wire.
 *
 * `node console/dev/fake-server.ts [populated|empty|failing|read-only]` prints a link.
 */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
}
const TOKEN = "once"
const COOKIE = "qm=fake"

type Options = {
  state: WorldState
  directory?: string
  port?: number
  /** Hostile texts, which one of the runs says. */
  payloads?: readonly string[]
}

export async function startFakeServer({ state, directory, port = 0, payloads = [] }: Options) {
  const root = directory ?? join(import.meta.dirname, "../dist")
  const world = makeWorld(state, payloads)
  const server = createServer((request, response) => {
    respond({ request, response, world, root, onWritten: () => tell("agents.updated", 1) }).catch(
      (error: unknown) => {
        response.writeHead(500).end(String(error))
      },
    )
  })
  const io = new SocketServer(server, { path: "/live", transports: ["websocket"] })
  const tell = (name: string, count: number) =>
    io.emit("events", { entries: grow(world, name, count), head: headOf(world) })
  let isRefusing = false
  io.use((_socket, next) => next(isRefusing ? new Error("not now") : undefined))
  io.on("connection", (socket) => welcome(socket, world))
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done))
  const address = server.address()
  const used = typeof address === "object" && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${used}`

  return {
    url,
    link: `${url}/#t=${TOKEN}`,
    /** Something happens, and everybody who listens hears of it. */
    happen: (count = 1) => tell("store.backed-up", count),
    /** Another window changes something about runs. */
    change(act: (runs: FakeWorld["runs"]) => void) {
      act(world.runs)
      tell("agents.updated", 1)
    },
    transcripts: world.transcripts,
    /** A stage of a pipeline writes, and everybody hears it. */
    writePipeline: (it: object) => io.emit("pipeline:text", it),
    /** The line breaks; what happens now is missed, until `letIn`. */
    breakOff() {
      isRefusing = true
      io.disconnectSockets(true)
    },
    letIn() {
      isRefusing = false
    },
    async stop() {
      await io.close()
      server.closeAllConnections()
    },
  }
}

function makeWorld(state: WorldState, payloads: readonly string[]): FakeWorld {
  const runs = worldRuns(state)
  const transcripts = fakeTranscripts(payloads)
  const packs = worldPacks(state)
  const memories = worldMemories(state)
  const journal = worldJournal(state)
  const guard = worldGuard(state)
  const ledger = worldLedger(state)
  const config = worldConfig()
  const pipelines = worldPipelines(state)
  return { state, journal, config, runs, packs, memories, guard, ledger, pipelines, transcripts }
}

/** The journal gets so many events more. */
function grow({ journal }: FakeWorld, name: string, count: number): readonly JournalEntry[] {
  const first = (journal.at(-1)?.seq ?? 0) + 1
  const added = Array.from({ length: count }, (_, i) =>
    entry(first + i, name, bodyFor(name, first + i)),
  )
  journal.push(...added)
  return added
}

function welcome(socket: Socket, world: FakeWorld): void {
  world.transcripts.welcome(socket)
  socket.on("subscribe", (from: { after: Cursor | null }, answer: (it: object) => void) => {
    if ("agentId" in from) return
    const { after } = from
    const head = headOf(world)
    if (after !== null && after.epoch !== EPOCH) {
      answer({ kind: "resync", head, reason: "foreign-cursor" })
      return
    }
    answer({ kind: "subscribed", head })
    const missed = after === null ? [] : world.journal.filter((it) => it.seq > after.seq)
    if (missed.length > 0) socket.emit("events", { entries: missed, head })
  })
}

function headOf({ journal }: FakeWorld): Cursor {
  return { epoch: EPOCH, seq: journal.at(-1)?.seq ?? 0 }
}

type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  world: FakeWorld
  root: string
  /** A run or a rule is not as it was. */
  onWritten(): void
}

async function respond({ request, response, world, root, onWritten }: Exchange): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake")
  if (!url.pathname.startsWith("/api/")) return sendFile(response, root, url.pathname)
  const body: unknown = JSON.parse((await readBody(request)) || "{}")
  if (url.pathname === "/api/session" && request.method === "POST") {
    const isRight = JSON.stringify(body) === JSON.stringify({ token: TOKEN })
    response.writeHead(isRight ? 204 : 401, isRight ? { "set-cookie": `${COOKIE}; HttpOnly` } : {})
    response.end()
    return
  }
  if (!request.headers.cookie?.includes(COOKIE)) return sendJson(response, 401, UNKNOWN)
  if (url.pathname === "/api/session") return sendJson(response, 200, worldSession(world.state))
  if (url.pathname === "/api/operations") {
    return sendJson(response, 200, { operations: WORLD_OPERATIONS })
  }
  const { status, answer } = answerOperation(world, url, body)
  sendJson(response, status, answer)
  if (request.method === "POST" && /^\/api\/(agents|permissions)\//.test(url.pathname)) onWritten()
}

const UNKNOWN = {
  code: "HTTP_NOT_SIGNED_IN",
  message: "This request carries no valid session.",
  hint: "Run `qm open` in the repository: it prints a fresh link.",
  data: {},
}

async function sendFile(response: ServerResponse, root: string, path: string): Promise<void> {
  const isFile = /^\/(assets\/)?[\w.-]+\.\w+$/.test(path)
  const file = isFile ? path : "/index.html"
  const bytes = await readFile(join(root, file)).catch(() => undefined)
  if (bytes === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-security-policy": file === "/diagram.html" ? drawingPolicy(bytes) : POLICY,
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
  })
  response.end(bytes)
}

/** As the real server has it for the page that draws: its own script by the hash, and no origin. */
function drawingPolicy(page: Buffer): string {
  const script = page.toString().split(/<\/?script>/)[1] ?? ""
  const hash = createHash("sha256").update(script).digest("base64")
  return `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}

function sendJson(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(answer))
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ""
  request.setEncoding("utf8")
  for await (const chunk of request) text += String(chunk)
  return text
}

if (process.argv[1] === import.meta.filename) {
  const states: readonly WorldState[] = ["populated", "empty", "failing", "read-only"]
  const state = states.find((it) => it === process.argv[2]) ?? "populated"
  const server = await startFakeServer({ state, port: 4299 })
  console.log(server.link)
  setInterval(() => server.happen(), 5_000)
}
