import { createServer, type Server } from "node:http"
import Fastify from "fastify"
import { type Clock, invariant, type Log } from "#ground/base"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import { addApi, addErrors } from "./api.ts"
import { addDocs } from "./docs.ts"
import { createGate } from "./gate.ts"
import type { Keys } from "./keys.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { listenOnLoopback } from "./listen.ts"
import { createLive } from "./live.ts"
import { addPages } from "./pages.ts"

export type HttpDeps = {
  readonly app: App
  readonly store: Store
  readonly keys: Keys
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  /** Folder of the built console. */
  readonly consoleDirectory: string
}

/** The routes there are, so that a test can attack every one of them. */
export type RouteName = { readonly method: string; readonly url: string }

export type Http = Awaited<ReturnType<typeof createHttp>>

/**
 * The server: one guard in front of everything, then the API, the pages and the live stream. It is
 * made first and listens later, because the names it answers to include its port.
 */
export async function createHttp(deps: HttpDeps) {
  const { keys, log } = deps
  const hosts = new Set<string>()
  const gate = createGate({ hosts, scheme: "http", ...keys }, deps)
  const routes: RouteName[] = []
  let made: Server | undefined

  const fastify = Fastify({
    bodyLimit: LARGEST_BODY_BYTES,
    forceCloseConnections: true,
    serverFactory(handler) {
      made = createServer((request, response) => {
        if (gate.admit(request, response)) handler(request, response)
      })
      return made
    },
  })
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const it of [method].flat()) routes.push({ method: it, url })
  })
  addErrors(fastify, (error) => log.error("request failed", { error }))
  addApi(fastify, deps)
  addDocs(fastify, deps)
  addPages(fastify, deps.consoleDirectory)
  await fastify.ready()
  invariant(made !== undefined, "fastify asks for its server while it is made")
  const server = made
  const live = createLive({ server, gate, ...deps })

  let listening: Awaited<ReturnType<typeof listenOnLoopback>> | undefined

  return {
    routes,
    live,
    /** Listen on 127.0.0.1, and on ::1 where there is one. Gives the port. */
    async listen(port: number): Promise<number> {
      listening = await listenOnLoopback({ server, hosts, port })
      return listening.port
    },
    async close(): Promise<void> {
      await live.close()
      await fastify.close()
      await listening?.close()
    },
  }
}
