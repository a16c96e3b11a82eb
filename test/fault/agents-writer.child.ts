import { flushCompileCache } from "node:module"
import { createApp } from "#show/app"
import { say } from "./store-journal.ts"

/**
 * Runs that write as fast as possible: `node … <folder>`. Prints the run and the number of each
 * message after listeners received it, which is after it was stored.
 */
const directory = process.argv[2] ?? ""
const app = await createApp({
  directory,
  environment: { QM_HOME: `${directory}/home` },
  settings: [],
  writeLog: () => {},
})
const agents = await app.agents()
flushCompileCache()
// First recover the runs of the previous process, as a server does.
say(`settled ${await agents.recover()}`)
agents.onMessages((runId, lastSeq) => say(`${runId} ${lastSeq}`))
const words = (n: number) => ({ event: "message", type: "assistant", text: `word ${n}` })
const script = Array.from({ length: 2_500 }, (_, n) => JSON.stringify(words(n))).join("\n")
for (let runs = 0; runs < 3; runs++) {
  const configuration = { mode: "ask", script } as const
  await agents.start({ type: "synthetic", prompt: "talk", configuration }, { isHere: true })
}
