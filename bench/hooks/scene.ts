import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { systemClock, systemRandom } from "#ground/base"
import { createLedger } from "#know/ledger"
import { startIndexDaemon, untilWarm } from "#test/index-daemon-scene"
import { buildHooks } from "../../scripts/build/hooks.ts"
import { makeTree } from "../map/made-tree.ts"

export const SESSION = "session-of-the-bench"
export const FILE = "src/room/file-7.ts"

export async function installBundle(folder: string) {
  const home = path.join(folder, "home")
  const bundle = await buildHooks(path.join(home, "kit", "qm-hook.mjs"))
  return {
    home,
    run: (payload: object) => runToEnd([bundle, "claude-code"], JSON.stringify(payload)),
    status: (payload: object) => runToEnd([bundle, "statusline"], JSON.stringify(payload)),
  }
}

export async function makeEdited(folder: string, edits: number): Promise<string> {
  const root = path.join(folder, "repo")
  mkdirSync(path.join(root, "src", "room"), { recursive: true })
  writeFileSync(path.join(root, FILE), "export const x = 1\n".repeat(100))
  const stateDirectory = enrol(root)
  const ledger = createLedger({ stateDirectory, clock: systemClock, random: systemRandom })
  const paths = Array.from({ length: edits }, (_, index) => `src/room/file-${index % 500}.ts`)
  for (let at = 0; at < edits; at += EDITS_AT_ONCE) {
    const some = paths.slice(at, at + EDITS_AT_ONCE)
    await Promise.all(some.map((it) => ledger.modified(SESSION, { path: it, tool: "Edit" })))
  }
  return root
}

const EDITS_AT_ONCE = 500

/** A repository of many files with a warm index daemon, which ends with the scene. */
export async function makeKept(options: {
  readonly folder: string
  readonly home: string
  readonly house: string
  readonly files: number
}) {
  const root = path.join(options.folder, "kept")
  mkdirSync(root)
  makeTree(root, { root: options.house, files: options.files })
  const places = { root, home: options.home, stateDirectory: enrol(root) }
  const daemon = startIndexDaemon(places)
  await untilWarm(places, "where are claims taken")
  return Object.assign(daemon, { root })
}

function enrol(root: string): string {
  mkdirSync(path.join(root, ".qm"))
  // No fetch: its process would run while the others are timed.
  const config = { kit: { level: 5, fetch: false }, guard: { highRiskPaths: "db/**,*.sql" } }
  writeFileSync(path.join(root, ".qm", "config.json"), JSON.stringify(config))
  spawnSync("git", ["init", "-q"], { cwd: root })
  const stateDirectory = path.join(root, ".git", "qm")
  mkdirSync(stateDirectory)
  writeFileSync(path.join(stateDirectory, "kit.json"), '{ "version": 1, "enrolledAt": 0 }')
  return stateDirectory
}

export function runToEnd(args: readonly string[], input: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "inherit"] })
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.on("error", reject)
    child.on("exit", (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${args.join(" ")} ended with ${code}`))
    })
  })
}
