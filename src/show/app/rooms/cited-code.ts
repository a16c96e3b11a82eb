import { createHash } from "node:crypto"
import type { CallContext } from "#ground/contract"
import type { IndexedTree } from "#know/map"
import { blobId, readTreeFile } from "#see/repo"

type Cited = { readonly path: string; readonly symbol?: string }

/** What is asked of the map. */
type Tree = Pick<IndexedTree, "files" | "contents">
type Scans = {
  openTree(): Promise<Tree | undefined>
  scan(mode: "incremental", context: CallContext): Promise<{ readonly tree: Tree }>
}

type Deps = {
  places(): { readonly repository: { readonly root: string } }
  mapping(): Scans
}

/**
 * The hash of code a memory cites, as the code is now: git's id of a whole file, or that of a
 * symbol's own lines, so that an edit elsewhere in the file leaves it alone. Undefined when it is
 * gone. Nothing outside of the repository is read, and nothing that holds secrets.
 */
export async function hashCited({ path, symbol }: Cited, deps: Deps): Promise<string | undefined> {
  const read = readTreeFile(deps.places().repository.root, path)
  if (read.kind !== "read") return undefined
  if (symbol === undefined) return blobId(read.bytes, "sha1")
  const tree = await treeWith(path, read.bytes, deps)
  const lines = await linesOf(tree, { path, symbol })
  if (lines === undefined) return undefined
  const text = read.bytes
    .toString("utf8")
    .split("\n")
    .slice(lines.from - 1, lines.to)
    .join("\n")
  return createHash("sha1").update(text).digest("hex")
}

/** The index as it stands, unless this file has changed since. */
async function treeWith(path: string, bytes: Uint8Array, { mapping }: Deps): Promise<Tree> {
  const isCurrent = ({ files }: Tree): boolean => {
    const file = files.find((it) => it.path === path)
    return file?.blobId === blobId(bytes, file?.blobId.length === 64 ? "sha256" : "sha1")
  }
  const known = await mapping().openTree()
  if (known !== undefined && isCurrent(known)) return known
  const { tree, isJoined } = await scanTogether(mapping())
  // One that was under way may have been past this file before it changed.
  return isJoined && !isCurrent(tree) ? (await scanTogether(mapping())).tree : tree
}

const underWay = new WeakMap<Scans, Promise<Tree>>()

/** Many citations are looked up at once, and one scan serves them all. */
async function scanTogether(
  scans: Scans,
): Promise<{ readonly tree: Tree; readonly isJoined: boolean }> {
  const running = underWay.get(scans)
  if (running !== undefined) return { tree: await running, isJoined: true }
  const scan = scans.scan("incremental", NOBODY_WAITS).then(({ tree }) => tree)
  underWay.set(scans, scan)
  try {
    return { tree: await scan, isJoined: false }
  } finally {
    underWay.delete(scans)
  }
}

const NOBODY_WAITS: CallContext = { signal: new AbortController().signal }

/** A symbol by its name, or by `Parent.name` where several have it. */
async function linesOf(tree: Tree, { path, symbol }: Required<Cited>) {
  const file = tree.files.find((it) => it.path === path)
  if (file === undefined) return undefined
  const symbols = (await tree.contents([file.content])).get(file.content)?.symbols ?? []
  const found = symbols.find(
    (it) => it.name === symbol || `${it.parent ?? ""}.${it.name}` === symbol,
  )
  return found === undefined ? undefined : { from: found.fromLine, to: found.toLine }
}
