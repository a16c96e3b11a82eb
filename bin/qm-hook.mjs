#!/usr/bin/env node
// Starts one hook process. Without a runtime it exits with 0 and prints nothing: a hook that cannot
// run must not stop the agent's work.
import { existsSync, readdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { start } from "./runtime.mjs"

const SOURCE = "../src/show/hooks/main.ts"
const BUNDLE = "../dist/hooks/qm-hook.mjs"

await start({
  name: "qm-hook",
  source: existsSync(fileURLToPath(at(SOURCE))) && isBundleFresh() ? BUNDLE : SOURCE,
  bundle: BUNDLE,
  fail(message) {
    if (process.env.QM_HOOK_DEBUG) process.stderr.write(`qm-hook: ${message}\n`)
  },
})

/** In a clone: whether no source of the bundle changed since it was built. */
function isBundleFresh() {
  try {
    const builtAt = changedAt(at(BUNDLE))
    const rooms = ["ground/base", "see/repo", "know/ledger", "choose/guard", "show/hooks"]
    return rooms.every((room) => isOlder(at(`../src/${room}/`), builtAt))
  } catch {
    return false
  }
}

/**
 * @param {URL} folder
 * @param {number} builtAt
 */
function isOlder(folder, builtAt) {
  const names = readdirSync(folder, { recursive: true }).map(String)
  const sources = names.filter((it) => it.endsWith(".ts") && !it.endsWith(".test.ts"))
  return sources.every((it) => changedAt(new URL(it, folder)) <= builtAt)
}

/** @param {URL} file */
function changedAt(file) {
  return statSync(fileURLToPath(file)).mtimeMs
}

/** @param {string} path */
function at(path) {
  return new URL(path, import.meta.url)
}
