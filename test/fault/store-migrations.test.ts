import { DatabaseSync } from "node:sqlite"
import { beforeAll, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { openStore } from "#ground/store"
import { child } from "#test/child"
import { isNight, longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { placesToDie, VERSIONS } from "./store-migrations.ts"

const NEWEST_STEPS = 5
const SCRIPT = new URL("store-migrations.child.ts", import.meta.url)

const openAt = (file: string, version: number) =>
  openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    migrations: VERSIONS.slice(0, version),
  })

/**
 * Landed migrations are never edited, so the day run tries the newest and the night run all of
 * them.
 */
const TRIED = VERSIONS.map((_, version) => version).slice(isNight() ? 0 : -NEWEST_STEPS)

let schemas: readonly unknown[]

beforeAll(async () => {
  await using directory = await tempDirectory()
  schemas = await schemaOfEachVersion(directory.path)
})

test.each(TRIED)(
  "[D10] a migration from version %i killed at each statement leaves the old schema or the new",
  async (fromVersion) => {
    await using directory = await tempDirectory()
    for (let dieAt = 0; dieAt < placesToDie(fromVersion); dieAt++) {
      const file = `${directory.path}/${dieAt}/store.db`
      if (fromVersion > 0) await (await openAt(file, fromVersion)).close()
      await using dying = child(SCRIPT, [file, String(fromVersion), String(dieAt)])
      expect(await dying.exited).toMatchObject({ signal: "SIGKILL" })

      const found = schemaOf(file)
      expect(schemas.slice(fromVersion), `died at ${dieAt}`).toContainEqual(found)
      await using store = await openAt(file, VERSIONS.length)
      expect(schemaOf(file)).toEqual(schemas.at(-1))
      expect((await store.check()).findings).toEqual([])
    }
  },
  longestTestMs(),
)

async function schemaOfEachVersion(directory: string): Promise<readonly unknown[]> {
  const schemas: unknown[] = [[]]
  for (let version = 1; version <= VERSIONS.length; version++) {
    const file = `${directory}/version-${version}/store.db`
    await (await openAt(file, version)).close()
    schemas.push(schemaOf(file))
  }
  return schemas
}

function schemaOf(file: string): unknown {
  using raw = new DatabaseSync(file)
  return raw.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all()
}
