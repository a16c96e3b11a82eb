import path from "node:path"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { openStore, type StoreLocation } from "#ground/store"
import { createSessionIndex, type SessionIndex } from "#know/sessions"
import { testClock } from "./clock.ts"
import { tempDirectory } from "./temp.ts"

export const CALL = { signal: new AbortController().signal }

/** A home without transcripts, and the room on a real store. */
export async function sessionsFixture(location: StoreLocation = { kind: "memory" }) {
  const temp = await tempDirectory()
  const store = await openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const clock = testClock()
  const settings = { import: "ask", dayBudget: 0, weekBudget: 0, monthBudget: 0 }
  const db = store.forRoom("sessions")
  const secrets = createSecrets({ random: systemRandom })
  const open = ({ staysOpen = false } = {}): SessionIndex =>
    createSessionIndex({
      db: async () => db,
      clock,
      log: silentLog,
      hostHome: () => ({ home: temp.path, environment: {} }),
      settings: () => ({ ...settings, import: settings.import === "ask" ? "ask" : "machine" }),
      redact: async () => (text) => secrets.redact(text).text,
      repositoryOf: async (directory) => directory.split("/sub")[0] ?? directory,
      ownRepository: async () => "/w/shop",
      root: () => temp.path,
      fixesFolder: () => path.join(temp.path, "waste"),
      staysOpen,
    })
  return {
    home: temp.path,
    clock,
    settings,
    db,
    store,
    open,
    index: open(),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}
