import { isUtf8 } from "node:buffer"
import { hash } from "node:crypto"
import path from "node:path"
import { type FileStat, type OpenFolder, openFolder } from "#ground/base"
import { isSecretBearing } from "#see/repo"
import { largestBytes } from "../limits.ts"
import { type Format, formatOf } from "../readers/read.ts"

const MOST_SKIPPED_TOLD = 500

const DEEPEST_LEVELS = 32

const MOST_ENTRIES = 50_000

const MOST_FILES = 20_000

export type Candidate = {
  readonly path: string
  readonly format: Format
  readonly stat: FileStat
}
/** With the digest of a file that was read and is unusable, so that `status` sees whether it changed. */
export type SkippedFile = {
  readonly path: string
  readonly reason: string
  readonly digest?: string
}

export type WalkResult = {
  readonly candidates: readonly Candidate[]
  readonly skipped: readonly SkippedFile[]
  readonly unseen: readonly string[]
}

type WalkOutcome =
  | { readonly kind: "walked"; readonly walked: WalkResult }
  | { readonly kind: "failed"; readonly reason: string }

/**
 * A folder with its subfolders, or one file. Follows no links. Folders in `apart` were added separately,
 * perhaps as another tier.
 */
export function walkDocuments(
  root: string,
  apart: ReadonlySet<string>,
  isSource: IsSource = () => false,
): WalkOutcome {
  const opened = openFolder(root)
  if (opened.kind === "open") {
    using folder = opened.folder
    const state = newState((way) => apart.has(path.join(root, ...way)), isSource)
    visit({ folder, way: [] }, state)
    return { kind: "walked", walked: doneOf(state) }
  }
  if (opened.kind === "missing") return { kind: "failed", reason: "it does not exist" }
  if (opened.kind === "unreadable") return { kind: "failed", reason: opened.reason }
  if (opened.what !== "regular file") return { kind: "failed", reason: `it is a ${opened.what}` }
  return walkFile(root, isSource)
}

/** Whether a file is source code, by its path. */
type IsSource = (file: string) => boolean

function walkFile(file: string, isSource: IsSource): WalkOutcome {
  const above = openFolder(path.dirname(file))
  if (above.kind !== "open") return { kind: "failed", reason: "its folder cannot be read" }
  using folder = above.folder
  const state = newState(() => false, isSource)
  take({ folder, way: [] }, path.basename(file), state)
  const [problem] = state.skipped
  if (problem !== undefined) return { kind: "failed", reason: problem.reason }
  return { kind: "walked", walked: doneOf(state) }
}

type State = {
  readonly candidates: Candidate[]
  readonly skipped: SkippedFile[]
  readonly unseen: string[]
  left: number
  isApart(way: readonly string[]): boolean
  isSource(file: string): boolean
}
type FolderAt = { readonly folder: OpenFolder; readonly way: readonly string[] }

function newState(isApart: State["isApart"], isSource: IsSource): State {
  return { candidates: [], skipped: [], unseen: [], left: 0, isApart, isSource }
}

function doneOf({ candidates, skipped, unseen, left }: State): WalkResult {
  const more = left === 0 ? [] : [{ path: "…", reason: `and ${left} more` }]
  return { candidates, skipped: [...skipped, ...more], unseen }
}

function skip(state: State, file: string, reason: string): void {
  if (state.skipped.length < MOST_SKIPPED_TOLD) state.skipped.push({ path: file, reason })
  else state.left++
}

function visit(folder: FolderAt, state: State): void {
  const here = folder.way.join("/")
  const listed = folder.folder.list({ maxEntries: MOST_ENTRIES })
  if (listed.kind !== "listed") {
    state.unseen.push(here)
    const isLarge = listed.kind === "too-many"
    return skip(state, here, isLarge ? `it has more than ${MOST_ENTRIES} files` : "unreadable")
  }
  for (const name of listed.unnameable)
    skip(state, [...folder.way, name].join("/"), "its name is not UTF-8")
  for (const { name, what } of listed.entries) {
    if (name.startsWith(".")) continue
    if (what === "directory") enter(folder, name, state)
    else take(folder, name, state)
  }
}

