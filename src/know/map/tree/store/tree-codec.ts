import { isRecord, parseJson } from "#ground/base"
import { type FileClass, SKIP_REASONS, type Skip, type SkipReason } from "#see/repo"
import { LANGUAGE_NAMES } from "../../facts.ts"
import type { CommitHistory, IndexedFile, UnreadFile } from "../types.ts"

type ScanStamp = { readonly stamp: string | undefined }
export type KeptFile = IndexedFile & ScanStamp
export type KeptUnread = UnreadFile & ScanStamp & { readonly blobId: string | undefined }
export type StoredSkip = Skip & ScanStamp & { readonly blobId: string | undefined }

export type StoredTree = {
  readonly reader: string
  readonly files: readonly KeptFile[]
  readonly unread: readonly KeptUnread[]
  readonly refused: readonly StoredSkip[]
  readonly skipped: readonly Skip[]
  /** Folders first: a changed folder time shows a change soonest. */
  readonly probes: readonly (ScanStamp & { readonly path: string; readonly isFolder: boolean })[]
}

/** One list per field, so that 10,000 files are parsed in a few milliseconds. */
export function encodeTree(tree: StoredTree): string {
  const { reader, files, unread, refused, skipped, probes } = tree
  return JSON.stringify({
    reader,
    files: {
      path: files.map((it) => it.path),
      content: files.map((it) => it.content),
      blobId: files.map((it) => it.blobId),
      fileClass: files.map((it) => FILE_CLASSES.indexOf(it.fileClass)),
      sizeBytes: files.map((it) => it.sizeBytes),
      language: files.map((it) => LANGUAGE_NAMES.findIndex((name) => name === it.language)),
      lines: files.map((it) => it.lines),
      tokens: files.map((it) => it.tokens),
      symbolCount: files.map((it) => it.symbolCount),
      importCount: files.map((it) => it.importCount),
      problemCount: files.map((it) => it.problemCount),
      bodyLength: files.map((it) => it.bodyLength),
      stamp: files.map((it) => it.stamp ?? null),
    },
    unread: {
      path: unread.map((it) => it.path),
      fileClass: unread.map((it) => FILE_CLASSES.indexOf(it.fileClass)),
      sizeBytes: unread.map((it) => it.sizeBytes),
      stamp: unread.map((it) => it.stamp ?? null),
      blobId: unread.map((it) => it.blobId ?? null),
    },
    refused: {
      path: refused.map((it) => it.path),
      reason: refused.map((it) => it.reason),
      stamp: refused.map((it) => it.stamp ?? null),
      blobId: refused.map((it) => it.blobId ?? null),
    },
    skipped: { path: skipped.map((it) => it.path), reason: skipped.map((it) => it.reason) },
    probes: {
      path: probes.map((it) => it.path),
      stamp: probes.map((it) => it.stamp ?? null),
      isFolder: probes.map((it) => it.isFolder),
    },
  } satisfies TreeJson)
}

const FILE_CLASSES = [
  "source",
  "test",
  "docs",
  "generated",
  "minified",
  "vendored",
  "lock",
  "secret",
  "data",
] as const satisfies readonly FileClass[]

type Guard<Value> = (value: unknown) => value is Value
type Checked<Check> = Check extends Guard<infer Value> ? Value : never
type Guards = Readonly<Record<string, (value: unknown) => boolean>>
type FieldsOf<Fields extends Guards> = { readonly [Name in keyof Fields]: Checked<Fields[Name]> }

/** Guards instead of schemas, which take 3 ms to build: every search reads a tree. */
function hasFields<Fields extends Guards>(guards: Fields): Guard<FieldsOf<Fields>> {
  const entries = Object.entries(guards)
  return (value): value is FieldsOf<Fields> =>
    isRecord(value) && entries.every(([name, isValid]) => isValid(value[name]))
}

function areAll<Item>(isItem: Guard<Item>): Guard<readonly Item[]> {
  return (value): value is readonly Item[] => Array.isArray(value) && value.every(isItem)
}

const isText: Guard<string> = (value) => typeof value === "string"
const isMaybeText: Guard<string | null> = (value) => value === null || typeof value === "string"
const areTexts = areAll(isText)
const areMaybeTexts = areAll(isMaybeText)
const areCounts = areAll((value): value is number => typeof value === "number")
const areFlags = areAll((value): value is boolean => typeof value === "boolean")

