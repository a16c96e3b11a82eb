import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import Fastify from "fastify"
import { type Clock, invariant, type Log } from "#ground/base"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import { addApi, addErrors, answerMissing } from "./api.ts"
import { addDocs } from "./docs.ts"
import { createGate, type Gate } from "./guard/gate.ts"
import type { Keys } from "./guard/keys.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { listenOnAddress, listenOnLoopback } from "./listen.ts"
import { createLive, type LiveUpdates } from "./live/live.ts"
import { addPages } from "./pages.ts"
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
  const { operations } = deps.app
  addApi(fastify, { ...deps, operations, gate })
  const tools = addTools(fastify, { ...deps, gate })
  addDocs(fastify, { ...deps, operations })
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
      await live.close()
      await tools.close()
      await fastify.close()
      await listening?.close()
    },
  }
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
        if (!live.tryHandle(request, response)) handler(request, response)
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
