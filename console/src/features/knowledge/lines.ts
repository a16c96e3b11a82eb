import type { KbDocument, KbStatus } from "../../contract.ts"

export type Folder = KbStatus["folders"][number]

export type KnowledgeLine =
  | { readonly kind: "folder"; readonly key: string; readonly folder: Folder }
  | { readonly kind: "document"; readonly key: string; readonly document: KbDocument }

export function linesOf(
  folders: readonly Folder[],
  documents: readonly KbDocument[],
): readonly KnowledgeLine[] {
  const byFolder = Map.groupBy(documents, (it) => it.folder)
  const known = folders.flatMap((folder): KnowledgeLine[] => {
    const own = byFolder.get(folder.folder) ?? []
    if (own.length === 0 && folder.documents > 0) return []
    return [{ kind: "folder", key: `folder ${folder.folder}`, folder }, ...own.map(lineOf)]
  })
  const named = new Set(folders.map((it) => it.folder))
  return [...known, ...documents.filter((it) => !named.has(it.folder)).map(lineOf)]
}

const lineOf = (document: KbDocument): KnowledgeLine => ({
  kind: "document",
  key: document.id,
  document,
})
