import { readFile } from "node:fs/promises"
import { request } from "node:http"
import { connect, type Socket as TcpSocket } from "node:net"
import path from "node:path"
import { io, type Socket } from "socket.io-client"
import type { Clock } from "#ground/base"
import type { Cursor, JournalEntry, ToolSetName } from "#ground/contract"
import type { Store } from "#ground/store"
import { type App, createApp, type ExtraOperations } from "#show/app"
import { type HttpServer, serve } from "#show/http"
import { tempDirectory } from "./temp.ts"

export type ServerFixture = Awaited<ReturnType<typeof newServer>>

export type ServerOptions = {
  readonly environment?: Readonly<Record<string, string>>
  /** Clock of the server only; the store uses the system clock, so that its own timeouts work. */
  readonly clock?: Clock
  readonly consoleDirectory?: string
  readonly changeApp?: (app: App) => App
  readonly extra?: ExtraOperations
  /** Sets of tools at /mcp (default: core). */
  readonly toolSets?: readonly ToolSetName[]
}

/**
 * A real server on a free port, for a fresh user in a fresh folder: `await using server = await
 * newServer()`. Everything uses real sockets.
 */
export async function newServer(options: ServerOptions = {}) {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const logged: string[] = []
  const open = () =>
    createApp({
      directory: temp.path,
      environment: { QM_HOME: home, ...options.environment },
      settings: [],
      writeLog: (line) => logged.push(line),
      ...(options.extra === undefined ? {} : { extra: options.extra }),
    })
  const start = (app: App, port: number): Promise<HttpServer> =>
    serve({
      app: options.changeApp?.(app) ?? app,
      port,
      mayMove: false,
      tools: async (it) =>
        (await import("#show/mcp")).createMcp({ app: it, tools: options.toolSets ?? ["core"] }),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.consoleDirectory === undefined
        ? {}
        : { consoleDirectory: options.consoleDirectory }),
    })
  let app = await open()
  let serving = await start(app, 0)
  const { port } = serving

  async function stop(): Promise<void> {
    await serving.close()
    await app[Symbol.asyncDispose]()
  }
  return {
    directory: temp.path,
    home,
    logged,
    port,
    host: `127.0.0.1:${port}`,
    serving: () => serving,
    app: () => app,
    store: () => app.store(),
    token: () => readToken(app.places.home),
    ask: async (request: TestRequest) => send(port, await withToken(request, app.places.home)),
    async restart(): Promise<void> {
      await stop()
      app = await open()
      serving = await start(app, port)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await temp[Symbol.asyncDispose]()
    },
  }
}

export async function readToken(home: string): Promise<string> {
  return (await readFile(path.join(home, "token"), "utf8")).trim()
}

export type TestRequest = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
  /** Whether the request includes the user's token (default: yes). */
  readonly token?: "bearer" | "none"
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

async function withToken(request: TestRequest, home: string): Promise<TestRequest> {
  if (request.token === "none") return request
  const authorization = `Bearer ${await readToken(home)}`
  return { ...request, headers: { authorization, ...request.headers } }
}

/** One request with exactly these headers; Host is ours by default and omitted when empty. */
export function send(port: number, options: TestRequest): Promise<Answer> {
  const { host = `127.0.0.1:${port}`, ...others } = options.headers ?? {}
  const headers: Record<string, string | string[]> = { ...others }
  if (options.body !== undefined) {
    headers["content-type"] ??= "application/json"
    headers["content-length"] ??= String(Buffer.byteLength(options.body))
  }
  // Explicit, because node would announce chunks for a missing body.
  const hasNoBody = options.body === undefined && !["GET", "HEAD"].includes(options.method ?? "GET")
  if (hasNoBody) headers["content-length"] ??= "0"
  if (host !== "") headers["host"] = host
  // A flat list, so that a header can be sent twice.
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().flatMap((it) => [name, it]),
  )
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path: options.path,
      method: options.method ?? "GET",
      headers: lines,
      setHost: false,
      agent: false,
    })
    sent.on("error", reject)
    sent.on("upgrade", (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: "" })
    })
    sent.on("response", (response) => {
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
      response.on("error", reject)
    })
    sent.end(options.body)
  })
}

export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let output = ""
    socket.setEncoding("latin1").on("data", (text: string) => {
      output += text
    })
    // A reset after the response counts as an end.
    socket.on("error", () => resolve(output))
    socket.on("close", () => resolve(output))
    socket.write(bytes, "latin1")
  })
}

export const UPGRADE_HEADERS = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "cXVhcnRlcm1hc3Rlci1xbQ==",
} as const

