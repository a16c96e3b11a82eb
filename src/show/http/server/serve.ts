import {
  type Clock,
  packageFile,
  type Random,
  systemClock,
  systemRandom,
  versions,
} from "#ground/base"
import type { Store } from "#ground/store"
import { type App, findRegistered } from "#show/app"
import { AlreadyRunning, PortInvalid, PortTaken } from "../errors.ts"
import type { OpenedRepository } from "../fleet.ts"
import { createKeys } from "../guard/keys.ts"
import { createTokenReader, readOrMakeToken } from "../guard/token-file.ts"
import { createHttp, type Tls } from "../http.ts"
import { followForTelemetry } from "../telemetry/follow-journal.ts"
import { createOtlpExporter, parseHeaders } from "../telemetry/otlp-exporter.ts"
import type { Tools } from "../tools.ts"
import { forgetRunning, recordRunning } from "./running-server.ts"

const PORTS_TRIED = 20

export type ServeOptions = {
  readonly app: App
  /** 0 means any free port. */
  readonly port: number
  /** Whether another port may be used if this one is in use. */
  readonly mayMove: boolean
  /** An address that other machines can reach; requires TLS. */
  readonly exposed?: ExposedAddress | undefined
  readonly consoleDirectory?: string
  /** Passed in by `main.ts`. */
  readonly tools?: ((app: App) => Promise<Tools>) | undefined
  /** Opens another repository of this user; without it only the own one is served. */
  readonly openApp?: ((directory: string) => Promise<App>) | undefined
  readonly clock?: Clock
  readonly random?: Random
}

export type ExposedAddress = { readonly host: string; readonly tls: Tls }

export type HttpServer = Awaited<ReturnType<typeof serve>>

export const CONSOLE_DIRECTORY = packageFile("console/dist")

export async function serve(options: ServeOptions) {
  const { app, clock = systemClock, random = systemRandom } = options
  const { home, repository } = app.places
  await readOrMakeToken(home, random)
  const keys = createKeys({ token: createTokenReader(home), home, clock, random })
  // Ends branches of a dead server before a client can ask for one.
  await app.fold()
  const store = await app.store()
  const telemetry = startTelemetry(app, { store, clock })
  const http = await createHttp({
    app,
    store,
    telemetry: telemetry.counts,
    keys,
    clock,
    log: app.log,
    version: versions().qm,
    consoleDirectory: options.consoleDirectory ?? CONSOLE_DIRECTORY,
    toolsOf: options.tools,
    openRepository: (id) => openRepository(id, options, () => served),
    tls: options.exposed?.tls,
  })
  let served: ServedAddress | undefined
  try {
    const port = await listenSomewhere(http.listen, options)
    const url = urlOf(options.exposed, port)
    const isOurs = await recordRunning(repository.stateDirectory, { port, url })
    if (!isOurs) throw AlreadyRunning({ root: repository.root })
    served = { port, url }
    // The first server of the user shows all repositories.
    await recordRunning(home, served)
    await settleRuns(app)
    return {
      url,
      port,
      routes: http.routes,
      live: http.live,
      /** A link that signs one browser in, once. */
      link: () => `${url}/#t=${keys.issueLink()}`,
      async close(): Promise<void> {
        telemetry.close()
        await forgetRunning(home)
        await forgetRunning(repository.stateDirectory)
        await http.close()
      },
    }
  } catch (error) {
    telemetry.close()
    await http.close()
    throw error
  }
}

/** Off unless the user names a collector. */
function startTelemetry(
  app: App,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
) {
  const { otlp: endpoint, headers } = app.config().telemetry
  if (endpoint === "") return { counts: () => undefined, close() {} }
  const { log } = app
  const version = versions().qm
  const exporter = createOtlpExporter({
    endpoint,
    headers: parseHeaders(headers),
    version,
    clock,
    log,
  })
  const stop = followForTelemetry({ app, store, clock, log, exporter })
  return {
    counts: exporter.counts,
    close() {
      stop()
      exporter.close()
    },
  }
}

type ServedAddress = { readonly port: number; readonly url: string }

/** A repository of the user's list, like `serve` opens its own. */
async function openRepository(
  id: string,
  { app: own, openApp }: ServeOptions,
  served: () => ServedAddress | undefined,
): Promise<OpenedRepository | undefined> {
  const root = await findRegistered(own.places.home, id)
  if (root === undefined || openApp === undefined) return undefined
  const app = await openApp(root)
  const { stateDirectory } = app.places.repository
  try {
    await app.fold()
    const address = served()
    const isOurs =
      address !== undefined &&
      (await recordRunning(stateDirectory, { ...address, url: `${address.url}/r/${id}` }))
    // Otherwise another server runs its agents; this one only shows them.
    if (isOurs) await settleRuns(app)
  } catch (error) {
    await app[Symbol.asyncDispose]()
    throw error
  }
  return {
    app,
    async close() {
      await forgetRunning(stateDirectory)
      await app[Symbol.asyncDispose]()
    },
  }
}

/** Recovers runs that a dead server left as running, and starts queued ones. */
async function settleRuns(app: App): Promise<void> {
  const agents = await app.agents()
  const settled = await agents.recover()
  if (settled > 0) app.log.warn("recovered interrupted runs", { runs: settled })
  await agents.fill()
  agents.watch()
  const pipelines = await app.pipelines()
  await pipelines.recover()
  pipelines.watch()
}

async function listenSomewhere(
  listen: (port: number, host?: string) => Promise<number>,
  { port, mayMove, exposed }: ServeOptions,
): Promise<number> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw PortInvalid({ port })
  const tries = mayMove ? PORTS_TRIED : 1
  for (let at = port; ; at++) {
    try {
      return await listen(at, exposed?.host)
    } catch (error) {
      const isLast = at - port + 1 >= tries
      if (!PortTaken.is(error) || isLast) throw error
    }
  }
}

function urlOf(exposed: ExposedAddress | undefined, port: number): string {
  if (exposed === undefined) return `http://127.0.0.1:${port}`
  const { host } = exposed
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`
}
