import { parseJson } from "#ground/base"
import {
  type CallContext,
  type KbAdded,
  type KbBy,
  type KbStatus,
  kbOperations,
  type OperationInput,
  type OperationOutput,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { addFolder } from "./add/add.ts"
import { readCandidate, walkDocuments } from "./add/walk.ts"
import { createAnswers } from "./answer.ts"
import type { KnowledgeDeps } from "./deps.ts"
import { FolderUnknown } from "./errors.ts"
import type { Library } from "./library.ts"
import { createLibraryAccess } from "./library-access.ts"
import {
  DocumentRow,
  deleteDocument,
  deleteFolder,
  FolderRow,
  raiseRevision,
  selectDocumentsOf,
  selectFolders,
} from "./queries.ts"
import type { Graph } from "./references/reference-graph.ts"
import { createVerification } from "./verify.ts"

const MOST_UNRESOLVED_TOLD = 200

export type Knowledge = ReturnType<typeof createKnowledge>

export function createKnowledge(deps: KnowledgeDeps) {
  const access = createLibraryAccess(deps)
  const inTurn = createTurns()
  return {
    ...createAnswers(deps, access),
    ...createVerification(deps, access),

    /** `path` is absolute and without links; the caller has checked that it may be read. */
    add: (input: OperationInput<"kb.add">, context: CallContext = QUIET): Promise<KbAdded> => {
      const { path: folder, tier } = kbOperations["kb.add"].input.parse(input)
      return inTurn(() => addFolder({ folder, tier }, context, deps))
    },

    remove: (input: OperationInput<"kb.remove">): Promise<OperationOutput<"kb.remove">> =>
      inTurn(() => removeFolder(input.path, deps)),

    async status(): Promise<KbStatus> {
      const { library, graph } = await access.open()
      const by = await access.meaning.state(library)
      return statusOf(library, { db: await deps.db(), graph: graph(), by })
    },
  }
}

const QUIET: CallContext = { signal: new AbortController().signal }

/** Serialises: two adds of one folder would write the same rows. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
}

async function removeFolder(folder: string, deps: Pick<KnowledgeDeps, "db">) {
  const db = await deps.db()
  return db.transaction(async (tx) => {
    const folders = await tx.all(FolderRow, selectFolders())
    if (!folders.some((it) => it.folder === folder)) throw FolderUnknown({ path: folder })
    const documents = await tx.all(DocumentRow, selectDocumentsOf(folder))
    for (const { id } of documents) {
      for (const statement of deleteDocument(id)) await tx.run(statement)
    }
    await tx.run(deleteFolder(folder))
    await tx.run(raiseRevision())
    tx.emit("knowledge.changed", { folder, documents: 0, changed: documents.length })
    return { folder, documents: documents.length }
  })
}

async function statusOf(
  library: Library,
  on: { readonly db: Db<"knowledge">; readonly graph: Graph; readonly by: KbBy },
): Promise<KbStatus> {
  const folders = await on.db.all(FolderRow, selectFolders())
  const apart = new Set(folders.map((it) => it.folder))
  const byFolder = Map.groupBy(library.documents, (it) => it.folder)
  return {
    folders: folders.map((folder) => {
      const documents = byFolder.get(folder.folder) ?? []
      return {
        folder: folder.folder,
        tier: folder.tier,
        documents: documents.length,
        paragraphs: documents.reduce(
          (sum, { id }) => sum + (library.byDocument.get(id)?.length ?? 0),
          0,
        ),
        addedAt: folder.added_at,
        isStale: isStale(folder.folder, documents, apart),
        skipped: skippedIn(folder.skipped),
      }
    }),
    documents: library.documents.length,
    paragraphs: library.paragraphs.length,
    references: library.references.length,
    unresolved: on.graph.unresolved.slice(0, MOST_UNRESOLVED_TOLD),
    by: on.by,
  }
}

/** By size and time first; only files that differ there are read, because a checkout touches all files. */
function isStale(
  folder: string,
  documents: readonly DocumentRow[],
  apart: ReadonlySet<string>,
): boolean {
  const outcome = walkDocuments(folder, apart)
  if (outcome.kind === "failed") return true
  const byPath = new Map(documents.map((it) => [it.path, it]))
  const { candidates, unseen } = outcome.walked
  const isMissing = documents.length > candidates.length && unseen.length === 0
  return (
    isMissing ||
    candidates.some(({ path, stat }) => {
      const before = byPath.get(path)
      const isSame =
        before?.size_bytes === stat.sizeBytes &&
        before.modified_at === Math.trunc(stat.modifiedAtMs)
      if (isSame) return false
      const now = readCandidate(folder, path)
      if (now.kind === "read") return now.digest !== before?.digest
      return before !== undefined
    })
  )
}

function skippedIn(json: string): number {
  const skipped = parseJson(json)
  return Array.isArray(skipped) ? skipped.length : 0
}
