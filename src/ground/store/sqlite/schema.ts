import { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import type { Driver } from "../driver.ts"
import { schemaVersion } from "../migrate.ts"
import { COLUMN_TYPES, type Migration } from "../migrations/migration.ts"
import { createMigrationsTable } from "../queries.ts"
import { parseRows } from "../rows.ts"
import { render, sql } from "../sql.ts"

const SchemaRow = z.object({ name: z.string(), sql: z.string().nullable() })

const SELECT_SCHEMA = sql`SELECT name, sql FROM sqlite_schema ORDER BY name`

/**
 * A turned byte in the text of the schema passes SQLite's own check and would surface as a missing
 * table. So the schema is compared with that of a fresh database at the same version.
 */
export async function findSchemaDamage(
  driver: Driver,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  const found = parseRows(SchemaRow, await driver.all(SELECT_SCHEMA))
  if (found.length === 0) return []
  if (!found.some((it) => it.name === "schema_migrations")) {
    return ["the table schema_migrations is missing"]
  }
  const version = await schemaVersion(driver.all)
  const sqlByName = new Map(found.map((it) => [it.name, it.sql]))
  return expectedSchema(migrations.slice(0, version))
    .filter((it) => sqlByName.get(it.name) !== it.sql)
    .map((it) => `the definition of ${it.name} has changed`)
}

function expectedSchema(migrations: readonly Migration[]): readonly z.infer<typeof SchemaRow>[] {
  const fresh = new DatabaseSync(":memory:")
  try {
    const types = COLUMN_TYPES.sqlite
    fresh.exec(render(createMigrationsTable(types), "sqlite"))
    for (const migration of migrations) {
      for (const statement of migration.statements(types, "sqlite")) {
        fresh.prepare(render(statement, "sqlite")).run(...statement.values)
      }
    }
    return parseRows(SchemaRow, fresh.prepare(render(SELECT_SCHEMA, "sqlite")).all())
  } finally {
    fresh.close()
  }
}
