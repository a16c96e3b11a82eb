import type { RunStatus } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"

/** The newest runs whose messages a search reads; titles and prompts are searched in all runs. */
export const MAX_SEARCHED_RUNS = 200

export type RunFilter = {
  readonly limit: number
  readonly text?: string | undefined
  readonly status?: readonly RunStatus[] | undefined
  /** Runs with any of them. */
  readonly labels?: readonly string[] | undefined
  readonly workflow?: string | undefined
  readonly archived: boolean
}

export function conditionOf(filter: RunFilter): Sql {
  const byColumns = columnCondition(filter)
  const words = (filter.text ?? "").split(/\s+/).filter((it) => it !== "")
  return join(
    [byColumns, ...words.slice(0, 5).map((word) => wordCondition(word, byColumns))],
    sql` AND `,
  )
}

function anyLabel(labels: readonly string[]): Sql {
  const each = labels.map((it) => sql`labels LIKE ${containing(JSON.stringify(it))} ESCAPE '!'`)
  return sql`(${join(each, sql` OR `)})`
}

function columnCondition({ status, labels, workflow, archived }: RunFilter): Sql {
  const statuses = status ?? []
  const conditions = [
    sql`is_archived = ${archived ? 1 : 0}`,
    ...(statuses.length === 0 ? [] : [sql`status IN (${join(statuses.map((it) => sql`${it}`))})`]),
    ...(workflow === undefined ? [] : [sql`workflow = ${workflow}`]),
    ...(labels === undefined ? [] : [anyLabel(labels)]),
  ]
  return join(conditions, sql` AND `)
}

function wordCondition(word: string, byColumns: Sql): Sql {
  const newest = sql`SELECT id FROM runs WHERE ${byColumns}
    ORDER BY created_at DESC, id DESC LIMIT ${MAX_SEARCHED_RUNS}`
  return sql`(${contains(sql`title`, word)} OR ${contains(sql`prompt`, word)}
    OR (id IN (${newest}) AND EXISTS (SELECT 1 FROM run_messages m WHERE m.run_id = runs.id
      AND ${contains(sql`m.content`, word)})))`
}

function contains(column: Sql, word: string): Sql {
  const patterns = spellings(word).map(
    (it) => sql`lower(${column}) LIKE ${containing(it)} ESCAPE '!'`,
  )
  return sql`(${join(patterns, sql` OR `)})`
}

/**
 * SQLite's `lower` handles only ASCII, and Postgres depends on its locale. So a term with other
 * letters is searched as typed, in lower case, in upper case and capitalised; its ASCII letters
 * always in lower case, as in the column.
 */
function spellings(word: string): readonly string[] {
  const lower = word.toLowerCase()
  const first = [...lower][0] ?? ""
  const forms = [lower, word, word.toUpperCase(), first.toUpperCase() + lower.slice(first.length)]
  const lowerAscii = (text: string) => text.replaceAll(/[A-Z]/g, (it) => it.toLowerCase())
  return [...new Set(forms.map(lowerAscii))]
}

function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (it) => `!${it}`)}%`
}
