#!/usr/bin/env node
// The portable entry of a hook process. Without a runtime it says nothing and ends well, because a
// hook that cannot run lets the work go on.
import { start } from "./runtime.mjs"

await start({
  launcher: import.meta.url,
  main: new URL("../src/show/hooks/main.ts", import.meta.url).href,
  whenMissing() {
    if (process.env.QM_HOOK_DEBUG) {
      process.stderr.write("qm-hook: needs Node 24 or later and found none.\n")
    }
  },
})
