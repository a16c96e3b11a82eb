import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { FastifyInstance } from "fastify"
import Fastify from "fastify"
import { type Clock, invariant, type Log } from "#ground/base"
import type { Operation } from "#ground/contract"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import { DOOR_ROUTES } from "./agents-door.ts"
import { addApi, addErrors, answerError, answerMissing } from "./api.ts"
import { RouteMissing } from "./errors.ts"
import { createGate, type Gate } from "./guard/gate.ts"
import type { Keys } from "./guard/keys.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { createLive, type LiveUpdates } from "./live/live.ts"
import { addPages } from "./pages.ts"
import { operationRoutes } from "./routes.ts"
import { listenOnAddress, listenOnLoopback } from "./server/listen.ts"
import { addTools, type Tools } from "./tools.ts"

export type HttpDeps = {
  readonly app: App
  readonly store: Store
  readonly keys: Keys
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly consoleDirectory: string
  /** Serves /mcp; created at the first call. */
  readonly tools?: (() => Promise<Tools>) | undefined
  /** Only for an address that other machines can reach. */
  readonly tls?: Tls | undefined
}

export type Tls = { readonly cert: Buffer; readonly key: Buffer }

/** Lets a test attack every route. */
type RouteName = { readonly method: string; readonly url: string }

/**
 * The server: one guard in front of API, pages and live stream. It listens after creation, because
 * the accepted Host names include the port.
 */
export async function createHttp(deps: HttpDeps) {
  const { keys, log } = deps
  const hosts = new Set<string>()
  const scheme = deps.tls === undefined ? "http" : "https"
  const gate = createGate({ hosts, scheme, ...keys }, deps)
  const routes: RouteName[] = []
  const live = createLive({
    gate,
    runs: await deps.app.agents(),
    pipelines: await deps.app.pipelines(),
    ...deps,
  })
  const { fastify, server } = createRouter({ gate, live, tls: deps.tls })
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const it of [method].flat()) routes.push({ method: it, url })
  })
  addErrors(fastify, (error) => log.error("request failed", { error }))
  const operations = await deps.app.operations()
  addApi(fastify, { ...deps, operations, gate })
  const tools = addTools(fastify, { ...deps, gate })
  addDocs(fastify, { ...deps, operations })
  addHealth(fastify, deps.store)
  addPages(fastify, deps.consoleDirectory)
  await fastify.ready()
  server().on("upgrade", live.handleUpgrade)

  let listening: Awaited<ReturnType<typeof listenOnLoopback>> | undefined

  return {
    routes,
    live,
    /** On loopback unless another address is given; returns the port. */
    async listen(port: number, host?: string): Promise<number> {
      const listen = host === undefined ? listenOnLoopback : listenOnAddress
      listening = await listen({ server: server(), hosts, port, host: host ?? "127.0.0.1" })
      return listening.port
    },
    async close(): Promise<void> {
      gate.close()
      await live.close()
      await tools.close()
      await fastify.close()
      await listening?.close()
    },
  }
}

/** The router fails on a method it does not know, such as QUERY. */
const ROUTED_METHODS: ReadonlySet<string> = new Set(
  "GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "),
)

function answerUnrouted(request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "" } = request
  const { status, body } = answerError(RouteMissing({ method, path: url.split("?")[0] ?? "" }))
  request.resume()
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}

type RouterDeps = { readonly gate: Gate; readonly live: LiveUpdates; readonly tls: Tls | undefined }

function createRouter({ gate, live, tls }: RouterDeps) {
  let made: Server | undefined
  const fastify = Fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    forceCloseConnections: true,
    clientErrorHandler: gate.refuseUnreadable,
    frameworkErrors: (_, request, reply) => void answerMissing(request, reply),
    serverFactory(handler) {
      made = createAnyServer(tls, (request, response) => {
        if (!gate.admit(request, response)) return
        if (live.tryHandle(request, response)) return
        if (ROUTED_METHODS.has(request.method ?? "")) handler(request, response)
        else answerUnrouted(request, response)
      })
      return made
    },
  })
  return {
    fastify,
    server(): Server {
      invariant(made !== undefined, "fastify asks for its server while it is made")
      return made
    },
  }
}

function createAnyServer(tls: Tls | undefined, listener: RequestListener): Server {
  // Without a Host header the guard responds, with our headers and error body.
  const options = { requireHostHeader: false }
  return tls === undefined
    ? createServer(options, listener)
    : createTlsServer({ ...options, ...tls }, listener)
}

/** Public, so it names no path. */
function addHealth(fastify: FastifyInstance, store: Store): void {
  fastify.get("/healthz", async (_, reply) => {
    const problem = store.stopped()
    if (problem === undefined) return { ok: true }
    return reply.code(503).send({ ok: false, problem: `the store refuses writes: ${problem}` })
  })
}

type DocsDeps = { readonly operations: readonly Operation[]; readonly version: string }

/** The API as one HTML page without script. */
function addDocs(fastify: FastifyInstance, deps: DocsDeps): void {
  const page = renderDocs(deps)
  fastify.get("/docs", async (_, reply) => reply.type("text/html; charset=utf-8").send(page))
  fastify.get("/docs/style.css", async (_, reply) => reply.type("text/css").send(STYLE))
}

function renderDocs({ operations: all, version }: DocsDeps): string {
  const operations = operationRoutes(all).map((it) => ({
    ...it,
    summary: it.operation.summary,
  }))
  const rows = [...operations, ...DOOR_ROUTES].map(
    ({ method, path, summary }) =>
      `<tr><td>${method}</td><td><code>${escape(path)}</code></td><td>${escape(summary)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Quartermaster API</title><link rel="stylesheet" href="/docs/style.css"></head>
<body>
<h1>Quartermaster API ${escape(version)}</h1>
<p>Send <code>Authorization: Bearer</code> with what <code>qm token</code> prints. Reading is GET with query
fields, writing is POST with a JSON body. A failure is <code>{ code, message, hint, data }</code>.
The whole description is <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>What it does</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table>
</body>
</html>
`
}

const STYLE = `:root { color-scheme: light dark; font: 14px/20px system-ui, sans-serif }
body { margin: 32px auto; max-width: 880px; padding: 0 24px }
h1 { font-size: 20px; line-height: 28px; font-weight: 550 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
code { font: 12px/16px ui-monospace, monospace }
`

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
