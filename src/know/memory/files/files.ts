import { join } from "node:path"
import {
  type DirectoryEntry,
  ensureDirectory,
  type FileStat,
  type OpenFolder,
  openFolder,
  type ReadTextOutcome,
  readTextBounded,
  removeFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { MemoryDeps } from "../deps.ts"
import { FileChanged, FolderUnusable } from "../errors.ts"
import { LARGEST_FILE_BYTES, MOST_FILES } from "../limits.ts"
import type { MemoryEntry, StoredMemory } from "./entry.ts"
import { editMemory, FOLDER_KINDS, MEMORY_FOLDER, readMemory } from "./file-text.ts"

const DEEPEST_FOLDER_LEVELS = 4

const MOST_ENTRIES = 20_000

export function readText(root: string, file: string): Promise<ReadTextOutcome> {
  const limits = { maxBytes: LARGEST_FILE_BYTES, root: join(root, ...MEMORY_FOLDER) }
  return readTextBounded(join(root, file), limits)
}

export function problemOf(outcome: Exclude<ReadTextOutcome, { kind: "read" }>): string {
  switch (outcome.kind) {
    case "missing":
      return "it does not exist"
    case "not-text":
      return "it is not UTF-8"
    case "too-large":
      return `it has ${outcome.sizeBytes} bytes; the limit is ${LARGEST_FILE_BYTES}`
    case "outside-root":
      return "it is outside the memory folder"
    case "not-regular":
      return irregular(outcome.what)
    case "unreadable":
      return unreadable(outcome.reason)
    default:
      return outcome satisfies never
  }
}

export type FileChange = {
  readonly file: string
  /** With byte-order mark and line endings; undefined when there is no file. */
  readonly before: Uint8Array | undefined
  readonly after: string | undefined
  readonly mode: number
}

/**
 * Writes files and runs `commit`. On a failure the files are restored, so that git and the journal
 * agree.
 */
export async function changeFiles(
  root: string,
  changes: readonly FileChange[],
  commit: () => Promise<void>,
): Promise<void> {
  const begun: FileChange[] = []
  try {
    for (const change of changes) {
      // The last step of a write can fail after the new bytes are in place.
      begun.push(change)
      await write(root, change, change.after)
    }
    await commit()
  } catch (error) {
    for (const change of begun.toReversed()) {
      await write(root, change, change.before).catch(() => {})
    }
    throw error
  }
}

async function write(
  root: string,
  { file, mode }: FileChange,
  content: string | Uint8Array | undefined,
): Promise<void> {
  const path = join(root, file)
  if (content === undefined) await removeFile(path)
  else await writeFileAtomic(path, content, { mode })
}

/** Step by step, without following symlinks, which may lead outside. */
export async function makeFolder(root: string, folder: string): Promise<string> {
  let way = ""
  for (const name of [...MEMORY_FOLDER, folder]) {
    way = way === "" ? name : `${way}/${name}`
    const fileStat = await statFile(join(root, way))
    if (fileStat.kind === "found" && fileStat.what !== "directory")
      throw FolderUnusable({ folder: way, what: fileStat.what })
    if (fileStat.kind !== "found") await ensureDirectory(join(root, way), { mode: 0o755 })
  }
  return way
}

function irregular(what: string): string {
  return `it is a ${what}, which is not followed`
}

function unreadable(reason: string): string {
  return `it could not be read (${reason})`
}

export type FoundFile = { readonly file: string; readonly stat: FileStat }
export type Problem = { readonly file: string; readonly problem: string }
type FoundFiles = {
  readonly files: readonly FoundFile[]
  readonly problems: readonly Problem[]
}

export function findFiles(root: string): FoundFiles {
  const result: WalkResult = { files: [], problems: [] }
  const top = openFolder(root)
  if (top.kind !== "open") return result
  using folder = top.folder
  visit({ folder, way: [] }, result)
  return result
}

type WalkResult = { readonly files: FoundFile[]; readonly problems: Problem[] }
type FolderAt = { readonly folder: OpenFolder; readonly way: readonly string[] }

function visit(at: FolderAt, result: WalkResult): void {
  const depth = at.way.length
  const next = MEMORY_FOLDER[depth]
  if (next !== undefined) enter(at, next, result)
  else if (depth > MEMORY_FOLDER.length) visitAll(at, result)
  else for (const name of Object.keys(FOLDER_KINDS).toSorted()) enter(at, name, result)
}

function enter({ folder, way }: FolderAt, name: string, result: WalkResult): void {
  const file = [...way, name].join("/")
  const opened = folder.open(name)
  switch (opened.kind) {
    case "open": {
      using inner = opened.folder
      return visit({ folder: inner, way: [...way, name] }, result)
    }
    case "missing":
      return
    case "not-directory":
      return void result.problems.push({ file, problem: irregular(opened.what) })
    case "unreadable":
      return void result.problems.push({ file, problem: unreadable(opened.reason) })
    default:
      return opened satisfies never
  }
}

function visitAll(at: FolderAt, result: WalkResult): void {
  const file = at.way.join("/")
  const listed = at.folder.list({ maxEntries: MOST_ENTRIES })
  switch (listed.kind) {
    case "listed":
      for (const name of listed.unnameable)
        result.problems.push({ file: `${file}/${name}`, problem: "its name is not UTF-8" })
      for (const entry of listed.entries) take(at, entry, result)
      return
    case "missing":
      return
    case "too-many":
      return void result.problems.push({
        file,
        problem: `it contains more than ${MOST_ENTRIES} files`,
      })
    case "unreadable":
      return void result.problems.push({ file, problem: unreadable(listed.reason) })
    default:
      return listed satisfies never
  }
}

function take(at: FolderAt, { name, what }: DirectoryEntry, result: WalkResult): void {
  const file = [...at.way, name].join("/")
  if (name.startsWith(".")) return
  if (what === "directory") {
    const isDeep = at.way.length - MEMORY_FOLDER.length >= DEEPEST_FOLDER_LEVELS
    if (isDeep) result.problems.push({ file, problem: "the folder is nested too deeply" })
    else enter(at, name, result)
    return
  }
  const isOther = !/\.md$/i.test(name) || /^readme\.md$/i.test(name)
  if (isOther) return
  const fileStat = at.folder.stat(name)
  if (fileStat.kind === "missing") return
  const problem = problemWith(fileStat, result.files.length)
  if (problem !== undefined) result.problems.push({ file, problem })
  else if (fileStat.kind === "found") result.files.push({ file, stat: fileStat.stat })
}

function problemWith(
  fileStat: Exclude<ReturnType<OpenFolder["stat"]>, { kind: "missing" }>,
  count: number,
): string | undefined {
  if (fileStat.kind === "unreadable") return unreadable(fileStat.reason)
  if (fileStat.what !== "regular file") return irregular(fileStat.what)
  return count >= MOST_FILES ? `there are more than ${MOST_FILES} files` : undefined
}

type RewrittenMemory = { readonly change: FileChange; readonly kept: StoredMemory }

/**
 * Reads the file under the lock, to preserve edits since it was indexed. An unreadable file is left
 * alone.
 */
export async function changeOf(
  { file, entry: indexed }: StoredMemory,
  deps: Pick<MemoryDeps, "root" | "secrets">,
  edit: (entry: MemoryEntry) => MemoryEntry | Promise<MemoryEntry>,
): Promise<RewrittenMemory> {
  const outcome = await readText(deps.root(), file)
  if (outcome.kind !== "read") throw FileChanged({ file, problem: problemOf(outcome) })
  const { text, bytes, stat, hasByteOrderMark } = outcome
  const { redact } = await deps.secrets()
  const read = readMemory(text, { file, modifiedAtMs: stat.modifiedAtMs }, redact)
  if (read.kind === "problem") throw FileChanged({ file, problem: read.problem })
  if (read.entry.id !== indexed.id)
    throw FileChanged({ file, problem: "the file now contains another memory" })
  const after = await edit(read.entry)
  const edited = `${hasByteOrderMark ? "\uFEFF" : ""}${editMemory(text, read.entry, after)}`
  const change = { file, before: bytes, after: edited, mode: stat.mode }
  return { change, kept: { file, entry: after } }
}
