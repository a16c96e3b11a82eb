import { isUtf8 } from "node:buffer"
import { compareText, invariant } from "#ground/base"
import { LONGEST_MESSAGE } from "../limits.ts"

export type TreeEntry = {
  readonly path: string
  /** As git writes it: 100644, 100755 for a program, 120000 for a link, 160000 for a submodule. */
  readonly mode: string
  readonly id: string
}

export type TreeList = {
  readonly entries: readonly TreeEntry[]
  /** Those whose name is not UTF-8. */
  readonly unnameable: number
}

export type CommitHeader = {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly committedAtMs: number
  readonly message: string
}

export type BatchObject = {
  readonly id: string
  readonly type: string
  readonly bytes: Buffer
}

/** `<mode> <type> <id>\t<path>` for each file, ended by NUL. */
export function parseTree(output: Buffer): TreeList {
  const records = fieldsOf(output)
  const entries = records.flatMap((record) => {
    if (record === undefined) return []
    const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(record) ?? []
    invariant(mode && id && path, "git lists mode, type, id and path of each file")
    return [{ mode, id, path }]
  })
  return { entries, unnameable: records.length - entries.length }
}

/** Fields ended by NUL; undefined for one that is no UTF-8. */
function fieldsOf(output: Buffer): readonly (string | undefined)[] {
  if (isUtf8(output)) return output.toString().split("\0").slice(0, -1)
  const fields: (string | undefined)[] = []
  for (let start = 0; ; ) {
    const end = output.indexOf(0, start)
    if (end === -1) return fields
    const bytes = output.subarray(start, end)
    fields.push(isUtf8(bytes) ? bytes.toString() : undefined)
    start = end + 1
  }
}

/** `<id> <type> <size>`, the bytes, a newline; or `<id> missing`. */
export function parseBatch(output: Buffer): readonly BatchObject[] {
  const objects: BatchObject[] = []
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf("\n", at)
    const line = output.toString("latin1", at, lineEnd === -1 ? output.length : lineEnd)
    const { id, type, sizeBytes } = parseObjectLine(line)
    const start = at + line.length + 1
    if (type === "missing") {
      at = start
      continue
    }
    objects.push({ id, type, bytes: output.subarray(start, start + sizeBytes) })
    at = start + sizeBytes + 1
  }
  return objects
}

export function parseObjectLine(line: string) {
  const [id = "", type = "missing", size = "0"] = line.split(" ")
  return { id, type, sizeBytes: Number(size) }
}

export function parseCommit({ id, bytes }: BatchObject): CommitHeader {
  const split = bytes.indexOf("\n\n")
  const header = bytes.toString("latin1", 0, split === -1 ? bytes.length : split)
  const body = split === -1 ? Buffer.alloc(0) : bytes.subarray(split + 2)
  const seconds = /^committer .*> (\d+) [+-]\d+$/m.exec(header)?.[1]
  return {
    id,
    tree: /^tree ([0-9a-f]+)$/m.exec(header)?.[1] ?? "",
    parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((it) => it[1] ?? ""),
    committedAtMs: Number(seconds ?? 0) * 1_000,
    // Old commits have other encodings; latin1 gives each byte a character.
    message: body.toString(isUtf8(body) ? "utf8" : "latin1").slice(0, LONGEST_MESSAGE),
  }
}

/** One entry of a tree object: a file, or a level below. */
export type ObjectEntry = {
  /** Undefined when it is no UTF-8. */
  readonly name: string | undefined
  readonly isFolder: boolean
  readonly id: string
}

/**
 * The entries in which two tree objects differ, by a walk along both: they have the same order, and
 * most entries are equal to the last byte. A text has one character for each byte.
 */
export function differingEntries(
  before: string,
  after: string,
  idBytes: number,
): { readonly gone: readonly ObjectEntry[]; readonly come: readonly ObjectEntry[] } {
  const gone: ObjectEntry[] = []
  const come: ObjectEntry[] = []
  let [was, is] = [entryAt(before, 0, idBytes), entryAt(after, 0, idBytes)]
  while (was !== undefined || is !== undefined) {
    const order = compareEntries(was?.bytes, is?.bytes)
    const isEqual = order === 0 && was?.bytes === is?.bytes
    if (was !== undefined && order <= 0) {
      if (!isEqual) gone.push(parseEntry(was.bytes, idBytes))
      was = entryAt(before, was.next, idBytes)
    }
    if (is !== undefined && order >= 0) {
      if (!isEqual) come.push(parseEntry(is.bytes, idBytes))
      is = entryAt(after, is.next, idBytes)
    }
  }
  return { gone, come }
}

/** `<mode> <name>`, NUL, and the id as bytes. */
function entryAt(tree: string, at: number, idBytes: number) {
  const end = tree.indexOf("\0", at)
  const next = end + 1 + idBytes
  return end === -1 || next > tree.length ? undefined : { bytes: tree.slice(at, next), next }
}

/** By name, a folder's with a slash behind it, as git sorts; past the end comes last. */
function compareEntries(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return compareText(sortedBy(a), sortedBy(b))
}

function sortedBy(entry: string): string {
  const name = entry.slice(entry.indexOf(" ") + 1, entry.indexOf("\0"))
  return entry.startsWith(FOLDER_MODE) ? `${name}/` : name
}

const FOLDER_MODE = "40000 "

function parseEntry(entry: string, idBytes: number): ObjectEntry {
  const name = Buffer.from(entry.slice(entry.indexOf(" ") + 1, entry.indexOf("\0")), "latin1")
  return {
    name: isUtf8(name) ? name.toString() : undefined,
    isFolder: entry.startsWith(FOLDER_MODE),
    id: Buffer.from(entry.slice(-idBytes), "latin1").toString("hex"),
  }
}
