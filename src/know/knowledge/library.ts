import { compareText } from "#ground/base"
import type { KbDocument, KbParagraph } from "#ground/contract"
import type { Db } from "#ground/store"
import {
  bodyOf,
  DocumentRow,
  type ParagraphBody,
  ParagraphRow,
  ReferenceRow,
  RevisionRow,
  selectDocuments,
  selectParagraphs,
  selectReferences,
  selectRevision,
} from "./queries.ts"
import { indexWords, type WordIndex } from "./search/word-index.ts"

export type StoredParagraph = {
  readonly id: string
  readonly document: DocumentRow
  readonly body: ParagraphBody
  readonly number: number
}

export type Library = {
  readonly revision: number
  readonly documents: readonly DocumentRow[]
  readonly paragraphs: readonly StoredParagraph[]
  readonly byId: ReadonlyMap<string, StoredParagraph>
  readonly byDocument: ReadonlyMap<string, readonly StoredParagraph[]>
  readonly references: readonly ReferenceRow[]
  readonly words: WordIndex
}

export function createLibrary(db: () => Promise<Db<"knowledge">>) {
  let held: { readonly revision: number; readonly library: Promise<Library> } | undefined
  return async (): Promise<Library> => {
    const store = await db()
    const { revision } = (await store.get(RevisionRow, selectRevision())) ?? { revision: 0 }
    if (held?.revision === revision) return await held.library
    const made = { revision, library: loadLibrary(store, revision) }
    held = made
    try {
      return await made.library
    } catch (error) {
      if (held === made) held = undefined
      throw error
    }
  }
}

async function loadLibrary(db: Db<"knowledge">, revision: number): Promise<Library> {
  // Not in one transaction: newer rows are read by the next query.
  const documents = await db.all(DocumentRow, selectDocuments())
  const paragraphs = await db.all(ParagraphRow, selectParagraphs())
  const references = await db.all(ReferenceRow, selectReferences())
  return await libraryOf({ documents, paragraphs, references }, revision)
}

type Rows = {
  readonly documents: readonly DocumentRow[]
  readonly paragraphs: readonly ParagraphRow[]
  readonly references: readonly ReferenceRow[]
}

/** Sorted here, because the databases sort text differently. */
async function libraryOf(rows: Rows, revision: number): Promise<Library> {
  const documents = rows.documents.toSorted(
    (a, b) => compareText(a.folder, b.folder) || compareText(a.path, b.path),
  )
  const rowsByDocument = Map.groupBy(rows.paragraphs, (it) => it.document)
  const paragraphs: StoredParagraph[] = []
  for (const document of documents) {
    const own = rowsByDocument.get(document.id) ?? []
    for (const row of own.toSorted((a, b) => a.place - b.place)) {
      const body = bodyOf(row.body)
      if (body !== undefined)
        paragraphs.push({ id: row.id, document, body, number: paragraphs.length })
    }
  }
  return {
    revision,
    documents,
    paragraphs,
    byId: new Map(paragraphs.map((it) => [it.id, it])),
    byDocument: Map.groupBy(paragraphs, (it) => it.document.id),
    references: rows.references.toSorted(
      (a, b) => compareText(a.paragraph, b.paragraph) || a.place - b.place,
    ),
    words: await indexWords(paragraphs),
  }
}

export function shownParagraph({ id, document, body }: StoredParagraph): KbParagraph {
  const { text, line, page, headings, number, citation } = body
  const { title, path, tier } = document
  return {
    id,
    document: document.id,
    title,
    path,
    tier,
    headings,
    number,
    text,
    line,
    page,
    citation,
  }
}

export function shownDocuments(library: Library): readonly KbDocument[] {
  const references = Map.groupBy(library.references, (it) => it.document)
  return library.documents.map((it) => ({
    id: it.id,
    title: it.title,
    path: it.path,
    folder: it.folder,
    tier: it.tier,
    format: it.format,
    digest: it.digest,
    paragraphs: library.byDocument.get(it.id)?.length ?? 0,
    references: references.get(it.id)?.length ?? 0,
    sizeBytes: it.size_bytes,
    updatedAt: it.updated_at,
  }))
}