const isTreeJson = hasFields({
  reader: isText,
  files: hasFields({
    path: areTexts,
    content: areCounts,
    blobId: areTexts,
    fileClass: areCounts,
    sizeBytes: areCounts,
    language: areCounts,
    lines: areCounts,
    tokens: areCounts,
    symbolCount: areCounts,
    importCount: areCounts,
    problemCount: areCounts,
    bodyLength: areCounts,
    stamp: areMaybeTexts,
  }),
  unread: hasFields({
    path: areTexts,
    fileClass: areCounts,
    sizeBytes: areCounts,
    stamp: areMaybeTexts,
    blobId: areMaybeTexts,
  }),
  refused: hasFields({
    path: areTexts,
    reason: areTexts,
    stamp: areMaybeTexts,
    blobId: areMaybeTexts,
  }),
  skipped: hasFields({ path: areTexts, reason: areTexts }),
  probes: hasFields({
    path: areTexts,
    stamp: areMaybeTexts,
    // Trees stored before this field have none.
    isFolder: (value): value is readonly boolean[] | undefined =>
      value === undefined || areFlags(value),
  }),
})
type TreeJson = Checked<typeof isTreeJson>

/** Undefined for another version. */
export function decodeTree(text: string): StoredTree | undefined {
  const stored = parseJson(text)
  if (!isTreeJson(stored)) return undefined
  const { reader, files, unread, refused, skipped, probes } = stored
  return {
    reader,
    files: decodedFiles(files),
    unread: unread.path.map((path, at) => ({
      path,
      fileClass: FILE_CLASSES[unread.fileClass[at] ?? 0] ?? "source",
      sizeBytes: unread.sizeBytes[at] ?? 0,
      stamp: unread.stamp[at] ?? undefined,
      blobId: unread.blobId[at] ?? undefined,
    })),
    refused: refused.path.map((path, at) => ({
      path,
      reason: reasonOf(refused.reason[at]),
      stamp: refused.stamp[at] ?? undefined,
      blobId: refused.blobId[at] ?? undefined,
    })),
    skipped: skipped.path.map((path, at) => ({ path, reason: reasonOf(skipped.reason[at]) })),
    probes: probes.path.map((path, at) => ({
      path,
      stamp: probes.stamp[at] ?? undefined,
      isFolder: probes.isFolder?.[at] ?? false,
    })),
  }
}

function decodedFiles(files: TreeJson["files"]): readonly KeptFile[] {
  return files.path.map((path, at) => ({
    path,
    content: files.content[at] ?? 0,
    blobId: files.blobId[at] ?? "",
    fileClass: FILE_CLASSES[files.fileClass[at] ?? 0] ?? "source",
    sizeBytes: files.sizeBytes[at] ?? 0,
    language: LANGUAGE_NAMES[files.language[at] ?? -1],
    lines: files.lines[at] ?? 0,
    tokens: files.tokens[at] ?? 0,
    symbolCount: files.symbolCount[at] ?? 0,
    importCount: files.importCount[at] ?? 0,
    problemCount: files.problemCount[at] ?? 0,
    bodyLength: files.bodyLength[at] ?? 0,
    stamp: files.stamp[at] ?? undefined,
  }))
}

function reasonOf(text: string | undefined): SkipReason {
  return isReason(text) ? text : "unreadable"
}

function isReason(text: string | undefined): text is SkipReason {
  return text !== undefined && Object.hasOwn(SKIP_REASONS, text)
}

export type StoredPast = {
  readonly gitSha: string | undefined
  readonly past: CommitHistory | { readonly problem: string }
}

const isPastProblem = hasFields({ gitSha: isMaybeText, problem: isText })
const isPastJson = hasFields({
  gitSha: isMaybeText,
  ids: areTexts,
  times: areCounts,
  messages: areTexts,
  files: areAll(areTexts),
})

export function encodePast({ gitSha, past }: StoredPast): string {
  const of = { gitSha: gitSha ?? null }
  if ("problem" in past) return JSON.stringify({ ...of, problem: past.problem })
  const messages = past.commits.map((it) => it.message)
  const files = past.commits.map((it) => it.files)
  return JSON.stringify({ ...of, ids: past.ids, times: past.timesMs, messages, files })
}

export function decodePast(text: string): StoredPast | undefined {
  const stored = parseJson(text)
  if (isPastProblem(stored))
    return { gitSha: stored.gitSha ?? undefined, past: { problem: stored.problem } }
  if (!isPastJson(stored)) return undefined
  const gitSha = stored.gitSha ?? undefined
  const commits = stored.messages.map((message, at) => ({ message, files: stored.files[at] ?? [] }))
  return { gitSha, past: { ids: stored.ids, timesMs: stored.times, commits } }
}
