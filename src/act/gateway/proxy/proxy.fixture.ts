import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type ServerResponse,
} from "node:http"
import { connect, type Socket } from "node:net"
import { type Clock, createLog, invariant, systemClock, systemRandom } from "#ground/base"
import { type Exchange, type Header, type SessionPort } from "./exchange.ts"
import { createProxy } from "./proxy.ts"

export type UpstreamRequest = {
  readonly method: string
  readonly url: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly rawTrailers: readonly string[]
  readonly connection: number
}

type Provider = Awaited<ReturnType<typeof newProvider>>
type Answer = (response: ServerResponse, seen: UpstreamRequest, request: IncomingMessage) => void

export async function newProvider(answer: Answer, options: { readonly early?: Answer } = {}) {
  const seen: UpstreamRequest[] = []
  const sockets = new Set<Socket>()
  const order: Socket[] = []
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    response.sendDate = false
    const of = (body: Buffer): UpstreamRequest => ({
      method: request.method ?? "",
      url: request.url ?? "",
      rawHeaders: request.rawHeaders,
      body,
      rawTrailers: request.rawTrailers,
      connection: order.indexOf(request.socket),
    })
    if (options.early !== undefined) return options.early(response, of(Buffer.alloc(0)), request)
    const chunks: Buffer[] = []
    request.on("error", () => {})
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const it = of(Buffer.concat(chunks))
      seen.push(it)
      answer(response, it, request)
    })
  })
  server.maxHeadersCount = 0
  server.on("connection", (socket) => {
    order.push(socket)
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  invariant(address !== null && typeof address === "object", "it listens on a port")
  const { port } = address
  return {
    seen,
    port,
    url: new URL(`http://127.0.0.1:${port}`),
    connections: () => order.length,
    /** As a provider does with idle connections. */
    dropConnections: () => {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type FixtureOptions = Partial<SessionPort> & {
  readonly clock?: Clock
  readonly proxyEnvironment?: Record<string, string>
}

export async function newFixture(provider: Pick<Provider, "url">, options: FixtureOptions = {}) {
  const { clock = systemClock, proxyEnvironment = {}, ...port } = options
  const exchanges: Exchange[] = []
  const waiting: (() => void)[] = []
  const lines: string[] = []
  const log = createLog({ clock, level: "debug", write: (line) => lines.push(line) })
  const proxy = createProxy({ clock, random: systemRandom, log, proxyEnvironment })
  const session = await proxy.open({
    upstream: provider.url,
    wire: "anthropic",
    done(exchange) {
      exchanges.push(exchange)
      for (const wake of waiting.splice(0)) wake()
    },
    ...port,
  })
  const { port: number } = new URL(session.url)
  return {
    proxy,
    session,
    exchanges,
    lines,
    port: Number(number),
    host: `127.0.0.1:${number}`,
    base: new URL(session.url).pathname,
    async exchange(index = 0): Promise<Exchange> {
      while (exchanges.length <= index) await new Promise<void>((wake) => waiting.push(wake))
      const exchange = exchanges[index]
      invariant(exchange !== undefined, "it was waited for")
      return exchange
    },
    async [Symbol.asyncDispose]() {
      await proxy.close()
    },
  }
}

type ProxyResponse = {
  readonly status: number
  readonly statusMessage: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly rawTrailers: readonly string[]
}

type Question = {
  readonly method?: string
  readonly path: string
  readonly headers?: readonly Header[]
  readonly body?: Buffer | string
  readonly agent?: Agent
}

/** Rejects when the answer is cut. */
export function ask(port: number, question: Question): Promise<ProxyResponse> {
  const { method = "POST", path, headers = [], body = "", agent } = question
  const length: Header[] =
    body.length > 0 ? [["Content-Length", String(Buffer.byteLength(body))]] : []
  const lines = [["Host", `127.0.0.1:${port}`] as const, ...headers, ...length].flat()
  return new Promise((resolve, reject) => {
    const at = { host: "127.0.0.1", port, method, path, headers: lines, maxHeaderSize: 256 * 1024 }
    const sent = requestPlain({ ...at, agent: agent ?? false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on("data", (chunk: Buffer) => chunks.push(chunk))
      answer.on("error", reject)
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          statusMessage: answer.statusMessage ?? "",
          rawHeaders: answer.rawHeaders,
          body: Buffer.concat(chunks),
          rawTrailers: answer.rawTrailers,
        }),
      )
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

/** All bytes until the other side closes. */
export function sendRaw(port: number, text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    const chunks: Buffer[] = []
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("error", reject)
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")))
    socket.write(text)
  })
}

export function keepAlive(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
