import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { Client } from "pg"
import { z } from "zod"
import {
  type Clock,
  ensureDirectory,
  invariant,
  type Random,
  removeFile,
  renameFile,
  statFile,
} from "#ground/base"
import type { DatabaseRow } from "../driver.ts"
import { StoreCorrupt } from "../errors.ts"
import { POSTGRES_CONNECT_TIMEOUT_MS } from "../limits.ts"
import { parsePostgresUrl } from "../location.ts"
import { checkCopy, type MadeBackup } from "../sqlite/backup.ts"
import { fileTimestamp, makePrivate, namesIn } from "../sqlite/files.ts"
import { judgePostgres } from "./failures.ts"
import { POSTGRES_SCHEMA, readersAsInSqlite } from "./postgres.ts"

/** Rows in memory at once. */
const ROWS_PER_STEP = 500

/** The format of the copy; a later version of qm reads it by this number. */
export const POSTGRES_BACKUP_FORMAT = 1

/**
 * Copies the schema `qm` of a Postgres into one SQLite file, in one snapshot and while others write.
 * SQLite is already here and checks its own pages, so a backup needs no program of Postgres.
 */
export async function makePostgresBackup(options: {
  readonly url: string
  readonly directory: string
  readonly keep: number
  readonly clock: Clock
  readonly random: Random
}): Promise<MadeBackup> {
  const { directory } = options
  await ensureDirectory(directory, { mode: 0o700 })
  const chance = Buffer.from(options.random.bytes(6)).toString("hex")
  const copy = join(directory, `.copying-${chance}.tmp`)
  try {
    await makePrivate(copy)
    await withClient(options.url, (client) => copyInto(copy, client))
    const damage = checkCopy(copy)
    if (damage !== undefined) throw StoreCorrupt({ what: damage })
    const name = join(directory, `postgres-${fileTimestamp(options.clock.now())}-${chance}.db`)
    await renameFile(copy, name)
    await prune({ directory, keep: options.keep, newest: name })
    const fileStat = await statFile(name)
    return { file: name, sizeBytes: fileStat.kind === "found" ? fileStat.stat.sizeBytes : 0 }
  } finally {
    await removeFile(copy)
  }
}

export async function findNewestPostgresBackup(directory: string): Promise<string | undefined> {
  return (await listBackups(directory)).at(-1)
}

const BACKUP_NAME = /^postgres-\d{8}T\d{9}Z-[0-9a-f]{12}\.db$/

async function listBackups(directory: string): Promise<readonly string[]> {
  const names = (await namesIn(directory)).filter((it) => BACKUP_NAME.test(it))
  return names.toSorted().map((it) => join(directory, it))
}

/** Never deletes the newest, whatever its name: the wall clock may have been set back. */
async function prune(folder: { directory: string; keep: number; newest: string }): Promise<void> {
  const older = (await listBackups(folder.directory)).filter((it) => it !== folder.newest)
  for (const file of older.slice(0, Math.max(0, older.length - (folder.keep - 1)))) {
    await removeFile(file)
  }
}

async function copyInto(file: string, client: Client): Promise<void> {
  using copy = new DatabaseSync(file)
  copy.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
  copy.exec("CREATE TABLE postgres_backup (format INTEGER NOT NULL) STRICT")
  copy.prepare("INSERT INTO postgres_backup VALUES (?)").run(POSTGRES_BACKUP_FORMAT)
  // One snapshot for all tables, without blocking a writer.
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  const columns = await readColumns(client)
  for (const [table, its] of Map.groupBy(columns, (it) => it.table)) {
    await copyTable({ table, columns: its, client, copy })
  }
  await client.query("COMMIT")
  copy.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE")
  // Forces the pages to the disk: the copy was written without waiting for it.
  copy.exec("PRAGMA user_version = 1")
}

async function copyTable(it: {
  readonly table: string
  readonly columns: readonly ColumnRow[]
  readonly client: Client
  readonly copy: DatabaseSync
}): Promise<void> {
  const { table, client, copy } = it
  const names = it.columns.map(({ column }) => quoted(column))
  const typed = it.columns.map(({ column, type }) => `${quoted(column)} ${sqliteTypeOf(type)}`)
  copy.exec(`CREATE TABLE ${quoted(table)} (${typed.join(", ")}) STRICT`)
  const insert = copy.prepare(
    `INSERT INTO ${quoted(table)} VALUES (${names.map(() => "?").join(", ")})`,
  )
  const from = `${POSTGRES_SCHEMA}.${quoted(table)}`
  await client.query(`DECLARE step NO SCROLL CURSOR FOR SELECT ${names.join(", ")} FROM ${from}`)
  for (;;) {
    const { rows } = await client.query<DatabaseRow>(`FETCH ${ROWS_PER_STEP} FROM step`)
    for (const row of rows) insert.run(...it.columns.map(({ column }) => bindable(row[column])))
    if (rows.length < ROWS_PER_STEP) break
  }
  await client.query("CLOSE step")
}

export const ColumnRow = z.object({ table: z.string(), column: z.string(), type: z.string() })
export type ColumnRow = z.infer<typeof ColumnRow>

/** Names come from the catalog and are ours; anything else is refused. */
export async function readColumns(client: Client): Promise<readonly ColumnRow[]> {
  const { rows } = await client.query<DatabaseRow>(
    `SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS "type"
     FROM information_schema.columns c JOIN information_schema.tables t
       ON t.table_schema = c.table_schema AND t.table_name = c.table_name
     WHERE c.table_schema = $1 AND t.table_type = 'BASE TABLE'
     ORDER BY c.table_name, c.ordinal_position`,
    [POSTGRES_SCHEMA],
  )
  return rows.map((row) => ColumnRow.parse(row))
}

export function quoted(name: string): string {
  invariant(/^[a-z_][a-z0-9_]*$/.test(name), "a table or column of ours has a plain name")
  return `"${name}"`
}

function sqliteTypeOf(type: string): "INTEGER" | "REAL" | "BLOB" | "TEXT" {
  switch (type) {
    case "bigint":
    case "integer":
      return "INTEGER"
    case "double precision":
      return "REAL"
    case "bytea":
      return "BLOB"
    default:
      return "TEXT"
  }
}

function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value
  invariant(value instanceof Uint8Array, "a stored value is text, a number, bytes or null")
  return value
}

/** A connection of its own, because a backup of a large store takes minutes. */
export async function withClient<Result>(
  url: string,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: url,
    application_name: "qm-backup",
    connectionTimeoutMillis: POSTGRES_CONNECT_TIMEOUT_MS,
    types: readersAsInSqlite(),
  })
  client.on("error", () => {})
  const address = parsePostgresUrl(url)
  try {
    await client.connect()
    return await use(client)
  } catch (error) {
    const failure = judgePostgres(error, { address, during: "copying", waitedMs: 0 })
    throw "error" in failure ? failure.error : error
  } finally {
    await client.end().catch(() => {})
  }
}
