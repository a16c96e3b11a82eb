import { deflateRawSync, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { ContextPack, PackSummaryItem } from "#ground/contract"
import { type Sql, sql } from "#ground/store"
import { LARGEST_KEPT_BYTES } from "./limits.ts"

export const SummaryRow = z
  .object({
    id: z.string(),
    task: z.string(),
    role: z.string().nullable(),
    budget: z.int(),
    tokens: z.int(),
    files: z.int(),
    session: z.string().nullable(),
    built_at: z.int(),
  })
  .transform(({ built_at, ...row }): PackSummaryItem => ({ ...row, builtAt: built_at }))

/** A package as it was built, compressed: its text is the repository's, which repeats itself. */
export const BodyRow = z.object({
  body: z
    .instanceof(Uint8Array)
    .transform((bytes): unknown =>
      JSON.parse(inflateRawSync(bytes, { maxOutputLength: LARGEST_KEPT_BYTES }).toString("utf8")),
    )
    .pipe(ContextPack),
})

const SUMMARY = sql`id, task, role, budget, tokens, files, session, built_at`

export const selectSummaries = (limit: number): Sql => sql`
  SELECT ${SUMMARY} FROM packs ORDER BY built_at DESC, id DESC LIMIT ${limit}`

export const selectNewestBody = (): Sql => sql`
  SELECT body FROM packs ORDER BY built_at DESC, id DESC LIMIT 1`

export const selectBody = (id: string): Sql => sql`SELECT body FROM packs WHERE id = ${id}`

export const selectSessionBodies = (session: string, limit: number): Sql => sql`
  SELECT body FROM packs WHERE session = ${session} ORDER BY built_at DESC, id DESC LIMIT ${limit}`

export const insertPack = (it: PackSummaryItem, pack: ContextPack): Sql => sql`
  INSERT INTO packs (id, task, role, budget, tokens, files, session, built_at, body)
  VALUES (${it.id}, ${it.task}, ${it.role}, ${it.budget}, ${it.tokens}, ${it.files},
    ${it.session}, ${it.builtAt}, ${compressed(pack)})`

function compressed(pack: ContextPack): Uint8Array {
  return Uint8Array.from(deflateRawSync(JSON.stringify(pack), { level: 3 }))
}

/** All but the newest. */
export const deleteSurplus = (kept: number): Sql => sql`
  DELETE FROM packs WHERE id NOT IN (
    SELECT id FROM packs ORDER BY built_at DESC, id DESC LIMIT ${kept})`
