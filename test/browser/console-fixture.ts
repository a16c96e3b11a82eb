import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import type { OperationInput, OperationName, OperationOutput } from "#ground/contract"
import { type App, createApp } from "#show/app"
import { type HttpServer, serve } from "#show/http"
import { BUILT_PACKAGE, runQm } from "#test/qm"
import { tempDirectory } from "#test/temp"

const ROOT = path.join(import.meta.dirname, "../..")

export type ProxyFixture = Awaited<ReturnType<typeof startConsole>>
export type ConsoleFixture = Omit<ProxyFixture, "proxySession">

/**
 * The real product with its own repository: the console is built from source, the server is that of
 * `qm up`, the store is a file. `await using fixture = await startConsole()`.
 */
export async function startConsole(options: FixtureOptions = {}) {
  const { name = "tideline", branch = "main", backups = 2, built = builtConsole } = options
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const project = path.join(temp.path, name)
  await mkdir(home)
  const [consoleDirectory] = await Promise.all([built(), makeRepository(project, branch)])
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ...(await options.prepare?.({ home, project, parent: temp.path })),
  }

  let running = await start({ project, environment, consoleDirectory, port: 0 })
  const stop = async () => {
    await running.serving.close()
    await running.app[Symbol.asyncDispose]()
  }
  const fixture = {
    project,
    home,
    url: running.serving.url,
    port: running.serving.port,
    link: () => running.serving.link(),
    liveClients: () => running.serving.live.clients(),
    store: () => running.app.store(),
    head: async () => (await (await running.app.store()).journal.head()).seq,
    qm: (args: readonly string[]) => runQm(args, { cwd: project, env: environment }),
    call: async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
      (await running.app.call(name, input, {
        signal: new AbortController().signal,
      })) as OperationOutput<Name>,
    backUp: () => fixture.call("store.backup", {}),
    proxySession: (wanted: Parameters<App["proxySession"]>[0]) => running.app.proxySession(wanted),
    stop,
    /** Restarts the server with the same port and token and fresh state. */
    async startAgain() {
      running = await start({ project, environment, consoleDirectory, port: fixture.port })
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await temp[Symbol.asyncDispose]()
    },
  }
  for (let i = 0; i < backups; i++) await fixture.backUp()
  return fixture
}

type FixtureOptions = {
  readonly name?: string
  readonly branch?: string
  readonly backups?: number
  /** Folder of the served pages (default: the console). */
  readonly built?: () => Promise<string>
  /** Runs before the server starts and returns additional environment variables. */
  readonly prepare?: (folders: FixtureFolders) => Promise<Readonly<Record<string, string>>>
}

type FixtureFolders = {
  readonly home: string
  readonly project: string
  readonly parent: string
}

type Start = {
  readonly project: string
  readonly environment: Readonly<Record<string, string>>
  readonly consoleDirectory: string
  readonly port: number
}

async function start({ project, environment, consoleDirectory, port }: Start): Promise<{
  app: App
  serving: HttpServer
}> {
  const openApp = (directory: string) =>
    createApp({ directory, environment, settings: [], writeLog: () => {} })
  const app = await openApp(project)
  const tools = async (it: App) =>
    (await import("#show/mcp")).createMcp({ app: it, tools: ["core"] })
  const serving = await serve({ app, port, mayMove: false, consoleDirectory, tools, openApp })
  return { app, serving }
}

/** A small repository with two files, one branch and no commit, so git needs no identity. */
export async function makeRepository(folder: string, branch: string): Promise<void> {
  await mkdir(path.join(folder, "docs"), { recursive: true })
  await writeFile(path.join(folder, "README.md"), "# tideline\n\nTides and tariffs of a harbour.\n")
  await writeFile(path.join(folder, "docs", "tariff.md"), "Rounding is to the nearest cent.\n")
  // Plumbing commands, because `git init -b` refuses some names that `git branch` and other tools
  // allow.
  await run("git", ["init", "-q", folder], folder)
  await run("git", ["symbolic-ref", "HEAD", `refs/heads/${branch}`], folder)
}

/**
 * The console built from these sources, by `npm test` or by the first test file that needs it: each
 * builds into its own folder, and the first rename wins.
 */
export async function builtConsole(): Promise<string> {
  if (BUILT_PACKAGE !== undefined) return path.join(BUILT_PACKAGE, "console/dist")
  return await buildOnce("console", buildConsole)
}

export function builtGallery(): Promise<string> {
  return buildOnce("gallery", (into) => build("dev/gallery", into))
}

async function buildOnce(name: string, make: (into: string) => Promise<void>): Promise<string> {
  const cache = path.join(ROOT, `node_modules/.cache/qm-${name}`)
  const folder = path.join(cache, await consoleHash())
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(path.join(cache, "building-"))
  await make(own)
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }))
  return folder
}

/**
 * Hash of every file that the build reads, by name and content; the lock file represents the
 * packages.
 */
async function consoleHash(): Promise<string> {
  const sources =
    "{console/{src,public,dev}/**/*.*,console/*.*,src/ground/contract/**/*.ts,package-lock.json}"
  const hash = createHash("sha256")
  for (const name of globSync(sources, { cwd: ROOT }).toSorted()) {
    hash.update(name).update(await readFile(path.join(ROOT, name)))
  }
  return hash.digest("hex").slice(0, 16)
}

export function buildConsole(into: string): Promise<void> {
  return build(".", into)
}

async function build(folder: string, into: string): Promise<void> {
  const vite = path.join(ROOT, "node_modules/vite/bin/vite.js")
  const options = ["--config", "vite.config.ts", "--outDir", into, "--emptyOutDir"]
  const args = [vite, "build", folder, ...options, "--logLevel", "error"]
  await run(process.execPath, args, path.join(ROOT, "console"))
}

async function run(file: string, args: readonly string[], cwd: string): Promise<void> {
  // With NODE_ENV=test of the test runner, Vite would build React for development.
  const { NODE_ENV: _, ...env } = process.env
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stderr, code] = await Promise.all([text(child.stderr), ended])
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${stderr}`)
}
