#!/usr/bin/env node
// The portable entry: npm's `bin`, Windows, and where bin/qm leads. Parses under Node 18.
import { start } from "./runtime.mjs"

await start({
  launcher: import.meta.url,
  main: new URL("../src/show/main.ts", import.meta.url).href,
  whenMissing() {
    process.stderr.write(
      "qm: needs Node 24 or later and found none. Run `npm ci` in its folder, or put Node 24 on the PATH.\n",
    )
    process.exitCode = 1
  },
})
