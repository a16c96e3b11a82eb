/** Appends unique texts forever and prints each one after it was stored. */
import { flushCompileCache } from "node:module"
import { append, openTestStore, say } from "./store-journal.ts"

flushCompileCache()
const [file = "", run = ""] = process.argv.slice(2)
const store = await openTestStore({ kind: "sqlite", file })
say("ready")
for (let number = 0; ; number++) {
  const text = `${run}-${number}`
  await append(store, text)
  say(text)
}
