/** Opens a store of an older version and kills itself during the migration. */
import { flushCompileCache } from "node:module"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { dyingMigrations } from "./store-migrations.ts"

flushCompileCache()
const [file = "", fromVersion = "0", dieAt = "0"] = process.argv.slice(2)
await openStore({
  location: { kind: "sqlite", file },
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  migrations: dyingMigrations(Number(dieAt), Number(fromVersion)),
})
