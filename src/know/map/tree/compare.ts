import { classifyPath, type FileClass } from "#see/repo"
import type { KeptFile, KeptSkip, KeptTree, KeptUnread } from "./tree-codec.ts"
import type { SourceEntry } from "./types.ts"

/** What is known without reading, and what must be read. */
export type Comparison = {
  readonly files: readonly KeptFile[]
  readonly unread: readonly KeptUnread[]
  readonly refused: readonly KeptSkip[]
  readonly toRead: readonly SourceEntry[]
}

/** Files that are as they were keep what was found; those told by their path are never opened. */
export function compareWithBefore(
  entries: readonly SourceEntry[],
  before: KeptTree | undefined,
): Comparison {
  const known = before === undefined ? NOTHING : byPath(before)
  const files: KeptFile[] = []
  const unread: KeptUnread[] = []
  const refused: KeptSkip[] = []
  const toRead: SourceEntry[] = []
  for (const entry of entries) {
    const fileClass = classifyPath(entry.path)
    const last = known.get(entry.path)
    if (!isRead(fileClass)) unread.push(unreadOf(entry, fileClass))
    else if (last === undefined || !isAsBefore(entry, last.it)) toRead.push(entry)
    else if (last.kind === "file") files.push({ ...last.it, stamp: entry.stamp })
    else if (last.kind === "unread") unread.push({ ...last.it, stamp: entry.stamp })
    else refused.push({ ...last.it, stamp: entry.stamp })
  }
  return { files, unread, refused, toRead }
}

/** What people write for people. */
export function isRead(fileClass: FileClass): boolean {
  return fileClass === "source" || fileClass === "test" || fileClass === "docs"
}

export function unreadOf(entry: SourceEntry, fileClass: FileClass): KeptUnread {
  const { path, sizeBytes, stamp, blobId } = entry
  return { path, fileClass, sizeBytes, stamp, blobId }
}

type Last =
  | { readonly kind: "file"; readonly it: KeptFile }
  | { readonly kind: "unread"; readonly it: KeptUnread }
  | { readonly kind: "refused"; readonly it: KeptSkip }

const NOTHING: ReadonlyMap<string, Last> = new Map()

function byPath({ files, unread, refused }: KeptTree): ReadonlyMap<string, Last> {
  const known = new Map<string, Last>()
  for (const it of files) known.set(it.path, { kind: "file", it })
  for (const it of unread) known.set(it.path, { kind: "unread", it })
  for (const it of refused) known.set(it.path, { kind: "refused", it })
  return known
}

type Marks = { readonly stamp?: string | undefined; readonly blobId?: string | undefined }

/** By the blob id where a source knows it, else by the stamp; without both it must be read. */
function isAsBefore(entry: Marks, last: Marks): boolean {
  if (entry.blobId !== undefined) return entry.blobId === last.blobId
  return entry.stamp !== undefined && entry.stamp === last.stamp
}