export const LIVE_URL = "/live/?EIO=4&transport=websocket"

/** A client that opens the live stream by hand and then reads nothing from its socket. */
export async function neverReads(
  port: number,
  options: { token: string; after: Cursor | null },
): Promise<TcpSocket> {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  const headers = Object.entries({
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${options.token}`,
    ...UPGRADE_HEADERS,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const collect = (part: string) =>
    new Promise<void>((resolve) => {
      let output = ""
      const listen = (chunk: Buffer) => {
        output += chunk.toString("latin1")
        if (!output.includes(part)) return
        socket.off("data", listen)
        resolve()
      }
      socket.on("data", listen)
    })
  const opened = collect("pingInterval")
  socket.write(`GET ${LIVE_URL} HTTP/1.1\r\n${headers.join("")}\r\n`)
  await opened
  const joined = collect('40{"sid"')
  socket.write(frame("40"))
  await joined
  socket.pause()
  socket.write(frame(`42${JSON.stringify(["subscribe", { after: options.after }])}`))
  return socket
}

/** One masked text frame of a client, up to 64 kB. */
export function frame(text: string): Buffer {
  const body = Buffer.from(text)
  const isLong = body.length > 125
  const head = Buffer.alloc(isLong ? 4 : 2)
  head[0] = 0x81
  head[1] = 0x80 | (isLong ? 126 : body.length)
  if (isLong) head.writeUInt16BE(body.length, 2)
  // A mask of zeros leaves the text unchanged.
  return Buffer.concat([head, Buffer.alloc(4), body])
}

export type Reply = { kind: string; head?: Cursor; reason?: string }

/**
 * A live client like the console: it stores its cursor and subscribes from it at every connection.
 * Disposed at the end of the test.
 */
export function follow(
  url: string,
  options: {
    readonly token: string
    readonly after: Cursor | null
    readonly reconnectMs?: number
    /** The server's own host name, when the connection goes through a proxy. */
    readonly host?: string
  },
) {
  const entries: JournalEntry[] = []
  const replies: Reply[] = []
  const cuts: unknown[] = []
  let after = options.after
  let changed = Promise.withResolvers<void>()
  const tell = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const socket: Socket = io(url, {
    path: "/live",
    transports: ["websocket"],
    forceNew: true,
    extraHeaders: {
      authorization: `Bearer ${options.token}`,
      ...(options.host === undefined ? {} : { host: options.host }),
    },
    reconnectionDelay: options.reconnectMs ?? 5,
    reconnectionDelayMax: options.reconnectMs ?? 5,
    randomizationFactor: 0,
    // Only this timeout detects a connection cut between the socket's opening and its first packet.
    timeout: options.reconnectMs === undefined ? 20_000 : 150,
  })
  socket.on("connect", () => {
    socket.emit("subscribe", { after }, (reply: Reply) => {
      replies.push(reply)
      if (reply.head !== undefined && (after === null || reply.kind === "resync")) {
        after = reply.head
      }
      tell()
    })
  })
  socket.on("events", (page: { entries: readonly JournalEntry[] }) => {
    entries.push(...page.entries)
    const last = page.entries.at(-1)
    if (last !== undefined) after = { epoch: last.epoch, seq: last.seq }
    tell()
  })
  socket.on("cut", (why: unknown) => void cuts.push(why))
  socket.onAny(tell)
  for (const name of ["disconnect", "connect_error"]) socket.on(name, tell)
  // The server disconnected on purpose; socket.io then leaves reconnecting to the client.
  socket.on("disconnect", (reason) => {
    if (reason === "io server disconnect") socket.connect()
  })

  return {
    socket,
    entries,
    replies,
    cuts,
    cursor: () => after,
    /** Resolves when the condition holds; the test timeout is the guard. */
    async until(isSo: () => boolean): Promise<void> {
      while (!isSo()) await changed.promise
    },
    [Symbol.dispose]() {
      socket.disconnect()
    },
  }
}

export type LiveClient = ReturnType<typeof follow>

export async function say(store: Store, count: number, key = "log.level"): Promise<void> {
  await store.forRoom("config").transaction(async (tx) => {
    for (let n = 0; n < count; n++) tx.emit("config.changed", { key, layer: "user", isSet: true })
  })
}

export async function stored(store: Store, from?: Cursor): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (let after = from; ; ) {
    const page = await store.journal.read({ after, limit: 1_000 })
    if (page.kind !== "entries") throw new Error(`the store answers ${page.kind}`)
    if (page.entries.length === 0) return entries
    entries.push(...page.entries)
    after = page.next
  }
}
