import { z } from "zod"
import { MIGRATIONS, type Migration, sql } from "#ground/store"

const tables: Migration = {
  number: MIGRATIONS.length + 1,
  name: "test-tables",
  statements: ({ integer, real, text, blob, strict }) => [
    sql`CREATE TABLE notes (
      id ${text} PRIMARY KEY,
      body ${text} NOT NULL,
      weight ${real},
      rank ${integer},
      bytes ${blob}
    )${strict}`,
    sql`CREATE TABLE counters (name ${text} PRIMARY KEY, value ${integer} NOT NULL)${strict}`,
    sql`CREATE TABLE replies (
      id ${text} PRIMARY KEY,
      note_id ${text} NOT NULL REFERENCES notes (id)
    )${strict}`,
  ],
}

export const TEST_MIGRATIONS: readonly Migration[] = [...MIGRATIONS, tables]

export const Note = z.object({
  id: z.string(),
  body: z.string(),
  weight: z.number().nullable(),
  rank: z.int().nullable(),
  bytes: z.instanceof(Uint8Array).nullable(),
})
export type Note = z.infer<typeof Note>

export const Count = z.object({ count: z.int() })
export const Counter = z.object({ value: z.int() })

export const insertNote = (note: Note) => sql`
  INSERT INTO notes (id, body, weight, rank, bytes)
  VALUES (${note.id}, ${note.body}, ${note.weight}, ${note.rank}, ${note.bytes})`

export const plainNote = (id: string, body = "text"): Note => ({
  id,
  body,
  weight: null,
  rank: null,
  bytes: null,
})

export const selectNotes = sql`SELECT id, body, weight, rank, bytes FROM notes ORDER BY id`
