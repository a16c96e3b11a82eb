import { createHash } from "node:crypto"
import type { CallContext } from "#ground/contract"
import type { IndexedTree } from "#know/map"
import { blobId, readTreeFile } from "#see/repo"
import type { OperationDeps } from "./operations.ts"

type Cited = { readonly path: string; readonly symbol?: string }

/**
 * The hash of code a memory cites, as the code is now: git's id of a whole file, or that of a
 * symbol's own lines, so that an edit elsewhere in the file leaves it alone. Undefined when it is
 * gone. Nothing outside of the repository is read, and nothing that holds secrets.
 */
export async function hashCited(
  { path, symbol }: Cited,
  deps: Pick<OperationDeps, "places" | "mapping">,
): Promise<string | undefined> {
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
async function treeWith(
  path: string,
  bytes: Uint8Array,
  { mapping }: Pick<OperationDeps, "mapping">,
): Promise<IndexedTree> {
  const known = await mapping().openTree()
  const file = known?.files.find((it) => it.path === path)
  const isCurrent =
    file !== undefined &&
    file.blobId === blobId(bytes, file.blobId.length === 64 ? "sha256" : "sha1")
  if (known !== undefined && isCurrent) return known
  return (await mapping().scan("incremental", NOBODY_WAITS)).tree
}

const NOBODY_WAITS: CallContext = { signal: new AbortController().signal }

/** A symbol by its name, or by `Parent.name` where several have it. */
async function linesOf(tree: IndexedTree, { path, symbol }: Required<Cited>) {
  const file = tree.files.find((it) => it.path === path)
  if (file === undefined) return undefined
  const symbols = (await tree.contents([file.content])).get(file.content)?.symbols ?? []
  const found = symbols.find(
    (it) => it.name === symbol || `${it.parent ?? ""}.${it.name}` === symbol,
  )
  return found === undefined ? undefined : { from: found.fromLine, to: found.toLine }
}
