import { spawn, spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { beforeAll, describe, expect, test } from "vitest"
import { mapStack, once } from "#ground/base"
import { git } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { launchChromium } from "../browser/chromium.ts"

const ROOT = path.join(import.meta.dirname, "../..")
const LINK = /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/

/** DESIGN, "Numbers": limits of the published package. */
const LARGEST_TARBALL_BYTES = 14_000_000
const LARGEST_PACKAGE_BYTES = 120_000_000

const temp = await tempDirectory()
const tarball = path.join(temp.path, "quartermaster.tgz")

/** A way to have qm: its command, and the PATH of the user. */
type Installation = { readonly qm: string; readonly searchPath: string; readonly folder: string }

const SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

function npm(args: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  const options = {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 1e9,
  } as const
  const { status, stdout, stderr } = spawnSync("npm", args, options)
  expect(status, stderr).toBe(0)
  return stdout
}

/** Packing builds into the clone, whose outputs other tests read, so it happens in a copy. */
async function copyClone(): Promise<string> {
  const folder = path.join(temp.path, "clone")
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  // A deleted file is listed until the deletion is staged.
  const files = git(ROOT, ...listed)
    .split("\0")
    .filter((it) => existsSync(path.join(ROOT, it)))
  for (const file of files.filter((it) => it !== "")) {
    await cp(path.join(ROOT, file), path.join(folder, file))
  }
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"))
  return folder
}

/** Installs the tarball into an empty folder with an empty HOME. */
async function install(name: string, flags: readonly string[] = []): Promise<string> {
  const folder = path.join(temp.path, name)
  const home = path.join(temp.path, `${name}-home`)
  await mkdir(folder)
  await mkdir(home)
  await writeFile(path.join(folder, "package.json"), "{}")
  const own = { HOME: home, npm_config_cache: process.env["npm_config_cache"] ?? npmCache() }
  npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", ...flags, tarball], folder, own)
  return folder
}

const npmCache = () => npm(["config", "get", "cache"], ROOT).trim()

const installedIn = (folder: string, searchPath: string): Installation => ({
  folder,
  qm: path.join(folder, "node_modules/.bin/qm"),
  searchPath,
})

/** The package without its runtime, which most tests share. */
const installBare = once(() => install("bare", ["--omit=optional"]))

/** A copy of it that a test may damage. */
async function copyBare(name: string, searchPath: string): Promise<Installation> {
  const folder = path.join(temp.path, name)
  await cp(await installBare(), folder, { recursive: true, verbatimSymlinks: true })
  return installedIn(folder, searchPath)
}

/** A folder for the PATH with nothing but a Node of at least version 24. */
async function newNodeFolder(): Promise<string> {
  const folder = path.join(temp.path, "node-24")
  await mkdir(folder, { recursive: true })
  await symlink(process.execPath, path.join(folder, "node")).catch(() => {})
  return folder
}

/** A user with an empty HOME and a small repository. */
async function newUser(name: string, { qm, searchPath }: Installation) {
  const home = path.join(temp.path, `home-${name}`)
  const project = path.join(temp.path, `project-${name}`)
  await mkdir(path.join(home, ".claude"), { recursive: true })
  await mkdir(path.join(project, "src"), { recursive: true })
  await writeFile(path.join(project, "CLAUDE.md"), "# Rules\nRound quotes half to even.\n")
  await writeFile(
    path.join(project, "src/quote.ts"),
    "export function roundQuote(cents: number): number {\n  return Math.round(cents)\n}\n",
  )
  git(project, "init", "-q", "-b", "main")
  git(project, "add", "-A")
  git(project, "commit", "-q", "-m", "Add quotes")
  const env = { PATH: searchPath, HOME: home, QM_PORT: "0", NO_COLOR: "1" }
  const start = (args: readonly string[]) => spawn(qm, args, { cwd: project, env })
  return {
    home,
    project,
    env,
    start,
    async run(args: readonly string[], input = "") {
      const child = start(args)
      child.stdin.on("error", () => {}).end(input)
      const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { code: await closed, stdout, stderr }
    },
  }
}

type User = Awaited<ReturnType<typeof newUser>>

async function expectSuccess(user: User, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await user.run(args)
  expect(code, `qm ${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0)
  return stdout
}

/** The commands of a newcomer's first hour. */
async function walk(name: string, installation: Installation): Promise<"done"> {
  const user = await newUser(name, installation)
  const qm = (...args: readonly string[]) => expectSuccess(user, args)
  expect(await qm("help")).toContain("qm capture")
  expect(await qm("capture")).toContain("CLAUDE.md")
  expect(await qm("map")).toContain("typescript")
  expect(await qm("search", "rounding of quotes")).toContain("src/quote.ts")
  expect(await qm("pack", "fix the rounding of quotes")).toContain("src/quote.ts")
  expect(await qm("tokens", "CLAUDE.md")).toContain("CLAUDE.md")
  await qm("memory", "add", "Round per line", "Half to even.", "--kind", "rule")
  expect(await qm("memory", "search", "round")).toContain("Round per line")
  await qm("fold")
  expect(await qm("run", "--agent", "synthetic", "say hello")).not.toBe("")
  expect(await qm("runs")).toContain("synthetic")
  expect(await qm("recipe")).toContain("deep-research")
  await qm("kb", "add", ".")
  const question = "How do we round quotes?"
  const research = await qm(
    "pipeline",
    "run",
    "deep-research",
    question,
    "--depth",
    "quick",
    "--auto",
  )
  expect(research).toContain("completed (All stages are done)")
  await serveConsole(user)
  await shakeHands(user, installation)
  await installKit(user)
  return "done"
}

/** `qm up`, and its console in a real browser. */
async function serveConsole(user: User): Promise<void> {
  const server = user.start(["up", "--demo"])
  try {
    let link: string | undefined
    for await (const line of createInterface({ input: server.stdout })) {
      link ??= LINK.exec(line)?.[0]
      if (link !== undefined) break
    }
    expect(link).toBeDefined()
    await using chromium = await launchChromium()
    const page = await chromium.browser.newPage()
    const errors: string[] = []
    page.on("pageerror", (error) => errors.push(error.message))
    await page.goto(link ?? "")
    await page.getByRole("navigation").first().waitFor()
    expect(errors).toEqual([])
  } finally {
    const closed = new Promise((resolve) => server.on("close", resolve))
    server.kill("SIGTERM")
    await closed
  }
}

/** A real MCP client lists the tools and calls one. */
async function shakeHands(user: User, { qm }: Installation): Promise<void> {
  const client = new Client({ name: "tester", version: "1.0.0" })
  const { env, project: cwd } = user
  await client.connect(new StdioClientTransport({ command: qm, args: ["mcp"], env, cwd }))
  const { tools } = await client.listTools()
  expect(tools.map((it) => it.name)).toContain("search")
  const result = await client.callTool({ name: "search", arguments: { query: "roundQuote" } })
  expect(JSON.stringify(result)).toContain("src/quote.ts")
  await client.close()
}

/** `qm init`, a hook as the host starts it, `qm doctor`, `qm uninstall`. */
async function installKit(user: User): Promise<void> {
  const settings = path.join(user.home, ".claude/settings.json")
  await writeFile(settings, "{}\n")
  await expectSuccess(user, ["init", "--host", "claude-code", "--level", "3", "--yes"])
  const { hooks } = JSON.parse(await readFile(settings, "utf8"))
  const { command, args } = hooks.SessionStart[0].hooks[0]
  const payload = {
    session_id: "s-1",
    cwd: user.project,
    hook_event_name: "SessionStart",
    source: "startup",
  }
  const fired = spawnSync(command, args, {
    cwd: user.project,
    env: { HOME: user.home, PATH: user.env.PATH },
    input: JSON.stringify(payload),
    encoding: "utf8",
  })
  expect([fired.status, fired.stderr]).toEqual([0, ""])
  expect(await expectSuccess(user, ["session"])).toContain("s-1")
  expect((await user.run(["doctor"])).stdout).toContain("hooks")
  await expectSuccess(user, ["uninstall", "--yes"])
  expect(await readFile(settings, "utf8")).toBe("{}\n")
}

/** Installing 40 MB and a walk of twenty commands take minutes on a busy machine. */
const LONGEST_WALK_MS = 900_000

describe.runIf(needs("PACKAGE", "full mode"))(
  "the published package",
  { timeout: LONGEST_WALK_MS },
  () => {
    beforeAll(async () => {
      const packed = npm(["pack", "--json", "--pack-destination", temp.path], await copyClone())
      const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[\n")))
      await symlink(path.join(temp.path, filename), tarball)
    }, LONGEST_WALK_MS)

    test("[PACKAGE-1] contains only what runs, within its size, with its licences", async () => {
      const folder = path.join(await installBare(), "node_modules")
      expect(await readdir(folder)).toEqual([".bin", ".package-lock.json", "quartermaster"])
      const top = await readdir(path.join(folder, "quartermaster"))
      expect(top.toSorted()).toMatchInlineSnapshot(`
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "bin",
        "console",
        "dist",
        "docs",
        "grammars",
        "models",
        "package.json",
        "recipes",
        "sources",
        "templates",
      ]
    `)
      const files = await readdir(path.join(folder, "quartermaster"), { recursive: true })
      expect(files.filter((it) => /\.test\.|\.ts$|(?:^|\/)\.|golden|fixture/.test(it))).toEqual([])
      const sizes = await Promise.all(
        files.map(async (it) => (await stat(path.join(folder, "quartermaster", it))).size),
      )
      expect(sizes.reduce((sum, it) => sum + it, 0)).toBeLessThan(LARGEST_PACKAGE_BYTES)
      expect((await stat(tarball)).size).toBeLessThan(LARGEST_TARBALL_BYTES)
      const licenses = await readFile(
        path.join(folder, "quartermaster/dist/THIRD-PARTY-LICENSES.txt"),
        "utf8",
      )
      for (const name of ["zod", "fastify", "pg", "react", "mermaid"])
        expect(licenses).toContain(`== ${name} `)
    })

    test("[PACKAGE-2] works on the runtime it brings, with an old Node on the PATH", async () => {
      const installation = installedIn(await install("pinned"), SYSTEM_PATH)
      expect(await walk("pinned", installation)).toBe("done")
    })

    test("[PACKAGE-2] works without the runtime, with Node 24 or later on the PATH", async () => {
      const searchPath = `${await newNodeFolder()}:/usr/bin:/bin`
      const installation = installedIn(await installBare(), searchPath)
      expect(await walk("own-node", installation)).toBe("done")
    })

    test("[PACKAGE-2] a clone passes the same walk", async () => {
      const clone = { qm: path.join(ROOT, "bin/qm"), searchPath: SYSTEM_PATH, folder: ROOT }
      expect(await walk("clone", clone)).toBe("done")
    })

    test("[PACKAGE-3] a bug's stack names files of src", async () => {
      const main = path.join(await installBare(), "node_modules/quartermaster/dist/engine/main.mjs")
      const lines = (await readFile(main, "utf8")).split("\n")
      const line = lines.findIndex((it) => it.includes("process.exitCode="))
      const column = lines[line]?.indexOf("process.exitCode=") ?? 0
      const stack = `Error: x\n    at f (file://${main}:${line + 1}:${column + 1})`
      expect(mapStack(stack)).toMatch(/at f \(src\/show\/main\.ts:\d+:\d+\)/)
    })

    test("[PACKAGE-4] an install folder that cannot be written only costs the compile cache", async () => {
      const searchPath = `${await newNodeFolder()}:/usr/bin:/bin`
      const installation = await copyBare("unwritable", searchPath)
      const folder = path.join(installation.folder, "node_modules/quartermaster")
      await rm(path.join(folder, "node_modules"), { recursive: true, force: true })
      await writeFile(path.join(folder, "node_modules"), "a file in the way")
      await chmod(folder, 0o555)
      const user = await newUser("read-only", installation)
      expect(await expectSuccess(user, ["capture"])).toContain("CLAUDE.md")
    })

    test("[PACKAGE-5] a half-installed package names what is missing and how to reinstall", async () => {
      const searchPath = `${await newNodeFolder()}:/usr/bin:/bin`
      const installation = await copyBare("half-installed", searchPath)
      const user = await newUser("half", installation)
      const folder = path.join(installation.folder, "node_modules/quartermaster")
      const program = { file: "dist/engine/main.mjs", args: ["now"], mark: "qm:" }
      const tokens = { file: "models/tokens/claude.bin", args: ["tokens", "CLAUDE.md"] }
      const grammars = { file: "grammars/web-tree-sitter.wasm", args: ["map"] }
      const chunks = await readdir(path.join(folder, "dist/engine/chunks"))
      const chunk = chunks.find((it) => /^search-(?!and)[\w-]+\.mjs$/.test(it)) ?? ""
      const search = { file: `dist/engine/chunks/${chunk}`, args: ["search", "quote"] }
      const named = [tokens, grammars, search]
      const data = named.map((it) => ({ ...it, mark: "CLI_INSTALL_INCOMPLETE" }))
      for (const { file, args, mark } of [program, ...data]) {
        const content = await readFile(path.join(folder, file))
        await rm(path.join(folder, file))
        const { code, stderr } = await user.run(args)
        expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} is missing`)])
        expect(stderr).toContain("npm install -g quartermaster")
        expect(stderr).toContain(mark)
        await writeFile(path.join(folder, file), content)
      }
    })
  },
)
