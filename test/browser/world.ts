import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { text } from "node:stream/consumers"
import { type App, createApp } from "#show/app"
import { type Serving, serve } from "#show/http"
import { runQm } from "#test/qm"
import { tempDirectory } from "#test/temp"

const ROOT = path.join(import.meta.dirname, "../..")

/** With the gateway of its server at hand. */
export type CarryingWorld = Awaited<ReturnType<typeof startWorld>>
export type World = Omit<CarryingWorld, "carry">

/**
 * The real product on a repository of its own: the console is built from its sources, the server is
 * the one of `qm up`, the store is a file. `await using world = await startWorld()`.
 */
export async function startWorld(options: WorldOptions = {}) {
  const { name = "tideline", branch = "main", backups = 2 } = options
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const project = path.join(temp.path, name)
  await mkdir(home)
  const [consoleDirectory] = await Promise.all([builtConsole(), makeRepository(project, branch)])
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home }

  let running = await start({ project, environment, consoleDirectory, port: 0 })
  const stop = async () => {
    await running.serving.close()
    await running.app[Symbol.asyncDispose]()
  }
  const world = {
    project,
    home,
    url: running.serving.url,
    port: running.serving.port,
    link: () => running.serving.link(),
    liveClients: () => running.serving.live.clients(),
    store: () => running.app.store(),
    head: async () => (await (await running.app.store()).journal.head()).seq,
    /** `qm`, as another process beside the server. */
    qm: (args: readonly string[]) => runQm(args, { cwd: project, env: environment }),
    backUp: () => call(running.app, "store.backup"),
    /** A process of a host whose requests go through the server's own gateway. */
    carry: (wanted: Parameters<App["carry"]>[0]) => running.app.carry(wanted),
    stop,
    /** The server of before in a new life: same port, same token, a fresh process' worth of state. */
    async startAgain() {
      running = await start({ project, environment, consoleDirectory, port: world.port })
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await temp[Symbol.asyncDispose]()
    },
  }
  for (let i = 0; i < backups; i++) await world.backUp()
  return world
}

type WorldOptions = {
  /** Name of the repository's folder. */
  readonly name?: string
  readonly branch?: string
  /** How often the store is backed up at the start: each leaves an event. */
  readonly backups?: number
}

type Start = {
  readonly project: string
  readonly environment: Readonly<Record<string, string>>
  readonly consoleDirectory: string
  readonly port: number
}

async function start({ project, environment, consoleDirectory, port }: Start): Promise<{
  app: App
  serving: Serving
}> {
  const app = await createApp({
    directory: project,
    environment,
    settings: [],
    writeLog: () => {},
  })
  const tools = async (it: App) =>
    (await import("#show/mcp")).createMcp({ app: it, tools: ["core"] })
  return { app, serving: await serve({ app, port, mayMove: false, consoleDirectory, tools }) }
}

function call(app: App, name: string): Promise<unknown> {
  return app.call(name, {}, { signal: new AbortController().signal })
}

/** A small repository with two files and one branch, and no commit: git needs no identity for it. */
export async function makeRepository(folder: string, branch: string): Promise<void> {
  await mkdir(path.join(folder, "docs"), { recursive: true })
  await writeFile(path.join(folder, "README.md"), "# tideline\n\nTides and tariffs of a harbour.\n")
  await writeFile(path.join(folder, "docs", "tariff.md"), "Rounding is to the nearest cent.\n")
  // Plumbing, because `git init -b` refuses some names that `git branch` and other tools allow.
  await run("git", ["init", "-q", folder], folder)
  await run("git", ["symbolic-ref", "HEAD", `refs/heads/${branch}`], folder)
}

/**
 * The console of these very sources, built by the first test file that needs it and read by all.
 * Each builds into a folder of its own, and the first to rename it wins.
 */
export async function builtConsole(): Promise<string> {
  const cache = path.join(ROOT, "node_modules/.cache/qm-console")
  const folder = path.join(cache, await consoleHash())
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(path.join(cache, "building-"))
  await buildConsole(own)
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }))
  return folder
}

/** Of every file that the build reads, by name and content; the lock file stands for the packages. */
async function consoleHash(): Promise<string> {
  const sources =
    "{console/{src,public,dev}/**/*.*,console/*.*,src/ground/contract/**/*.ts,package-lock.json}"
  const hash = createHash("sha256")
  for (const name of globSync(sources, { cwd: ROOT }).toSorted()) {
    hash.update(name).update(await readFile(path.join(ROOT, name)))
  }
  return hash.digest("hex").slice(0, 16)
}

/** About two seconds of computing. */
export async function buildConsole(into: string): Promise<void> {
  const vite = path.join(ROOT, "node_modules/vite/bin/vite.js")
  const args = [vite, "build", "--outDir", into, "--emptyOutDir", "--logLevel", "error"]
  await run(process.execPath, args, path.join(ROOT, "console"))
}

async function run(file: string, args: readonly string[], cwd: string): Promise<void> {
  // Vite takes NODE_ENV=test of the test runner for a wish to build React for development.
  const { NODE_ENV: _, ...env } = process.env
  const child = spawn(file, args, { cwd, env, stdio: ["ignore", "ignore", "pipe"] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stderr, code] = await Promise.all([text(child.stderr), ended])
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${stderr}`)
}
