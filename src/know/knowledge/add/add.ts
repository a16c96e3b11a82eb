import path from "node:path"
import { formatExact, giveOthersATurn, type Log } from "#ground/base"
import type { CallContext, KbAdded, KbTier } from "#ground/contract"
import { prepareNothing } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { KnowledgeDeps } from "../deps.ts"
import { FolderUnreadable } from "../errors.ts"
import { MOST_PARAGRAPHS_OF_A_DOCUMENT } from "../limits.ts"
import {
  CountRow,
  countParagraphsOf,
  DocumentRow,
  deleteDocument,
  FolderRow,
  raiseRevision,
  selectDocumentsOf,
  selectFolders,
  touchDocument,
  upsertFolder,
} from "../queries.ts"
import { type DocumentReader, openDocumentReader } from "../readers/document-reader.ts"
import { embedFolder } from "../search/embeddings.ts"
import {
  type Candidate,
  readCandidate,
  type SkippedFile,
  type WalkResult,
  walkDocuments,
} from "./walk.ts"
import { type NewDocument, prepareDocument, writeDocument } from "./write-document.ts"

const DOCUMENTS_A_TRANSACTION = 20

type AddRequest = { readonly folder: string; readonly tier: KbTier; readonly code: boolean }

/**
 * Files are compared by digest, so unchanged ones are not parsed again; deleted files are removed.
 */
export async function addFolder(
  { code: isCode, ...request }: AddRequest,
  context: CallContext,
  deps: KnowledgeDeps,
): Promise<KbAdded> {
  await using code = isCode ? await deps.code?.() : undefined
  const db = await deps.db()
  const folders = (await db.all(FolderRow, selectFolders())).map((it) => it.folder)
  const outcome = walkDocuments(request.folder, new Set(folders), code?.isSource)
  if (outcome.kind === "failed") {
    throw FolderUnreadable({ path: request.folder, reason: outcome.reason })
  }
  const documents = await db.all(DocumentRow, selectDocumentsOf(request.folder))
  const { redact, prepare = prepareNothing } = await deps.secrets()
  const { log, clock } = deps
  await using reader = openDocumentReader({ redact, prepare, code })
  const work = { ...request, ...outcome, known: documents, reader, db, log, now: clock.now() }
  const done = await readAll(work, context)
  const removed = await finish(work, done)
  await takeFromAbove(request.folder, folders, db)
  const by = await embedFolder(request.folder, context, deps)
  const { added, changed, unchanged, skipped, notes } = done
  const left = await db.all(DocumentRow, selectDocumentsOf(request.folder))
  const cut = await db.get(CountRow, countParagraphsOf(request.folder))
  return {
    ...request,
    added,
    changed,
    removed,
    unchanged,
    documents: left.length,
    paragraphs: cut?.count ?? 0,
    skipped: [...skipped, ...notes].map(({ path: file, reason }) => ({ path: file, reason })),
    by,
  }
}

type Work = Omit<AddRequest, "code"> & {
  readonly walked: WalkResult
  readonly known: readonly DocumentRow[]
  readonly reader: DocumentReader
  readonly db: Db<"knowledge">
  readonly log: Log
  readonly now: number
}

type AddProgress = {
  added: number
  changed: number
  unchanged: number
  readonly skipped: SkippedFile[]
  readonly notes: SkippedFile[]
  readonly same: Candidate[]
}

async function readAll(work: Work, { signal, onProgress }: CallContext): Promise<AddProgress> {
  const byPath = new Map(work.known.map((it) => [it.path, it]))
  const skipped = [...work.walked.skipped]
  const done: AddProgress = { added: 0, changed: 0, unchanged: 0, skipped, notes: [], same: [] }
  const total = work.walked.candidates.length
  let batch: NewDocument[] = []
  for (const [at, candidate] of work.walked.candidates.entries()) {
    signal.throwIfAborted()
    const read = await readFresh(work, { candidate, before: byPath.get(candidate.path), signal })
    if (read.kind === "fresh") batch.push(read.fresh)
    else if (read.kind === "same") done.same.push(candidate)
    else done.skipped.push({ path: candidate.path, ...skippedFrom(read) })
    const isFull = batch.length >= DOCUMENTS_A_TRANSACTION || at === total - 1
    if (isFull && batch.length > 0) {
      await writeBatch(work, batch, done)
      batch = []
    }
    onProgress?.({ what: "reading documents", done: at + 1, total })
    await giveOthersATurn()
  }
  done.unchanged = done.same.length
  return done
}

type Unusable = { readonly reason: string; readonly digest?: string }

function skippedFrom({ reason, digest }: Unusable): Unusable {
  return digest === undefined ? { reason } : { reason, digest }
}

type FreshRequest = {
  readonly candidate: Candidate
  readonly before: DocumentRow | undefined
  readonly signal: AbortSignal
}

