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

test("[STORE-14] migration 12 renames the tables of proxied sessions and keeps their rows", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const old = await openWith(file, MIGRATIONS.slice(0, 11))
  await old.db.run(sql`INSERT INTO gateway_carries
    (id, root, directory, started_at, last_seq, owner, body) VALUES ('gw_1', '/r', '/r', 1, 1, '{}', '{}')`)
  await old.db.run(sql`INSERT INTO gateway_texts (carry, sha256, root, body)
    VALUES ('gw_1', 'hash', '/r', ${Buffer.from("text")})`)
  await old.close()
  await using store = await openWith(file, MIGRATIONS)
  const Joined = z.object({ id: z.string(), sha256: z.string() })
  const query = sql`SELECT s.id, t.sha256 FROM gateway_sessions s
    JOIN gateway_texts t ON t.proxied_session = s.id`
  expect(await store.db.all(Joined, query)).toEqual([{ id: "gw_1", sha256: "hash" }])
})

test("[H2][CAPTURE-28] the upgrade removes settings that earlier versions stored in runs, and keeps the rest", async () => {
  await using directory = await tempDirectory()
  const file = `${directory.path}/store.db`
  const before = MIGRATIONS.filter((it) => it.number < 14)
  const paths = ["/home/a/.claude.json", "/home/a/p/CLAUDE.md", "/home/a/.codex/config.toml"]
  const content = [
    `# ${paths[0]}\n\n{ "oauthAccount": "private words" }\n---`,
    `# ${paths[1]}\n\nUse tabs.\n---\n# Not a file\n---`,
    `# ${paths[2]}\n\n[projects."/private words"]\n---`,
  ].join("\n")
  const raw = JSON.stringify({ files: paths.map((it) => ({ path: it })) })
  {
    await using store = await openWith(file, before)
    const insert = (seq: number, type: string, [text, list]: readonly [string, string | null]) =>
      store.db.transaction((tx) =>
        tx.run(sql`INSERT INTO run_messages (run_id, seq, id, type, role, content, at, metadata, raw)
          VALUES ('run_1', ${seq}, ${`m${seq}`}, ${type}, 'system', ${text}, 1, '{}', ${list})`),
      )
    await insert(1, "context", [content, raw])
    await insert(2, "context", ["# /home/a/other.json\n\nprivate words\n---", raw])
    await insert(3, "message", ["private words of the user", null])
  }
  await using store = await openWith(file, MIGRATIONS)
  const row = z.object({ content: z.string() })
  const rows = await store.db.all(row, sql`SELECT content FROM run_messages ORDER BY seq`)
  const removed = "(removed by an upgrade: it may contain private state)"
  expect(rows.map((it) => it.content)).toEqual([
    [
      `# ${paths[0]}\n\n${removed}\n---`,
      `# ${paths[1]}\n\nUse tabs.\n---\n# Not a file\n---`,
      `# ${paths[2]}\n\n${removed}\n---`,
    ].join("\n"),
    removed,
    "private words of the user",
  ])
})
