import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { say } from "#test/server"

await using store = await openStore({
  location: { kind: "sqlite", file: process.argv[2] ?? "" },
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
})
await say(store, 1)
