import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { compareText, invariant } from "#ground/base"

/** Longer messages are usually logs and dumps. */
const LONGEST_MESSAGE_BYTES = 16_384

type TreeEntry = {
  readonly path: string
  /** As git writes it: 100644, 100755 for a program, 120000 for a link, 160000 for a submodule. */
  readonly mode: string
  readonly id: string
}

export type TreeList = {
  readonly entries: readonly TreeEntry[]
  readonly unnameable: number
}

export type CommitHeader = {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly committedAtMs: number
  /** The name without the address. */
  readonly author: string
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

/** Undefined for a field that is not UTF-8. */
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

/**
 * `<id> <type> <size>`, the bytes, a newline; or `<id> missing`. The last object of a truncated
 * response is incomplete and left out.
 */
export function parseBatch(output: Buffer): readonly BatchObject[] {
  const objects: BatchObject[] = []
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(NEWLINE, at)
    if (lineEnd === -1) return objects
    const { id, type, sizeBytes } = parseObjectLine(output.toString("latin1", at, lineEnd))
    const start = lineEnd + 1
    const end = start + sizeBytes
    if (type !== "missing" && end >= output.length) return objects
    objects.push({ id, type, bytes: output.subarray(start, end) })
    at = type === "missing" ? start : end + 1
  }
  return objects
}

const NEWLINE = 10

export function parseObjectLine(line: string) {
  const [id = "", type = "missing", size = "0"] = line.split(" ")
  return { id, type, sizeBytes: Number(size) }
}

export function parseCommit({ id, bytes }: BatchObject): CommitHeader {
  const split = bytes.indexOf("\n\n")
  const header = bytes.toString("latin1", 0, split === -1 ? bytes.length : split)
  const body = split === -1 ? Buffer.alloc(0) : messageOf(bytes.subarray(split + 2))
  const seconds = /^committer .*> (\d+) [+-]\d+$/m.exec(header)?.[1]
  return {
    id,
    tree: /^tree ([0-9a-f]+)$/m.exec(header)?.[1] ?? "",
    parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((it) => it[1] ?? ""),
    committedAtMs: Number(seconds ?? 0) * 1_000,
    author: Buffer.from(/^author (.*?) <.*$/m.exec(header)?.[1] ?? "", "latin1").toString("utf8"),
    // Old commits have other encodings; latin1 gives each byte a character.
    message: body.toString(isUtf8(body) ? "utf8" : "latin1"),
  }
}

/** Truncated as bytes between two characters: slicing a string would keep all of it in memory. */
function messageOf(body: Buffer): Buffer {
  let end = Math.min(body.length, LONGEST_MESSAGE_BYTES)
  const isInsideCharacter = () => ((body[end] ?? 0) & 0b1100_0000) === 0b1000_0000
  for (let steps = 0; steps < 3 && isInsideCharacter(); steps++) end--
  return body.subarray(0, end)
}

export type DifferingEntry = {
  readonly name: string | undefined
  readonly isFolder: boolean
  readonly was: string | undefined
  readonly is: string | undefined
}

/**
 * Walks along both trees: they have the same order, and most entries are equal. Compares bytes
 * without decoding equal entries: three thousand commits of a large project have 35 MB of trees.
 */
export function differingEntries(
  before: Buffer,
  after: Buffer,
  idBytes: number,
): readonly DifferingEntry[] {
  const differing: DifferingEntry[] = []
  const sides = { before, after, idBytes }
  for (let [was, is] = [0, 0]; ; ) {
    // After the one changed entry the rest is usually equal.
    if (before.subarray(was).equals(after.subarray(is))) return differing
    const equalBytes = equalRun(sides, was, is)
    was += equalBytes
    is += equalBytes
    const wasEntry = entryAt(before, was, idBytes)
    const isEntry = entryAt(after, is, idBytes)
    if (wasEntry === undefined && isEntry === undefined) return differing
    const order = compareEntries(wasEntry, isEntry)
    const gone = order <= 0 ? wasEntry : undefined
    const come = order >= 0 ? isEntry : undefined
    differing.push(differingEntry(gone, come))
    was = gone?.next ?? was
    is = come?.next ?? is
  }
}

type Sides = { readonly before: Buffer; readonly after: Buffer; readonly idBytes: number }

function equalRun({ before, after, idBytes }: Sides, was: number, is: number): number {
  const mostBytes = Math.min(before.length - was, after.length - is)
  let whole = 0
  let end = -1
  for (let at = 0; at < mostBytes; at++) {
    const byte = before[was + at]
    if (byte !== after[is + at]) return whole
    if (end === -1 && byte === 0) end = at + idBytes
    if (at !== end) continue
    whole = at + 1
    end = -1
  }
  return whole
}

type Entry = {
  readonly name: string
  readonly isFolder: boolean
  readonly id: string
  readonly next: number
}

function entryAt(tree: Buffer, at: number, idBytes: number): Entry | undefined {
  const end = tree.indexOf(0, at)
  const next = end + 1 + idBytes
  if (end === -1 || next > tree.length) return undefined
  const text = tree.toString("latin1", at, end)
  return {
    name: text.slice(text.indexOf(" ") + 1),
    isFolder: text.startsWith(FOLDER_MODE),
    id: tree.toString("hex", end + 1, next),
    next,
  }
}

const FOLDER_MODE = "40000 "

/** Sorted by name, a folder's with a slash appended, as in git. */
function compareEntries(a: Entry | undefined, b: Entry | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1
  return compareText(a.isFolder ? `${a.name}/` : a.name, b.isFolder ? `${b.name}/` : b.name)
}

function differingEntry(gone: Entry | undefined, come: Entry | undefined): DifferingEntry {
  const { name, isFolder } = gone ?? come ?? NOTHING
  return { name: utf8Of(name), isFolder, was: gone?.id, is: come?.id }
}

const NOTHING = { name: "", isFolder: false }

function utf8Of(latin1: string): string | undefined {
  if (!BEYOND_ASCII.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, "latin1")
  return isUtf8(bytes) ? bytes.toString() : undefined
}

const BEYOND_ASCII = /[\x80-\xff]/

export type ObjectFormat = "sha1" | "sha256"

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? "sha256" : "sha1"
}

/**
 * The id that git would give these bytes. Git never reads the working tree: it would run filters
 * that a repository can define.
 */
export function blobId(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}
