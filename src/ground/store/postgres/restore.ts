import { DatabaseSync } from "node:sqlite"
import type { Client } from "pg"
import { z } from "zod"
import { type Clock, type Log, type Random, statFile } from "#ground/base"
import type { DatabaseRow, Statements } from "../driver.ts"
import { BackupUnusable, SchemaNewer, StoreInUse } from "../errors.ts"
import { createJournalWriter, newEpoch } from "../journal.ts"
import { COLUMN_TYPES, type Migration } from "../migrations/migration.ts"
import { createMigrationsTable, HeadRow, selectHead, updateEpoch } from "../queries.ts"
import { render } from "../sql.ts"
import { checkCopy } from "../sqlite/backup.ts"
import { fileTimestamp } from "../sqlite/files.ts"
import type { RestoredStore } from "../sqlite/restore.ts"
import {
  type ColumnRow,
  POSTGRES_BACKUP_FORMAT,
  quoted,
  readColumns,
  withClient,
} from "./backup.ts"
import { POSTGRES_SCHEMA } from "./postgres.ts"

/** Postgres accepts 65,535 values in one statement. */
const MAX_VALUES = 30_000
const MAX_ROWS = 500

type Options = {
  readonly url: string
  readonly file: string
  readonly migrations: readonly Migration[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/**
 * Everything happens in one transaction: a failure leaves the previous store as it was. The previous
 * schema is renamed and kept.
 */
export async function restorePostgresBackup(options: Options): Promise<RestoredStore> {
  const { file } = options
  await refuseUnusable(file)
  using backup = new DatabaseSync(file, { readOnly: true })
  const version = readVersion(backup, options)
  return await withClient(options.url, async (client) => {
    await client.query("BEGIN; SELECT pg_advisory_xact_lock(29037, 1)")
    await refuseInUse(client)
    const replaced = await setAside(client, fileTimestamp(options.clock.now()).toLowerCase())
    await createTables(client, options.migrations.slice(0, version))
    for (const [table, columns] of Map.groupBy(await readColumns(client), (it) => it.table)) {
      await copyTable({ table, columns, backup, client, file })
    }
    const begun = await beginNewEpoch(client, options)
    await client.query("COMMIT")
    options.log.info("store restored", { file, replaced, events: begun.events })
    return { file, replaced, ...begun }
  })
}

async function refuseUnusable(file: string): Promise<void> {
  const stat = await statFile(file)
  if (stat.kind !== "found" || stat.what !== "regular file") {
    throw BackupUnusable({ file, problem: "the file does not exist" })
  }
  const problem = checkCopy(file)
  if (problem !== undefined) throw BackupUnusable({ file, problem })
}

const FormatRow = z.object({ format: z.int() })
const VersionRow = z.object({ version: z.int() })

function readVersion(backup: DatabaseSync, { file, migrations }: Options): number {
  if (!hasTable(backup, "postgres_backup")) {
    throw BackupUnusable({ file, problem: "it is not a backup of a Postgres store" })
  }
  const { format } = FormatRow.parse(backup.prepare("SELECT format FROM postgres_backup").get())
  if (format !== POSTGRES_BACKUP_FORMAT) {
    throw BackupUnusable({ file, problem: `its format ${format} is of a newer qm` })
  }
  const query = "SELECT coalesce(max(number), 0) AS version FROM schema_migrations"
  const { version } = VersionRow.parse(backup.prepare(query).get())
  if (version > migrations.length) throw SchemaNewer({ found: version, known: migrations.length })
  return version
}

function hasTable(backup: DatabaseSync, name: string): boolean {
  const named = backup.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return named.get(name) !== undefined
}

/** Servers and commands of qm have this name in their connections. */
async function refuseInUse(client: Client): Promise<void> {
  const { rows } = await client.query<DatabaseRow>(
    `SELECT DISTINCT coalesce(host(client_addr), 'local') AS host FROM pg_stat_activity
     WHERE datname = current_database() AND application_name IN ('qm', 'qm-listen')
       AND pid <> pg_backend_pid()`,
  )
  if (rows.length === 0) return
  throw StoreInUse({ processes: `connections from ${rows.map((it) => it["host"]).join(", ")}` })
}

async function setAside(client: Client, at: string): Promise<string | undefined> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [
    POSTGRES_SCHEMA,
  ])
  const replaced = `${POSTGRES_SCHEMA}_replaced_${at}`
  const isThere = (rowCount ?? 0) > 0
  if (isThere) await client.query(`ALTER SCHEMA ${POSTGRES_SCHEMA} RENAME TO ${quoted(replaced)}`)
  await client.query(`CREATE SCHEMA ${POSTGRES_SCHEMA}; SET LOCAL search_path = ${POSTGRES_SCHEMA}`)
  return isThere ? replaced : undefined
}

async function createTables(client: Client, migrations: readonly Migration[]): Promise<void> {
  const types = COLUMN_TYPES.postgres
  const { run } = statementsOf(client)
  await run(createMigrationsTable(types))
  for (const migration of migrations) {
    for (const statement of migration.statements(types, "postgres")) await run(statement)
  }
}

async function copyTable(it: {
  readonly table: string
  readonly columns: readonly ColumnRow[]
  readonly backup: DatabaseSync
  readonly client: Client
  readonly file: string
}): Promise<void> {
  const { table, columns, backup, client } = it
  if (!hasTable(backup, table)) {
    throw BackupUnusable({ file: it.file, problem: `the table ${table} is missing` })
  }
  const names = columns.map(({ column }) => quoted(column)).join(", ")
  // A migration may have put its first rows there.
  await client.query(`DELETE FROM ${quoted(table)}`)
  const insert = `INSERT INTO ${quoted(table)} (${names}) VALUES`
  const most = Math.max(1, Math.min(MAX_ROWS, Math.floor(MAX_VALUES / columns.length)))
  let rows: unknown[][] = []
  const send = async (): Promise<void> => {
    if (rows.length === 0) return
    const places = rows.map((row, at) => placesOf(row.length, at * row.length))
    await client.query(`${insert} ${places.join(", ")}`, rows.flat())
    rows = []
  }
  for (const row of backup.prepare(`SELECT ${names} FROM ${quoted(table)}`).iterate()) {
    rows.push(columns.map(({ column }) => row[column]))
    if (rows.length >= most) await send()
  }
  await send()
}

function placesOf(count: number, before: number): string {
  return `(${Array.from({ length: count }, (_, at) => `$${before + at + 1}`).join(", ")})`
}

/** Invalidates older cursors: the restored journal may continue differently. */
async function beginNewEpoch(
  client: Client,
  options: Options,
): Promise<{ epoch: string; events: number }> {
  const statements = statementsOf(client)
  const { seq: events } = HeadRow.parse((await statements.all(selectHead()))[0])
  const epoch = newEpoch(options.random)
  const writer = createJournalWriter(options).collect("store")
  writer.emit("store.restored", { file: options.file, events })
  await statements.run(updateEpoch(epoch))
  await writer.write(statements)
  return { epoch, events }
}

function statementsOf(client: Client): Statements {
  return {
    async all(query) {
      const { rows } = await client.query<DatabaseRow>(render(query, "postgres"), [...query.values])
      return rows
    },
    async run(query) {
      const { rowCount } = await client.query(render(query, "postgres"), [...query.values])
      return { changes: rowCount ?? 0 }
    },
  }
}
