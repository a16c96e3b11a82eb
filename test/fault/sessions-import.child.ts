import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { createSessionIndex } from "#know/sessions"

/** Imports the transcripts of a home, and kills itself at the n-th text. */
const [home = "", file = "", last = ""] = process.argv.slice(2)
let texts = 0
await using store = await openStore({
  location: { kind: "sqlite", file },
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
})
const index = createSessionIndex({
  db: async () => store.forRoom("sessions"),
  clock: systemClock,
  log: silentLog,
  hostHome: () => ({ home, environment: {} }),
  settings: () => ({ import: "machine", dayBudget: 0, weekBudget: 0, monthBudget: 0 }),
  redact: async () => (text) => {
    texts += 1
    if (texts === Number(last)) process.kill(process.pid, "SIGKILL")
    return text
  },
  repositoryOf: async (directory) => directory,
  ownRepository: async () => "/w/shop",
  root: () => "/",
  fixesFolder: () => "/",
  staysOpen: false,
})
const signal = new AbortController().signal
const { lines } = await index.import({ scope: "machine" }, { signal })
process.stdout.write(`${lines}\n`)
