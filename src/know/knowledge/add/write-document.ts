import { invariant } from "#ground/base"
import type { KbTier } from "#ground/contract"
import type { Tx } from "#ground/store"
import { MOST_PARAGRAPHS } from "../limits.ts"
import {
  bodyOf,
  CountRow,
  countParagraphs,
  deleteParagraphs,
  deleteVectors,
  embeddedText,
  insertParagraphs,
  insertReferences,
  type ParagraphBody,
  ParagraphRow,
  PlacedRow,
  selectParagraphsOf,
  selectPlaced,
  upsertDocument,
} from "../queries.ts"
import type { ReadDocument } from "../readers/outline.ts"
import { type DocumentParagraph, shortHash, splitDocument } from "./paragraphs.ts"
import type { Candidate } from "./walk.ts"

/** SQLite takes 32,766 values. */
const ROWS_A_STATEMENT = 200

export type NewDocument = {
  readonly candidate: Candidate
  readonly digest: string
  readonly title: string
  readonly paragraphs: readonly DocumentParagraph[]
  readonly isCut: boolean
  readonly note: string | undefined
  readonly knownId: string | undefined
}

export function prepareDocument(
  read: ReadDocument,
  { path }: Pick<Candidate, "path">,
): Pick<NewDocument, "title" | "paragraphs" | "isCut"> {
  const title = read.title ?? titleOfFile(path)
  return { title, paragraphs: splitDocument(read, { id: "", title }), isCut: read.isCut }
}

type DocumentTarget = { readonly folder: string; readonly tier: KbTier; readonly now: number }

/** Replaces the document's paragraphs. False if the store is full. */
export async function writeDocument(
  fresh: NewDocument,
  { folder, tier, now }: DocumentTarget,
  tx: Tx<"knowledge">,
): Promise<boolean> {
  const { candidate, digest, title } = fresh
  const { path, format, stat } = candidate
  const id = fresh.knownId ?? (await freeId({ folder, path }, tx))
  const paragraphs = fresh.paragraphs.map((it) => ({ ...it, id: `${id}${it.id}` }))
  const before = await tx.all(ParagraphRow, selectParagraphsOf(id))
  const stored = await tx.get(CountRow, countParagraphs())
  const isFull = (stored?.count ?? 0) - before.length + paragraphs.length > MOST_PARAGRAPHS
  if (isFull) return false
  await tx.run(
    upsertDocument({
      id,
      folder,
      path,
      title,
      tier,
      format,
      digest,
      size_bytes: stat.sizeBytes,
      modified_at: Math.trunc(stat.modifiedAtMs),
      updated_at: now,
    }),
  )
  await dropStaleVectors(before, paragraphs, tx)
  for (const statement of deleteParagraphs(id)) await tx.run(statement)
  await insertAll(id, paragraphs, tx)
  return true
}

/**
 * Derived from the path in the folder, so that it does not depend on the folder's location. On a
 * collision, a longer hash.
 */
async function freeId(
  document: { readonly folder: string; readonly path: string },
  tx: Tx<"knowledge">,
): Promise<string> {
  const { folder, path } = document
  const candidates = [path, ...[1, 2, 3, 4].map((it) => `${path}\n${folder}\n${it}`)].map(shortHash)
  const placed = await tx.all(PlacedRow, selectPlaced(candidates))
  const usedIds = new Set(
    placed.filter((it) => it.folder !== folder || it.path !== path).map((it) => it.id),
  )
  const free = candidates.find((it) => !usedIds.has(it))
  invariant(free !== undefined, "one of five hashes of 40 bits is free")
  return free
}

function titleOfFile(path: string): string {
  const name = path.split("/").at(-1) ?? path
  const words = name
    .replace(/\.[A-Za-z]+$/, "")
    .replace(/[-_]+/g, " ")
    .trim()
  return words === "" ? name : words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** A vector includes the headings, so a moved paragraph needs a new one. */
async function dropStaleVectors(
  before: readonly ParagraphRow[],
  paragraphs: readonly DocumentParagraph[],
  tx: Tx<"knowledge">,
): Promise<void> {
  const now = new Map(paragraphs.map((it) => [it.id, embeddedText(bodyFrom(it))]))
  const stale = before.filter((paragraph) => {
    const body = bodyOf(paragraph.body)
    return body === undefined || now.get(paragraph.id) !== embeddedText(body)
  })
  for (const some of inSteps(stale)) await tx.run(deleteVectors(some.map((it) => it.id)))
}

async function insertAll(
  document: string,
  paragraphs: readonly DocumentParagraph[],
  tx: Tx<"knowledge">,
): Promise<void> {
  const rows = paragraphs.map((it, index) => ({
    id: it.id,
    document,
    place: index,
    body: JSON.stringify(bodyFrom(it)),
  }))
  const references = paragraphs.flatMap((it) =>
    it.references.map((reference, index) => ({
      document,
      paragraph: it.id,
      place: index,
      ...reference,
    })),
  )
  for (const some of inSteps(rows)) await tx.run(insertParagraphs(some))
  for (const some of inSteps(references)) await tx.run(insertReferences(some))
}

function bodyFrom(paragraph: DocumentParagraph): ParagraphBody {
  const { text, line, page, headings, number, citation, anchors } = paragraph
  return { text, line, page, headings: [...headings], number, citation, anchors: [...anchors] }
}

function* inSteps<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT) {
    yield rows.slice(at, at + ROWS_A_STATEMENT)
  }
}
