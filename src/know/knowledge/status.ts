import { z } from "zod"
import type { KbBy, KbStatus } from "#ground/contract"
import type { Db } from "#ground/store"
import type { Graph } from "./hops.ts"
import type { Library } from "./library.ts"
import { MOST_UNRESOLVED_TOLD } from "./limits.ts"
import { type DocumentRow, FolderRow, selectFolders } from "./queries.ts"
import { readCandidate, walkDocuments } from "./walk.ts"

/** What is known, whether it is still so, and what leads nowhere. */
export async function statusOf(
  library: Library,
  on: { readonly db: Db<"knowledge">; readonly graph: Graph; readonly by: KbBy },
): Promise<KbStatus> {
  const folders = await on.db.all(FolderRow, selectFolders())
  const apart = new Set(folders.map((it) => it.folder))
  const byFolder = Map.groupBy(library.documents, (it) => it.folder)
  return {
    folders: folders.map((it) => {
      const documents = byFolder.get(it.folder) ?? []
      return {
        folder: it.folder,
        tier: it.tier,
        documents: documents.length,
        paragraphs: documents.reduce(
          (sum, { id }) => sum + (library.byDocument.get(id)?.length ?? 0),
          0,
        ),
        addedAt: it.added_at,
        isStale: isStale(it.folder, documents, apart),
        skipped: skippedIn(it.skipped),
      }
    }),
    documents: library.documents.length,
    paragraphs: library.paragraphs.length,
    references: library.references.length,
    unresolved: on.graph.unresolved.slice(0, MOST_UNRESOLVED_TOLD),
    by: on.by,
  }
}

/**
 * Whether its files are others than were read. By size and time first: only what differs in them is
 * read, since a checkout touches all files and changes none.
 */
function isStale(
  folder: string,
  documents: readonly DocumentRow[],
  apart: ReadonlySet<string>,
): boolean {
  const outcome = walkDocuments(folder, apart)
  if (outcome.kind === "failed") return true
  const known = new Map(documents.map((it) => [it.path, it]))
  const { candidates, unseen } = outcome.walked
  const isMissing = documents.length > candidates.length && unseen.length === 0
  return (
    isMissing ||
    candidates.some(({ path, stat }) => {
      const before = known.get(path)
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
  try {
    return z.array(z.unknown()).parse(JSON.parse(json)).length
  } catch {
    return 0
  }
}
