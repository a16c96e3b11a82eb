import {
  type CallContext,
  type KbAdded,
  type KbStatus,
  OPERATIONS,
  type OperationInput,
  type OperationOutput,
} from "#ground/contract"
import { addFolder } from "./add.ts"
import { createAsking } from "./asking.ts"
import type { KnowledgeDeps } from "./deps.ts"
import { FolderUnknown } from "./errors.ts"
import {
  DocumentRow,
  deleteDocument,
  deleteFolder,
  FolderRow,
  raiseRevision,
  selectDocumentsOf,
  selectFolders,
} from "./queries.ts"
import { createShelf } from "./shelf.ts"
import { statusOf } from "./status.ts"
import { createVerifying } from "./verifying.ts"

export type Knowledge = ReturnType<typeof createKnowledge>

/** Documents people wrote, cut into paragraphs that are found, followed, cited and verified. */
export function createKnowledge(deps: KnowledgeDeps) {
  const shelf = createShelf(deps)
  const inTurn = createTurns()
  return {
    ...createAsking(deps, shelf),
    ...createVerifying(deps, shelf),

    /** `path` is absolute and without links; whether it may be read was asked before. */
    add: (input: OperationInput<"kb.add">, context: CallContext = QUIET): Promise<KbAdded> => {
      const { path: folder, tier } = OPERATIONS["kb.add"].input.parse(input)
      return inTurn(() => addFolder({ folder, tier }, context, deps))
    },

    remove: (input: OperationInput<"kb.remove">): Promise<OperationOutput<"kb.remove">> =>
      inTurn(() => removeFolder(input.path, deps)),

    async status(): Promise<KbStatus> {
      const { library, graph } = await shelf.open()
      const by = await shelf.meaning.state(library)
      return statusOf(library, { db: await deps.db(), graph: graph(), by })
    },
  }
}

const QUIET: CallContext = { signal: new AbortController().signal }

/** One after another: two readings of the same folder would write the same rows. */
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
