import path from "node:path"
import { openPage, openWindow, statFile, systemRandom } from "#ground/base"
import { type App, beginDemo, registerRepository, repositoryId } from "#show/app"
import { AlreadyRunning, ClientNameInvalid, NotRunning } from "../errors.ts"
import { clientToken, isClientName } from "../guard/keys.ts"
import { readOrMakeToken, replaceToken } from "../guard/token-file.ts"
import { readExposure } from "./expose.ts"
import { askForLink, findRunning, type RunningServer } from "./running-server.ts"
import { CONSOLE_DIRECTORY, type HttpServer, type ServeOptions, serve } from "./serve.ts"

type Environment = Readonly<Record<string, string | undefined>>

export type ServeCall = {
  readonly app: App
  readonly input: Readonly<Record<string, unknown>>
  readonly environment: Environment
  readonly isTerminal: boolean
  readonly signal: AbortSignal
  /** Opens another repository of this user. */
  openApp?(directory: string): Promise<App>
  /** Shows in the terminal's title how many approvals wait. */
  showWaiting?(repository: string, waiting: number): void
  say(text: string): void
}

/** Other surfaces that the server offers, passed in by `main.ts`. */
export type ProxiedHost = Pick<ServeOptions, "tools">

/**
 * `qm up`: serves until stopped, or prints a link to the server already running.
 */
export async function up(call: ServeCall, proxied: ProxiedHost = {}): Promise<number> {
  const { app, say } = call
  const running = await findRunning(app.places.repository.stateDirectory)
  if (running !== undefined) return pointAt(running, call)
  await registerRepository(app.places.home, app.places.repository.root, Date.now())
  const joined = await tryJoin(call)
  if (joined !== undefined) return joined
  const serving = await serveAsAsked(call, proxied).catch((error: unknown) => {
    if (AlreadyRunning.is(error)) return undefined
    throw error
  })
  // Another process started its server first.
  if (serving === undefined) return open(call)
  if (call.input["demo"] === true) await beginDemo(app)
  const link = serving.link()
  say(`Quartermaster for ${app.places.repository.root}`)
  say(`  ${link}`)
  const isBuilt = await checkConsoleBuilt()
  if (!isBuilt) say(CONSOLE_NOT_BUILT)
  say("The link signs in one browser, once. Run `qm open` for another. Ctrl-C stops the server.")
  if (isBuilt && wantsPage(call)) await openPage(link, call.environment)
  const stopWatching = await watchWaiting(call)
  await untilAborted(call.signal)
  stopWatching()
  await serving.close()
  say("Stopped.")
  return 0
}

export const CONSOLE_NOT_BUILT =
  "The console is not built here, so the link shows no page. Run `npm run build`; the API works."

/** A clone has no built console; an installed package has one. */
export async function checkConsoleBuilt(directory: string = CONSOLE_DIRECTORY): Promise<boolean> {
  return (await statFile(path.join(directory, "index.html"))).kind === "found"
}

/**
 * One server shows all repositories of a user: if one runs, it opens this one too. A command that
 * names a port or an address gets its own server.
 */
async function tryJoin(call: ServeCall): Promise<number | undefined> {
  const { app, input, say } = call
  const { home, repository } = app.places
  const wantsOwn = ["port", "host", "demo"].some((it) => Boolean(input[it]))
  const running = wantsOwn ? undefined : await findRunning(home)
  if (running === undefined) return undefined
  const url = `${running.url}/r/${repositoryId(repository.root)}`
  const link = await linkOf({ ...running, url }, app).catch((error: unknown) => {
    // A server of an older version serves one repository only.
    if (NotRunning.is(error)) return undefined
    throw error
  })
  if (link === undefined) return undefined
  say(`Quartermaster for ${repository.root}, in the server that already runs`)
  say(`  ${link}`)
  if (wantsPage(call)) await openPage(link, call.environment)
  return 0
}

async function serveAsAsked(
  { app, input, openApp, say }: ServeCall,
  proxied: ProxiedHost,
): Promise<HttpServer> {
  const requestedPort = typeof input["port"] === "number" ? input["port"] : undefined
  const port = requestedPort ?? app.config().server.port
  const mayMove = requestedPort === undefined && app.isDefault("server.port")
  const exposed = await readExposure(input)
  const serving = await serve({ app, port, mayMove, exposed, openApp, ...proxied })
  if (port !== 0 && serving.port !== port) say(`Port ${port} is in use; using ${serving.port}.`)
  if (exposed !== undefined) say(`Other machines can reach this server at ${exposed.host}.`)
  return serving
}

/**
 * `qm open`: a new link to the running server, in a browser or an app window.
 */
export async function open(call: ServeCall): Promise<number> {
  const { app, input, say } = call
  const { stateDirectory, root } = app.places.repository
  const running = await findRunning(stateDirectory)
  if (running === undefined) throw NotRunning({ root })
  const link = await linkOf(running, app)
  say(link)
  if (input["window"] === true) {
    const program = await openWindow(link, call.environment)
    if (program === undefined) {
      say(
        "Chromium was not found. Open the link in a browser; its menu can install the page as an app.",
      )
    }
  } else if (call.isTerminal) await openPage(link, call.environment)
  return 0
}

/**
 * `qm token`: the bearer token for scripts, or for one MCP client. `--revoke` replaces it first.
 */
export async function token({ app, input, say }: ServeCall): Promise<number> {
  const client = input["client"]
  if (typeof client === "string" && !isClientName(client)) throw ClientNameInvalid({ name: client })
  const readToken = input["revoke"] === true ? replaceToken : readOrMakeToken
  const own = await readToken(app.places.home, systemRandom)
  say(typeof client === "string" ? clientToken(own, client) : own)
  return 0
}

async function pointAt(running: RunningServer, call: ServeCall): Promise<number> {
  const link = await linkOf(running, call.app)
  call.say(`Already running for ${call.app.places.repository.root}`)
  call.say(`  ${link}`)
  if (wantsPage(call)) await openPage(link, call.environment)
  return 0
}

async function linkOf({ url }: RunningServer, app: App): Promise<string> {
  const bearer = await readOrMakeToken(app.places.home, systemRandom)
  return askForLink(url, bearer)
}

function wantsPage({ input, isTerminal }: ServeCall): boolean {
  return isTerminal && input["open"] !== false
}

/** Counts the waiting approvals at each change of the store, one count at a time. */
async function watchWaiting({ app, signal, showWaiting }: ServeCall): Promise<() => void> {
  if (showWaiting === undefined) return () => {}
  const name = path.basename(app.places.repository.root)
  const agents = await app.agents()
  let [isCounting, isStale] = [false, false]
  const count = async (): Promise<void> => {
    isStale = isCounting
    if (isCounting) return
    isCounting = true
    try {
      const open = await agents.approvals()
      if (!signal.aborted) showWaiting(name, open.length)
    } catch (error) {
      app.log.warn("waiting approvals could not be counted", { error })
    } finally {
      isCounting = false
    }
    if (isStale) await count()
  }
  await count()
  return (await app.store()).onAdvance(() => void count())
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
}
