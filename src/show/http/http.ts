import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Duplex } from "node:stream"
import type { FastifyInstance } from "fastify"
import Fastify from "fastify"
import { type AppError, type Clock, invariant, type Log } from "#ground/base"
import type { Operation } from "#ground/contract"
import type { Store } from "#ground/store"
import { type App, RepositoryUnknown, repositoryId } from "#show/app"
import { DOOR_ROUTES } from "./agents-door.ts"
import { addApi, addErrors, answerError, answerMissing } from "./api.ts"
import { RepositoryNotShared, RouteMissing } from "./errors.ts"
import { createFleet, type OpenedRepository, takeRepository } from "./fleet.ts"
import { createGate, type Gate } from "./guard/gate.ts"
import { isGuardedPath } from "./guard/guard.ts"
import type { Keys } from "./guard/keys.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { createLive, type LiveUpdates } from "./live/live.ts"
import { addPages } from "./pages.ts"
import { operationRoutes } from "./routes.ts"
import { listenOnAddress, listenOnLoopback } from "./server/listen.ts"
import { addMetrics } from "./telemetry/metrics.ts"
import type { OtlpExporter } from "./telemetry/otlp-exporter.ts"
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
  readonly toolsOf?: ((app: App) => Promise<Tools>) | undefined
  readonly openRepository?: ((id: string) => Promise<OpenedRepository | undefined>) | undefined
  /** Only for an address that other machines can reach. */
  readonly tls?: Tls | undefined
  /** Numbers of the exporter, if there is one. */
  readonly telemetry?: (() => ReturnType<OtlpExporter["counts"]> | undefined) | undefined
}

export type Tls = { readonly cert: Buffer; readonly key: Buffer }

/** Lets a test attack every route. */
type RouteName = { readonly method: string; readonly url: string }

/**
 * The server: one guard in front of API, pages and live stream of each repository. It listens after
 * creation, because the accepted Host names include the port. The own repository is at `/`, the
 * others of the user's list at `/r/<id>/`.
 */
export async function createHttp(deps: HttpDeps) {
  const { keys } = deps
  const hosts = new Set<string>()
  const scheme = deps.tls === undefined ? "http" : "https"
  const gate = createGate(
    { hosts, scheme, ...keys },
    {
      ...deps,
      people: deps.app.people,
      requestsPerMinute: () => deps.app.config().team.requestsPerMinute,
    },
  )
  const ownId = repositoryId(deps.app.places.repository.root)
  const fleet = createFleet(async (id) => {
    const opened = await deps.openRepository?.(id)
    if (opened === undefined) throw RepositoryUnknown({ given: id })
    const { app, close } = opened
    const site = await createSite({ ...deps, app, store: await app.store(), gate }, unheard)
    return {
      ...site,
      async close() {
        try {
          await site.close()
        } finally {
          await close()
        }
      },
    }
  })
  // Other repositories of the machine's user are not the team's.
  const isPerson = (request: IncomingMessage) => gate.senderOf(request).key !== undefined
  const serve = (handle: RequestListener): Server =>
    createAnyServer(deps.tls, (request, response) => {
      const id = takeRepository(request, ownId)
      gate.admit(request, response, () => {
        // Pages are the same for all repositories, and are served without opening one.
        if (id === undefined || !isGuardedPath(request.url ?? "")) handle(request, response)
        else if (isPerson(request)) answerRefused(request, response, RepositoryNotShared({}))
        else fleet.handle(id, request, response)
      })
    })
  const own = await createSite({ ...deps, gate }, serve)
  const { server } = own
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const id = takeRepository(request, ownId)
    gate.admitUpgrade(request, socket, () => {
      if (id === undefined) own.live.handleUpgrade(request, socket, head)
      else if (isPerson(request)) gate.refuseUpgrade(RepositoryNotShared({}), socket)
      else fleet.handleUpgrade(id, { request, socket, head })
    })
  })

  let listening: Awaited<ReturnType<typeof listenOnLoopback>> | undefined

  return {
    routes: own.routes,
    live: own.live,
    /** On loopback unless another address is given; returns the port. */
    async listen(port: number, host?: string): Promise<number> {
      const listen = host === undefined ? listenOnLoopback : listenOnAddress
      listening = await listen({ server, hosts, port, host: host ?? "127.0.0.1" })
      return listening.port
    },
    async close(): Promise<void> {
      gate.close()
      await fleet.close()
      await own.close()
      await listening?.close()
    },
  }
}

/** The server of a repository that another one serves receives no connection itself. */
const unheard = (): Server => createServer()

type SiteDeps = HttpDeps & { readonly gate: Gate }

/** API, pages and live stream of one repository, behind the guard. */
async function createSite(deps: SiteDeps, serve: (handle: RequestListener) => Server) {
  const routes: RouteName[] = []
  const live = createLive({
    ...deps,
    runs: await deps.app.agents(),
    pipelines: await deps.app.pipelines(),
  })
  const { fastify, server, handle } = createRouter({ gate: deps.gate, live, serve })
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const it of [method].flat()) routes.push({ method: it, url })
  })
  addErrors(fastify, (error) => deps.log.error("request failed", { error }))
  const operations = await deps.app.operations()
  addApi(fastify, { ...deps, operations })
  const { app, gate, toolsOf } = deps
  const tools = addTools(fastify, { gate, ...(toolsOf && { tools: () => toolsOf(app) }) })
  addDocs(fastify, { ...deps, operations })
  addHealth(fastify, deps.store)
  addMetrics(fastify, deps)
  addPages(fastify, deps.consoleDirectory)
  await fastify.ready()
  return {
    routes,
    live,
    server,
    handle,
    async close(): Promise<void> {
      await live.close()
      await tools.close()
      await fastify.close()
    },
  }
}

/** The router fails on a method it does not know, such as QUERY. */
const ROUTED_METHODS: ReadonlySet<string> = new Set(
  "GET HEAD POST PUT PATCH DELETE OPTIONS".split(" "),
)

function answerUnrouted(request: IncomingMessage, response: ServerResponse): void {
  const { method = "", url = "" } = request
  answerRefused(request, response, RouteMissing({ method, path: url.split("?")[0] ?? "" }))
}

function answerRefused(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const { status, body } = answerError(error)
  request.resume()
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" })
  response.end(JSON.stringify(body))
}

type RouterDeps = {
  readonly gate: Gate
  readonly live: LiveUpdates
  serve(handle: RequestListener): Server
}

function createRouter({ gate, live, serve }: RouterDeps) {
  let made: { readonly server: Server; readonly handle: RequestListener } | undefined
  const fastify = Fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    forceCloseConnections: true,
    clientErrorHandler: gate.refuseUnreadable,
    frameworkErrors: (_, request, reply) => void answerMissing(request, reply),
    serverFactory(handler) {
      const handle: RequestListener = (request, response) => {
        if (live.tryHandle(request, response)) return
        if (ROUTED_METHODS.has(request.method ?? "")) handler(request, response)
        else answerUnrouted(request, response)
      }
      made = { handle, server: serve(handle) }
      return made.server
    },
  })
  invariant(made !== undefined, "fastify asks for its server while it is made")
  return { fastify, ...made }
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
<p>Send <code>Authorization: Bearer</code> with the output of <code>qm token</code>. Reading is GET with query
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
