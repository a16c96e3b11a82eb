/** Reads a counter, adds one, writes it back, and inserts its own row, many times. */
import { type StoreLocation, sql } from "#ground/store"
import { Counter, insertNote, plainNote } from "../conformance/tables.ts"
import { codeOf, openTestStore, say } from "./store-journal.ts"

const [location = "", name = "", rounds = "0"] = process.argv.slice(2)
await using store = await openTestStore(JSON.parse(location) as StoreLocation)
const db = store.forRoom("store")
let failures = 0
for (let round = 0; round < Number(rounds); round++) {
  try {
    await db.transaction(async (tx) => {
      const found = await tx.get(Counter, sql`SELECT value FROM counters WHERE name = ${"n"}`)
      await tx.run(sql`UPDATE counters SET value = ${(found?.value ?? 0) + 1} WHERE name = ${"n"}`)
      await tx.run(insertNote(plainNote(`${name}-${round}`)))
      tx.emit("store.backed-up", { file: name, sizeBytes: round })
    })
  } catch (error) {
    failures++
    say(codeOf(error))
  }
}
say(`failures ${failures}`)
