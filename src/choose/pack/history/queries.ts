import { deflateRawSync, inflateRawSync } from "node:zlib"
import { z } from "zod"
import { ContextPack, type PackFormat, PackSummaryItem } from "#ground/contract"
import { type Sql, sql } from "#ground/store"

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

/** Compressed, because source text is repetitive. */
export const BodyRow = z.object({
  body: z
    .instanceof(Uint8Array)
    .transform((bytes): unknown =>
      JSON.parse(inflateRawSync(bytes, { maxOutputLength: 256_000_000 }).toString("utf8")),
    )
    .pipe(ContextPack),
})

const SUMMARY = sql`id, task, role, budget, tokens, files, session, built_at`

export const selectSummaries = (root: string, limit: number): Sql => sql`
  SELECT ${SUMMARY} FROM packs WHERE root = ${root} ORDER BY built_at DESC, id DESC LIMIT ${limit}`

export const selectNewestBody = (root: string): Sql => sql`
  SELECT body FROM packs WHERE root = ${root} ORDER BY built_at DESC, id DESC LIMIT 1`

export const selectBody = (root: string, id: string): Sql => sql`
  SELECT body FROM packs WHERE id = ${id} AND root = ${root}`

type Session = { readonly root: string; readonly session: string; readonly limit: number }

/** Only these formats contain the text of files. */
export const selectSentBodies = ({ root, session, limit }: Session): Sql => sql`
  SELECT body FROM packs
  WHERE root = ${root} AND session = ${session} AND format IN ('markdown', 'xml', 'json')
  ORDER BY built_at DESC, id DESC LIMIT ${limit}`

type StoredPack = {
  readonly root: string
  readonly format: PackFormat | null
  readonly pack: ContextPack
}

export const insertPack = (it: PackSummaryItem, { root, format, pack }: StoredPack): Sql => sql`
  INSERT INTO packs (id, root, task, role, budget, tokens, files, session, format, built_at, body)
  VALUES (${it.id}, ${root}, ${it.task}, ${it.role}, ${it.budget}, ${it.tokens}, ${it.files},
    ${it.session}, ${format}, ${it.builtAt}, ${compressed(pack)})`

/** A smaller package is stored as it is: loading the compressor takes 3 ms. */
const LARGEST_PLAIN_BYTES = 16_000

function compressed(pack: ContextPack): Uint8Array {
  const text = Buffer.from(JSON.stringify(pack))
  if (text.length > LARGEST_PLAIN_BYTES) return Uint8Array.from(deflateRawSync(text, { level: 3 }))
  // One stored block of RFC 1951: final, without compression, length and its complement.
  const block = new Uint8Array(5 + text.length)
  block[0] = 1
  new DataView(block.buffer).setUint16(1, text.length, true)
  new DataView(block.buffer).setUint16(3, text.length ^ 0xffff, true)
  block.set(text, 5)
  return block
}

export const deleteSurplus = (root: string, most: number): Sql => sql`
  DELETE FROM packs WHERE root = ${root} AND id NOT IN (
    SELECT id FROM packs WHERE root = ${root} ORDER BY built_at DESC, id DESC LIMIT ${most})`
