import { appendFileSync, mkdirSync } from "node:fs"
import { flushCompileCache } from "node:module"
import { isSameProcessAlive, processIdentity, systemClock } from "#ground/base"
import { newPipelines } from "#test/pipeline-room"
import { say } from "./store-journal.ts"

/**
 * Works on one run until it ends: `node … <folder> <kill at>`. It kills itself as soon as the run
 * has that number of events (0: never). Each model call is a line in `calls` before it is answered.
 */
const [, , folder = "", given = "0"] = process.argv
const killAt = Number(given)
mkdirSync(folder, { recursive: true })
const { pid, startedAt = "" } = processIdentity()

await using room = await newPipelines({
  location: { kind: "sqlite", file: `${folder}/store.db` },
  brain: async ({ name, prompt }) => {
    appendFileSync(`${folder}/calls`, `${name}\n`)
    return { text: `${name} answers ${prompt}` }
  },
  deps: {
    owner: { pid, startedAt, machine: "here", instance: "" },
    isAlive: isSameProcessAlive,
  },
})
flushCompileCache()
room.onChange(({ seq }) => {
  if (killAt > 0 && seq >= killAt) process.kill(process.pid, "SIGKILL")
})
const { runs } = await room.list({ limit: 1 })
if (runs.length === 0) {
  await room.run({ agent: "tester", query: "what is it", depth: "standard", auto: false })
}
room.watch()
for (;;) {
  const { run } = await room.show("p-1")
  if (run.status === "paused") await room.resume("p-1", "me")
  if (run.endedAt !== null) break
  await systemClock.sleep(2)
}
const { run, events } = await room.show("p-1")
const { markdown } = await room.document("p-1")
const recorded = events.filter((it) => it.body.type === "llm_called").length
say(JSON.stringify({ document: markdown, cost: run.cost, events: run.lastSeq, recorded }))
