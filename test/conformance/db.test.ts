import { afterAll, beforeAll, describe } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore, type StoreLocation } from "#ground/store"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { dbConformance } from "./db.ts"
import { TEST_MIGRATIONS } from "./tables.ts"

const open = (location: StoreLocation) =>
  openStore({
    location,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    migrations: TEST_MIGRATIONS,
  })

dbConformance({ name: "memory", open: () => open({ kind: "memory" }) })

describe("a SQLite file", () => {
  let directory: TempDirectory
  let made = 0
  beforeAll(async () => {
    directory = await tempDirectory()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  dbConformance({
    name: "a SQLite file",
    open: () => open({ kind: "sqlite", file: `${directory.path}/${++made}/store.db` }),
  })
})

describe.runIf(needs("C7", "postgres"))("a Postgres server", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  dbConformance({
    name: "Postgres",
    open: async () => open({ kind: "postgres", url: await cluster.createDatabase() }),
  })
})
