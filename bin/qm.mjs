#!/usr/bin/env node
// npm links its `bin` entries to this file, and bin/qm starts it. It must parse under Node 18.
import { start } from "./runtime.mjs"

await start({
  name: "qm",
  source: "../src/show/main.ts",
  bundle: "../dist/engine/main.mjs",
  fail(message) {
    process.stderr.write(`qm: ${message}\n`)
    process.exitCode = 1
  },
})