function enter({ folder, way }: FolderAt, name: string, state: State): void {
  const inner = [...way, name]
  const file = inner.join("/")
  if (state.isApart(inner)) return
  if (name === "node_modules") return skip(state, file, "a package folder")
  if (inner.length > DEEPEST_LEVELS) {
    state.unseen.push(file)
    return skip(state, file, "the folder is nested too deeply")
  }
  const opened = folder.open(name)
  if (opened.kind === "missing") return
  if (opened.kind !== "open") {
    state.unseen.push(file)
    return skip(state, file, opened.kind === "not-directory" ? `a ${opened.what}` : opened.reason)
  }
  using next = opened.folder
  visit({ folder: next, way: inner }, state)
}

function take({ folder, way }: FolderAt, name: string, state: State): void {
  const file = [...way, name].join("/")
  if (state.isApart([...way, name])) return
  const fileStat = folder.stat(name)
  if (fileStat.kind === "missing") return
  if (fileStat.kind === "unreadable") return skip(state, file, fileStat.reason)
  if (fileStat.what !== "regular file") return skip(state, file, `a ${fileStat.what}`)
  const format = formatOf(name) ?? (state.isSource(file) ? "code" : undefined)
  if (format === undefined) return skip(state, file, "not Markdown, HTML, plain text, PDF or DOCX")
  if (isSecretBearing(file)) return skip(state, file, "its name suggests that it contains secrets")
  const { sizeBytes } = fileStat.stat
  if (sizeBytes > largestBytes(format)) {
    return skip(state, file, `larger than ${largestBytes(format) / 1_000_000} MB`)
  }
  if (state.candidates.length >= MOST_FILES) {
    return skip(state, file, `there are more than ${MOST_FILES} documents`)
  }
  state.candidates.push({ path: file, format, stat: fileStat.stat })
}

type ReadFile =
  | { readonly kind: "read"; readonly bytes: Buffer; readonly digest: string }
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "missing" }

/** Opens the path step by step again, so that no swapped link is followed. */
export function readCandidate(root: string, file: string): ReadFile {
  const isFile = openFolder(root)
  if (isFile.kind !== "open") return readIn(path.dirname(root), [path.basename(root)])
  isFile.folder[Symbol.dispose]()
  return readIn(root, file.split("/"))
}

function readIn(root: string, names: readonly string[]): ReadFile {
  const opened = openFolder(root)
  if (opened.kind !== "open") return { kind: "missing" }
  using folder = opened.folder
  return readBelow(folder, names)
}

function readBelow(folder: OpenFolder, [name = "", ...more]: readonly string[]): ReadFile {
  if (more.length === 0) return readOne(folder, name)
  const opened = folder.open(name)
  if (opened.kind !== "open") return { kind: "missing" }
  using next = opened.folder
  return readBelow(next, more)
}

function readOne(folder: OpenFolder, name: string): ReadFile {
  const format = formatOf(name) ?? "text"
  const read = folder.read(name, { maxBytes: largestBytes(format) })
  switch (read.kind) {
    case "read":
      return checkBytes(read.bytes, format)
    case "missing":
      return { kind: "missing" }
    case "too-large":
      return { kind: "skipped", reason: `larger than ${largestBytes(format) / 1_000_000} MB` }
    case "not-regular":
      return { kind: "skipped", reason: `a ${read.what}` }
    case "unreadable":
      return { kind: "skipped", reason: read.reason }
    default:
      return read satisfies never
  }
}

/** Grows when documents are read differently, so that unchanged files are read again. */
const READERS_VERSION = 4

function checkBytes(bytes: Buffer, format: Format): ReadFile {
  const reason = unusable(bytes, format)
  if (reason !== undefined) return { kind: "skipped", reason }
  return { kind: "read", bytes, digest: `${READERS_VERSION}:${hash("sha256", bytes)}` }
}

/** The header of a PDF may follow other bytes. */
const HEADER_BYTES = 1_024

function unusable(bytes: Buffer, format: Format): string | undefined {
  switch (format) {
    case "pdf":
      return bytes.subarray(0, HEADER_BYTES).includes("%PDF-") ? undefined : "not a PDF file"
    case "docx":
      return bytes.subarray(0, 2).equals(Buffer.from("PK")) ? undefined : "not a DOCX file"
    case "markdown":
    case "html":
    case "text":
    case "code":
      if (bytes.includes(0)) return "binary"
      return isUtf8(bytes) ? undefined : "not UTF-8"
    default:
      return format satisfies never
  }
}
