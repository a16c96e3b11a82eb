import {
  type Clock,
  packageFile,
  type Random,
  systemClock,
  systemRandom,
  versions,
} from "#ground/base"
import type { App } from "#show/app"
import { AlreadyRunning, PortInvalid, PortTaken } from "../errors.ts"
import { createKeys } from "../guard/keys.ts"
import { createTokenReader, readOrMakeToken } from "../guard/token-file.ts"
import { createHttp, type Tls } from "../http.ts"
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
  readonly clock?: Clock
  readonly random?: Random
}

export type ExposedAddress = { readonly host: string; readonly tls: Tls }

export type HttpServer = Awaited<ReturnType<typeof serve>>

const CONSOLE_DIRECTORY = packageFile("console/dist")

export async function serve(options: ServeOptions) {
  const { app, clock = systemClock, random = systemRandom } = options
  const { home, repository } = app.places
  await readOrMakeToken(home, random)
  const keys = createKeys({ token: createTokenReader(home), home, clock, random })
  // Ends branches of a dead server before a client can ask for one.
  await app.fold()
  const http = await createHttp({
    app,
    store: await app.store(),
    keys,
    clock,
    log: app.log,
    version: versions().qm,
    consoleDirectory: options.consoleDirectory ?? CONSOLE_DIRECTORY,
    tools: toolsOf(options),
    tls: options.exposed?.tls,
  })
  try {
    const port = await listenSomewhere(http.listen, options)
    const url = urlOf(options.exposed, port)
    const isOurs = await recordRunning(repository.stateDirectory, { port, url })
    if (!isOurs) throw AlreadyRunning({ root: repository.root })
    await settleRuns(app)
    return {
      url,
      port,
      routes: http.routes,
      live: http.live,
      /** A link that signs one browser in, once. */
      link: () => `${url}/#t=${keys.issueLink()}`,
      async close(): Promise<void> {
        await forgetRunning(repository.stateDirectory)
        await http.close()
      },
    }
  } catch (error) {
    await http.close()
    throw error
  }
}

function toolsOf({ app, tools }: ServeOptions): (() => Promise<Tools>) | undefined {
  return tools === undefined ? undefined : () => tools(app)
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
