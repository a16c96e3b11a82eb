import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import {
  atMost,
  atMostTimes,
  type Bench,
  type BenchContext,
  interleave,
  makeRow,
  type Row,
  within,
} from "./frame.ts"

const ROUNDS = 25
const PAYLOAD = '{"hook_event_name":"PostToolUse","tool_name":"Edit"}'

/** Everyday commands at most 4 times the bare runtime, help 2 times. */
const COMMANDS: Readonly<
  Record<string, { readonly args: readonly string[]; readonly times: number }>
> = {
  "qm help": { args: ["help"], times: 2 },
  "qm --version": { args: ["--version"], times: 2 },
  "qm now": { args: ["now"], times: 4 },
  "qm fold": { args: ["fold"], times: 4 },
  "qm memory": { args: ["memory"], times: 4 },
  "qm capture": { args: ["capture"], times: 4 },
  "qm search": { args: ["search", "rounding of quotes"], times: 4 },
  "qm pack": { args: ["pack", "fix the rounding of quotes"], times: 4 },
  "qm map": { args: ["map"], times: 4 },
  "qm config": { args: ["config"], times: 4 },
  "qm tokens": { args: ["tokens", "CLAUDE.md"], times: 4 },
  "qm runs": { args: ["runs"], times: 4 },
}

export const bench: Bench = {
  name: "start",
  about: "commands of the installed package, from start to end, beside the bare runtime; its sizes",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const bin = install(context, folder)
  const project = path.join(folder, "project")
  createProject(project)
  const run = (args: readonly string[]) => runToEnd(args, { home: folder, cwd: project })
  const contestants = Object.entries(COMMANDS).map(([name, { args }]) => {
    return { name, run: () => run([path.join(bin, "qm.mjs"), ...args]) }
  })
  const hook = { name: "hook", run: () => run([path.join(bin, "qm-hook.mjs")]) }
  // The first start fills the compile cache, the store and the index.
  for (const it of [...contestants, hook]) await it.run()
  const times = await interleave(
    [{ name: "bare", run: () => run(["-e", "0"]) }, hook, ...contestants],
    {
      clock: context.clock,
      rounds: context.rounds ?? ROUNDS,
    },
  )
  const bare = times("bare")
  // The fastest of all rounds: other work on the machine makes a start slower and never faster.
  const row = { unit: "ms", against: "node -e 0", floor: bare.min }
  return [
    ...Object.entries(COMMANDS).map(([what, { times: most }]) =>
      makeRow({ ...row, what, measured: times(what).min, bar: atMostTimes(most) }),
    ),
    makeRow({
      unit: "ms",
      against: "node -e 0, p95",
      floor: bare.p95,
      what: "an empty hook, p95",
      measured: times("hook").p95,
      bar: within(25, "ms"),
    }),
    ...sizesOf(folder),
  ]
}

const LARGEST_TARBALL_BYTES = 12_000_000
const LARGEST_INSTALL_BYTES = 120_000_000

function sizesOf(folder: string): readonly Row[] {
  const tarball = statSync(path.join(folder, tarballIn(folder))).size
  const modules = path.join(folder, "installed/node_modules")
  const files = readdirSync(modules, { recursive: true, withFileTypes: true })
  const sizes = files
    .filter((it) => it.isFile())
    .map((it) => statSync(path.join(it.parentPath, it.name)).size)
  const unpacked = sizes.reduce((sum, it) => sum + it, 0)
  const packages = readdirSync(modules).filter((it) => !it.startsWith("."))
  const row = { unit: "MB", against: "limit" }
  const megabytes = (bytes: number) => bytes / 1_000_000
  return [
    makeRow({
      ...row,
      what: "tarball",
      measured: megabytes(tarball),
      floor: megabytes(LARGEST_TARBALL_BYTES),
      bar: atMost(megabytes(LARGEST_TARBALL_BYTES), "MB"),
    }),
    makeRow({
      ...row,
      what: "unpacked, without the runtime",
      measured: megabytes(unpacked),
      floor: megabytes(LARGEST_INSTALL_BYTES),
      bar: atMost(megabytes(LARGEST_INSTALL_BYTES), "MB"),
    }),
    makeRow({
      what: "installed packages",
      unit: "",
      against: "itself",
      measured: packages.length,
      floor: 1,
      bar: atMost(1, ""),
    }),
  ]
}

function tarballIn(folder: string): string {
  return readdirSync(folder).find((it) => it.endsWith(".tgz")) ?? ""
}

/** Packs the product and installs the tarball, without the runtime; returns its folder bin. */
function install({ root, note }: BenchContext, folder: string): string {
  note("packing and installing the product …")
  npm(["pack", "--pack-destination", folder], root)
  const target = path.join(folder, "installed")
  mkdirSync(target)
  writeFileSync(path.join(target, "package.json"), "{}")
  const flags = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"]
  npm(["install", ...flags, path.join(folder, tarballIn(folder))], target)
  return path.join(target, "node_modules/quartermaster/bin")
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${stderr}`)
}

function createProject(folder: string): void {
  mkdirSync(path.join(folder, "src"), { recursive: true })
  writeFileSync(path.join(folder, "CLAUDE.md"), "# Rules\nRound quotes half to even.\n")
  writeFileSync(path.join(folder, "src/quote.ts"), "export const roundQuote = Math.round\n")
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
  ])
    spawnSync("git", args, { cwd: folder })
  const author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
  spawnSync("git", [...author, "commit", "-qm", "Add quotes"], { cwd: folder })
}

type Surroundings = { readonly home: string; readonly cwd: string }

function runToEnd(args: readonly string[], { home, cwd }: Surroundings): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: home }
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "ignore", "inherit"] })
    child.stdin.on("error", () => {})
    child.stdin.end(PAYLOAD)
    child.on("error", reject)
    child.on("exit", (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${args.join(" ")} ended with ${code}`))
    })
  })
}
