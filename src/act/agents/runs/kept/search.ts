import type { RunStatus } from "#ground/contract"
import { join, type Sql, sql } from "#ground/store"
import { MOST_SEARCHED_RUNS, MOST_SEARCHED_WORDS } from "../../limits.ts"

/** Which runs are wanted: all of these hold at once. */
export type RunFilter = {
  readonly limit: number
  readonly text?: string | undefined
  readonly status?: readonly RunStatus[] | undefined
  readonly label?: string | undefined
  readonly workflow?: string | undefined
  readonly archived: boolean
}

/** What a row of runs must fulfil, as one condition. */
export function conditionOf(filter: RunFilter): Sql {
  const plain = plainConditionOf(filter)
  const words = (filter.text ?? "").split(/\s+/).filter((it) => it !== "")
  const said = words.slice(0, MOST_SEARCHED_WORDS).map((word) => saidSomewhere(word, plain))
  return join([plain, ...said], sql` AND `)
}

/** What stands in the row of a run itself. */
function plainConditionOf({ status, label, workflow, archived }: RunFilter): Sql {
  const statuses = status ?? []
  const conditions = [
    sql`is_archived = ${archived ? 1 : 0}`,
    ...(statuses.length === 0 ? [] : [sql`status IN (${join(statuses.map((it) => sql`${it}`))})`]),
    ...(workflow === undefined ? [] : [sql`workflow = ${workflow}`]),
    ...(label === undefined
      ? []
      : [sql`labels LIKE ${containing(JSON.stringify(label))} ESCAPE '!'`]),
  ]
  return join(conditions, sql` AND `)
}

/** In its title, its prompt, or a message; of messages only those of the newest runs are read. */
function saidSomewhere(word: string, plain: Sql): Sql {
  const newest = sql`SELECT id FROM runs WHERE ${plain}
    ORDER BY created_at DESC, id DESC LIMIT ${MOST_SEARCHED_RUNS}`
  return sql`(${says(sql`title`, word)} OR ${says(sql`prompt`, word)}
    OR (id IN (${newest}) AND EXISTS (SELECT 1 FROM run_messages m WHERE m.run_id = runs.id
      AND ${says(sql`m.content`, word)})))`
}

function says(column: Sql, word: string): Sql {
  const patterns = spellings(word).map(
    (it) => sql`lower(${column}) LIKE ${containing(it)} ESCAPE '!'`,
  )
  return sql`(${join(patterns, sql` OR `)})`
}

/**
 * SQLite's `lower` knows only ASCII, Postgres' as much as its locale. So a word with other letters is
 * looked for as it was typed, small, large, and with a large first letter; always with its ASCII
 * letters small, as they are in the column.
 */
function spellings(word: string): readonly string[] {
  const small = word.toLowerCase()
  const first = [...small][0] ?? ""
  const forms = [small, word, word.toUpperCase(), first.toUpperCase() + small.slice(first.length)]
  return [...new Set(forms.map(smallAscii))]
}

function smallAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (it) => it.toLowerCase())
}

function containing(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (it) => `!${it}`)}%`
}
