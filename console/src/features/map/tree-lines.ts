import { formatExact, type MapEntry, type MapTree } from "../../contract.ts"

export type FolderAnswer = {
  readonly tree: MapTree | undefined
  readonly error: unknown
}

export type EntryLine = {
  readonly kind: "entry"
  readonly key: string
  readonly entry: MapEntry
  readonly depth: number
  readonly isOpen: boolean | null
  readonly position: number
  readonly siblings: number
}

export type NoteLine = {
  readonly kind: "note"
  readonly key: string
  readonly depth: number
  readonly folder: string
  readonly state: "loading" | "failed" | "cut"
  readonly description: string
}

export type TreeLine = EntryLine | NoteLine

/** A URL could name any number of folders; each one is a request. */
const MOST_OPEN = 200

export function shownFolders(open: readonly string[]): readonly string[] {
  const all = new Set(open)
  const isSeen = (folder: string) => ancestorsOf(folder).every((it) => all.has(it))
  return ["", ...[...all].filter(isSeen).slice(0, MOST_OPEN)]
}

export function treeLines(answers: ReadonlyMap<string, FolderAnswer>): readonly TreeLine[] {
  const linesOf = (folder: string, depth: number): readonly TreeLine[] => {
    const answer = answers.get(folder)
    const note = noteOf(folder, depth, answer)
    const entries = answer?.tree?.entries ?? []
    const rows = entries.flatMap((entry, i): readonly TreeLine[] => {
      const isFolder = entry.kind === "folder"
      const isOpen = isFolder && answers.has(entry.path)
      const line: EntryLine = {
        kind: "entry",
        key: entry.path,
        entry,
        depth,
        isOpen: isFolder ? isOpen : null,
        position: i + 1,
        siblings: answer?.tree?.total ?? entries.length,
      }
      return isOpen ? [line, ...linesOf(entry.path, depth + 1)] : [line]
    })
    return note === undefined ? rows : [...rows, note]
  }
  return linesOf("", 0)
}

function noteOf(
  folder: string,
  depth: number,
  answer: FolderAnswer | undefined,
): NoteLine | undefined {
  const note = { kind: "note", key: `note ${folder}`, depth, folder } as const
  const tree = answer?.tree
  if (tree !== undefined) {
    if (tree.entries.length >= tree.total) return undefined
    return { ...note, state: "cut", description: describeTruncation(tree) }
  }
  if (answer?.error === null || answer === undefined) {
    return { ...note, state: "loading", description: "Reading the folder" }
  }
  return { ...note, state: "failed", description: "This folder could not be read. Try again" }
}

export function flatLines(tree: MapTree): readonly TreeLine[] {
  const rows = tree.entries.map(
    (entry, i): EntryLine => ({
      kind: "entry",
      key: entry.path,
      entry: { ...entry, name: entry.path },
      depth: 0,
      isOpen: null,
      position: i + 1,
      siblings: tree.total,
    }),
  )
  if (tree.entries.length >= tree.total) return rows
  const description = describeTruncation(tree)
  return [...rows, { kind: "note", key: "note", depth: 0, folder: "", state: "cut", description }]
}

function describeTruncation({ entries, total }: MapTree): string {
  const shown = formatExact(entries.length)
  return `${shown} of ${formatExact(total)} are listed. Search by path to find the others`
}

export function parentOf(path: string): string | undefined {
  const cut = path.lastIndexOf("/")
  return cut < 0 ? undefined : path.slice(0, cut)
}

function ancestorsOf(path: string): readonly string[] {
  const parent = parentOf(path)
  return parent === undefined ? [] : [...ancestorsOf(parent), parent]
}

export function turnFolder(open: readonly string[], folder: string): readonly string[] {
  if (!open.includes(folder)) return [...open, folder]
  return open.filter((it) => it !== folder && !it.startsWith(`${folder}/`))
}
