import { expect, test } from "vitest"
import { z } from "zod"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { MIGRATIONS } from "./migrations/index.ts"
import type { Migration } from "./migrations/migration.ts"
import { sql } from "./sql.ts"
import { namesIn } from "./sqlite/files.ts"
import { backupDirectoryOf, openStore } from "./store.ts"

const openWith = (file: string, migrations: readonly Migration[]) =>
  openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    migrations,
  })

const NEXT = MIGRATIONS.length + 1

const second: Migration = {
  number: NEXT,
  name: "second",
  statements: ({ text, strict }) => [sql`CREATE TABLE second (id ${text} PRIMARY KEY)${strict}`],
}

test("[D10][STORE-14] a newer store is refused, and the error has both versions", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await openWith(file, [...MIGRATIONS, second])).close()
  const refused = await openWith(file, MIGRATIONS).catch((it: unknown) => it)
  expect(refused).toMatchObject({
    code: "STORE_SCHEMA_NEWER",
    data: { found: NEXT, known: NEXT - 1 },
  })
  await (await openWith(file, [...MIGRATIONS, second])).close()
})

test("[STORE-14] a store of another product or branch is refused, and the error names it", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await openWith(file, [...MIGRATIONS, second])).close()
  const other = { ...second, name: "other" }
  await expect(openWith(file, [...MIGRATIONS, other])).rejects.toMatchObject({
    code: "STORE_SCHEMA_FOREIGN",
    message: `Migration ${NEXT} of the store is named "second"; this version expects "other".`,
  })
})

test("[STORE-14] a failed migration changes nothing; the corrected one is applied", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await openWith(file, MIGRATIONS)).close()
  const broken: Migration = {
    ...second,
    statements: (types, dialect) => [...second.statements(types, dialect), sql`CREATE NONSENSE`],
  }
  await expect(openWith(file, [...MIGRATIONS, broken])).rejects.toMatchObject({
    code: "STORE_MIGRATION_FAILED",
    data: { number: NEXT, name: "second" },
  })
  await using store = await openWith(file, [...MIGRATIONS, second])
  expect((await store.status()).schemaVersion).toBe(NEXT)
  expect(await store.db.all(z.object({ id: z.string() }), sql`SELECT id FROM second`)).toEqual([])
})

test("[STORE-14] a store with content is backed up before it is migrated", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  await (await openWith(file, MIGRATIONS)).close()
  expect(await namesIn(backupDirectoryOf(file))).toEqual([])
  await (await openWith(file, [...MIGRATIONS, second])).close()
  expect(await namesIn(backupDirectoryOf(file))).toHaveLength(1)
  await (await openWith(file, [...MIGRATIONS, second])).close()
  expect(await namesIn(backupDirectoryOf(file))).toHaveLength(1)
})

test("[STORE-14] concurrent openers migrate once", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const opened = await Promise.all(Array.from({ length: 4 }, () => openWith(file, MIGRATIONS)))
  const heads = await Promise.all(opened.map((it) => it.journal.head()))
  expect(new Set(heads.map((it) => it.epoch)).size).toBe(1)
  expect(heads[0]?.seq).toBe(1)
  for (const store of opened) await store.close()
})

test("[STORE-14] the list of migrations has no gap", async () => {
  await using directory = await tempDirectory()
  const gap = [...MIGRATIONS, { ...second, number: NEXT + 1 }]
  await expect(openWith(`${directory.path}/store.db`, gap)).rejects.toThrow(/numbered 1, 2, 3/)
})
