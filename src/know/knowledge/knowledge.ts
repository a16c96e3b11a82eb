import { z } from "zod"
import { parseJson } from "#ground/base"
import {
  type CallContext,
  type KbAdded,
  type KbBy,
  type KbOriginal,
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
import { readOriginal } from "./original.ts"
import {
  DocumentRow,
  deleteDocument,
  deleteFolder,
  FolderRow,
  raiseRevision,
  selectDocumentsOf,
  selectFolders,
} from "./queries.ts"
import type { CodeReader } from "./readers/code.ts"
import type { Graph } from "./references/reference-graph.ts"
import { withRelated } from "./search/embeddings.ts"
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
      const { path: folder, tier, code } = kbOperations["kb.add"].input.parse(input)
      return inTurn(async () => {
        const added = await addFolder({ folder, tier, code }, context, deps)
        return { ...added, by: withRelated(added.by, await deps.wordVectors?.()) }
      })
    },

    remove: (input: OperationInput<"kb.remove">): Promise<OperationOutput<"kb.remove">> =>
      inTurn(() => removeFolder(input.path, deps)),

    async original({ document }: OperationInput<"kb.original">): Promise<KbOriginal> {
      const { library } = await access.open()
      return readOriginal(document, library, await deps.secrets())
    },

    async status(): Promise<KbStatus> {
      const { library, graph } = await access.open()
      const by = withRelated(await access.meaning.state(library), await deps.wordVectors?.())
      const hasCode = library.documents.some((it) => it.format === "code")
      await using code = hasCode ? await deps.code?.() : undefined
      return await statusOf(library, { db: await deps.db(), graph: graph(), by, code })
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

type StatusMeans = {
  readonly db: Db<"knowledge">
  readonly graph: Graph
  readonly by: KbBy
  readonly code: CodeReader | undefined
}

async function statusOf(library: Library, on: StatusMeans): Promise<KbStatus> {
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
        isStale: isStale(folder, documents, { apart, code: on.code }),
        skipped: skippedIn(folder.skipped).length,
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
  { folder, skipped }: FolderRow,
  documents: readonly DocumentRow[],
  { apart, code }: { readonly apart: ReadonlySet<string> } & Pick<StatusMeans, "code">,
): boolean {
  // Only of folders that were added with their code.
  const isSource = documents.some((it) => it.format === "code") ? code?.isSource : undefined
  const outcome = walkDocuments(folder, apart, isSource)
  if (outcome.kind === "failed") return true
  const byPath = new Map(documents.map((it) => [it.path, it]))
  const unusable = new Map(skippedIn(skipped).map((it) => [it.path, it.digest]))
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
      if (now.kind === "read") return now.digest !== (before?.digest ?? unusable.get(path))
      return before !== undefined
    })
  )
}

const SkippedFiles = z
  .array(z.object({ path: z.string(), digest: z.string().optional() }))
  .catch([])

function skippedIn(json: string): z.infer<typeof SkippedFiles> {
  return SkippedFiles.parse(parseJson(json))
}
