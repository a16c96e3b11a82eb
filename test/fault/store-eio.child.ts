/** Writes and prints each stored text; after a failure it continues and prints the outcomes. */
import { append, codeOf, openTestStore, outcomeOf, readTexts, say } from "./store-journal.ts"

const [file = ""] = process.argv.slice(2)
const store = await openTestStore({ kind: "sqlite", file }).catch((error: unknown) => {
  say(`not opened ${codeOf(error)}`)
  process.exit(0)
})
let hasFailed = false
// Large enough that one checkpoint of the write-ahead log happens on the way.
for (let number = 0; number < 70; number++) {
  const outcome = await outcomeOf(() => append(store, `${number} ${"x".repeat(100_000)}`))
  if (outcome === "done") say(`stored ${number}`)
  else say(`${hasFailed ? "then" : "failed"} ${outcome}`)
  hasFailed ||= outcome !== "done"
}
say(`readable ${await outcomeOf(() => readTexts(store))}`)
say(`stopped ${(await store.status()).stopped ?? "no"}`)
await store.close()
