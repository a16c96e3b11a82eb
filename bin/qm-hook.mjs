#!/usr/bin/env node
// The portable entry of a hook process. Without a runtime it says nothing and ends well, because a
// hook that cannot run lets the work go on.
import { readdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { start } from "./runtime.mjs"

await start({
  launcher: import.meta.url,
  main: isBundleFresh()
    ? at("../dist/hooks/qm-hook.mjs").href
    : at("../src/show/hooks/main.ts").href,
  whenMissing() {
    if (process.env.QM_HOOK_DEBUG) {
      process.stderr.write("qm-hook: needs Node 24 or later and found none.\n")
    }
  },
})

/** Built, and since then no file was changed in the rooms that it is made of. */
function isBundleFresh() {
  try {
    const builtAt = changedAt(at("../dist/hooks/qm-hook.mjs"))
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