async function readFresh(work: Work, { candidate, before, signal }: FreshRequest) {
  const file = readCandidate(work.folder, candidate.path)
  if (file.kind === "missing") return { kind: "gone" as const, reason: "the file was deleted" }
  if (file.kind === "skipped") return file
  const { digest } = file
  if (digest === before?.digest) return { kind: "same" as const }
  try {
    const read = await work.reader.read({ ...candidate, bytes: file.bytes }, signal)
    if (read.kind === "skipped") return { ...read, digest }
    const made = prepareDocument(read.document, candidate)
    const { note } = read
    const fresh: NewDocument = { candidate, digest, ...made, note, knownId: before?.id }
    return { kind: "fresh" as const, fresh }
  } catch (error) {
    signal.throwIfAborted()
    work.log.warn("a document cannot be read", { path: candidate.path, error })
    return { kind: "skipped" as const, reason: "it cannot be parsed", digest }
  }
}

async function writeBatch(
  work: Work,
  batch: readonly NewDocument[],
  done: AddProgress,
): Promise<void> {
  const { folder, tier, now, walked } = work
  const refused = await work.db.transaction(async (tx) => {
    await tx.run(upsertFolder(folderRow(work, walked.skipped)))
    const full: NewDocument[] = []
    for (const fresh of batch) {
      const isStored = await writeDocument(fresh, { folder, tier, now }, tx)
      if (!isStored) full.push(fresh)
    }
    await tx.run(raiseRevision())
    const changed = batch.length - full.length
    tx.emit("knowledge.changed", { folder, documents: walked.candidates.length, changed })
    return full
  })
  for (const fresh of batch) {
    if (refused.includes(fresh)) {
      done.skipped.push({ path: fresh.candidate.path, reason: "the knowledge base is full" })
      continue
    }
    done[fresh.knownId === undefined ? "added" : "changed"]++
    const { path: file } = fresh.candidate
    if (fresh.isCut) done.notes.push({ path: file, reason: ONLY_FIRST })
    if (fresh.note !== undefined) done.notes.push({ path: file, reason: fresh.note })
  }
}

const ONLY_FIRST = `only its first ${formatExact(MOST_PARAGRAPHS_OF_A_DOCUMENT)} paragraphs are stored`

async function finish(work: Work, done: AddProgress): Promise<number> {
  const { folder, tier, known, walked } = work
  const gone = goneFrom(known, walked, done.skipped)
  const knownByPath = new Map(known.map((it) => [it.path, it]))
  const touched = done.same.flatMap(({ path: file, stat }) => {
    const before = knownByPath.get(file)
    const modified_at = Math.trunc(stat.modifiedAtMs)
    const isTouched = before?.tier !== tier || before.modified_at !== modified_at
    return before === undefined || !isTouched ? [] : [{ id: before.id, tier, modified_at }]
  })
  await work.db.transaction(async (tx) => {
    await tx.run(upsertFolder(folderRow(work, [...done.skipped, ...done.notes])))
    for (const row of touched) await tx.run(touchDocument(row))
    for (const { id } of gone) for (const statement of deleteDocument(id)) await tx.run(statement)
    await tx.run(raiseRevision())
    const documents = walked.candidates.length
    tx.emit("knowledge.changed", { folder, documents, changed: gone.length })
  })
  return gone.length
}

/** Takes over the documents of this folder that a parent folder had indexed. */
async function takeFromAbove(
  folder: string,
  folders: readonly string[],
  db: Db<"knowledge">,
): Promise<void> {
  for (const above of folders.filter((it) => folder.startsWith(`${it}${path.sep}`))) {
    const way = path.relative(above, folder).split(path.sep).join("/")
    const documents = await db.all(DocumentRow, selectDocumentsOf(above))
    const removed = documents.filter((it) => it.path === way || it.path.startsWith(`${way}/`))
    if (removed.length === 0) continue
    await db.transaction(async (tx) => {
      for (const { id } of removed)
        for (const statement of deleteDocument(id)) await tx.run(statement)
      await tx.run(raiseRevision())
      const left = documents.length - removed.length
      tx.emit("knowledge.changed", { folder: above, documents: left, changed: removed.length })
    })
  }
}

function folderRow({ folder, tier, now }: Work, skipped: readonly SkippedFile[]) {
  return { folder, tier, added_at: now, skipped: JSON.stringify(skipped) }
}

/** Indexed documents without a readable file, except below folders that could not be listed. */
export function goneFrom<Known extends { readonly path: string }>(
  documents: readonly Known[],
  { candidates, unseen }: Pick<WalkResult, "candidates" | "unseen">,
  skipped: readonly SkippedFile[],
): readonly Known[] {
  const unreadable = new Set(skipped.map((it) => it.path))
  const there = new Set(candidates.map((it) => it.path).filter((it) => !unreadable.has(it)))
  const isUnseen = (file: string) =>
    unseen.some((it) => it === "" || file === it || file.startsWith(`${it}/`))
  return documents.filter((it) => !there.has(it.path) && !isUnseen(it.path))
}
