import { compareText, createPause, invariant, isLongText, limitYoungHeap } from "#ground/base"
import type { TokenEncoding } from "#ground/contract"
import type { PrepareRedaction } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { TokenCounter } from "#ground/tokens"
import { blobId, classifyPath, type FileClass } from "#see/repo"
import type { LanguageName } from "../facts.ts"
import { LARGEST_BATCH_UNITS, MOST_BATCH_FILES } from "../limits.ts"
import { textOf } from "./indexed-tree.ts"
import type { Readers, ReadItem } from "./readers.ts"
import {
  type ContentKey,
  contentKey,
  createContentWriter,
  findContents,
  type KnownContent,
} from "./store/store-contents.ts"
import type { KeptFile, KeptUnread, StoredSkip, StoredTree } from "./store/tree-codec.ts"
import type { ScanOptions, SourceEntry, SourceText, TreeProbe, TreeSource } from "./types.ts"

/** Part of every content's key; increase it when the same text gives other facts. */
const READER_VERSION = 6

const BATCHES_AHEAD = 2

/** Reading them takes more than a second, in which the young heap would grow. */
const MANY_FILES = 1_000

type ScanParts = {
  readonly db: Db<"map">
  readonly readers: Readers
  readonly languageOf: (path: string, text: string) => LanguageName | undefined
  readonly counter: () => Promise<TokenCounter>
  readonly redact: (text: string) => string
  readonly prepareRedaction?: PrepareRedaction | undefined
  readonly source: TreeSource
  readonly before: StoredTree | undefined
  readonly options: ScanOptions
}

type ScanOutcome = {
  readonly tree: StoredTree
  readonly gitSha: string | undefined
  readonly written: number
}

/** Stores new contents only. The caller stores the tree; until then the previous one is valid. */
export async function scanSource(parts: ScanParts): Promise<ScanOutcome> {
  const { source, options } = parts
  const { encoding } = await parts.counter()
  const reader = readerOf(encoding)
  const before = parts.before?.reader === reader ? parts.before : undefined
  const previous = options.mode === "full" ? undefined : before
  const { entries, skipped, probes, gitSha } = await source.list(options.signal, previous)
  const compared = compareWithBefore(entries, previous)
  const intake = createIntake(compared)
  const written = await readNew(parts, compared.toRead, { reader, intake })
  return {
    tree: { reader, ...intake.result(), skipped, probes: probes.map(storedProbe) },
    gitSha,
    written,
  }
}

const storedProbe = ({ path, stamp, isFolder = false }: TreeProbe) => ({ path, stamp, isFolder })

/** False for a tree of another version of this product. */
export function isReadableHere({ reader }: StoredTree): boolean {
  return reader.startsWith(`${READER_VERSION} `)
}

type Intake = ReturnType<typeof createIntake>

function createIntake(compared: Comparison) {
  const contents = new Map<ContentKey, KnownContent | "waiting">()
  const files: KeptFile[] = [...compared.files]
  const unread: KeptUnread[] = [...compared.unread]
  const refused: StoredSkip[] = [...compared.refused]
  const waiting: { readonly file: NewFile; readonly key: ContentKey }[] = []
  return {
    contents,
    unread,
    refused,
    waiting,
    result(): Omit<StoredTree, "skipped" | "reader" | "probes"> {
      for (const { file, key } of waiting) {
        const content = contents.get(key)
        invariant(content !== undefined && content !== "waiting", "every new content was stored")
        const { number, ...summary } = content
        files.push({ ...file, ...summary, content: number })
      }
      return { files: sorted(files), unread: sorted(unread), refused: sorted(refused) }
    },
  }
}

type NewFile = Pick<KeptFile, "path" | "blobId" | "fileClass" | "sizeBytes" | "language" | "stamp">

function sorted<Item extends { readonly path: string }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((a, b) => compareText(a.path, b.path))
}

async function readNew(
  parts: ScanParts,
  toRead: readonly SourceEntry[],
  { reader, intake }: { readonly reader: string; readonly intake: Intake },
): Promise<number> {
  if (toRead.length === 0) return 0
  const { db, options } = parts
  const { count } = await parts.counter()
  const total = toRead.length
  let done = 0
  const progress = (more: number) => options.onProgress?.((done += more), total)
  const writer = createContentWriter({
    db,
    reader,
    count,
    stored: (key, content) => intake.contents.set(key, content),
  })
  using youngHeap = total < MANY_FILES ? undefined : await limitYoungHeap()
  const batches = ahead(batchesOf({ parts, reader, toRead, intake, progress }))
  try {
    await parts.readers.readAll({
      next: batches.next,
      async keep(batch, reading) {
        youngHeap?.check()
        await writer.add(batch, reading)
        progress(batch.length)
      },
      signal: options.signal,
    })
  } finally {
    await batches.end()
    // Also after an interruption, so that nothing is read twice.
    await writer.flush()
  }
  return writer.written()
}

function readerOf(encoding: TokenEncoding): string {
  return `${READER_VERSION} ${encoding}`
}

type ListedFiles = {
  readonly parts: ScanParts
  readonly reader: string
  readonly toRead: readonly SourceEntry[]
  readonly intake: Intake
  readonly progress: (more: number) => void
}

async function* batchesOf(listed: ListedFiles): AsyncGenerator<readonly ReadItem[]> {
  const { parts, toRead, intake, progress } = listed
  const entries = new Map(toRead.map((it) => [it.path, it]))
  let group: FoundText[] = []
  let units = 0
  const pause = createPause()
  for await (const read of parts.source.read(toRead, parts.options.signal)) {
    await pause()
    const entry = entries.get(read.path)
    invariant(entry !== undefined, "a source returns only requested entries")
    const judged = judge(parts, entry, read)
    if (judged.kind !== "text") {
      if (judged.kind === "unread") intake.unread.push(judged.it)
      else intake.refused.push(judged.it)
      progress(1)
      continue
    }
    if (group.length === MOST_BATCH_FILES || units + judged.text.length > LARGEST_BATCH_UNITS) {
      yield* newOnes(listed, group)
      group = []
      units = 0
    }
    group.push(judged)
    units += judged.text.length
  }
  yield* newOnes(listed, group)
}

type FoundText = { readonly kind: "text"; readonly file: NewFile; readonly text: string }
type ScannedEntry =
  | FoundText
  | { readonly kind: "unread"; readonly it: KeptUnread }
  | { readonly kind: "refused"; readonly it: StoredSkip }

function judge(
  { source, languageOf }: ScanParts,
  entry: SourceEntry,
  read: SourceText,
): ScannedEntry {
  const { path, stamp } = entry
  if ("skip" in read) {
    return { kind: "refused", it: { path, reason: read.skip, stamp, blobId: entry.blobId } }
  }
  const { bytes, fileClass } = read
  if (!isRead(fileClass)) return { kind: "unread", it: unreadOf(entry, fileClass) }
  const text = textOf(bytes)
  const file = {
    path,
    stamp,
    fileClass,
    blobId: entry.blobId ?? blobId(bytes, source.format),
    sizeBytes: bytes.length,
    language: languageOf(path, text),
  }
  return { kind: "text", file, text }
}

async function* newOnes(
  { parts, reader, intake, progress }: ListedFiles,
  group: readonly FoundText[],
): AsyncGenerator<readonly ReadItem[]> {
  const { contents, waiting } = intake
  const keyed = group.map((it) => ({ ...it, key: contentKey(it.file.blobId, it.file.language) }))
  if (parts.options.mode === "incremental") {
    const unknown = keyed.filter((it) => !contents.has(it.key)).map((it) => it.file.blobId)
    const stored = await findContents(parts.db, reader, unknown)
    for (const [key, content] of stored) if (!contents.has(key)) contents.set(key, content)
  }
  const items: ReadItem[] = []
  const unread = keyed.filter((it) => !contents.has(it.key)).map((it) => it.text)
  using _ = await parts.prepareRedaction?.(unread.filter(isLongText))
  const pause = createPause()
  for (const { key, file, text } of keyed) {
    await pause()
    waiting.push({ file, key })
    if (contents.has(key)) continue
    contents.set(key, "waiting")
    items.push({ key, text: parts.redact(text), language: file.language })
  }
  progress(keyed.length - items.length)
  if (items.length > 0) yield items
}

function ahead(batches: AsyncGenerator<readonly ReadItem[]>) {
  const started: Promise<IteratorResult<readonly ReadItem[]>>[] = []
  const start = () => {
    const next = batches.next()
    // Errors surface when `next` is awaited; swallow them here to avoid an unhandled rejection.
    next.catch(() => {})
    started.push(next)
  }
  return {
    async next(): Promise<readonly ReadItem[] | undefined> {
      while (started.length <= BATCHES_AHEAD) start()
      const next = await (started.shift() ?? batches.next())
      return next.done === true ? undefined : next.value
    },
    async end(): Promise<void> {
      await batches.return(undefined)
    },
  }
}

type Comparison = {
  readonly files: readonly KeptFile[]
  readonly unread: readonly KeptUnread[]
  readonly refused: readonly StoredSkip[]
  readonly toRead: readonly SourceEntry[]
}

/** Unchanged files keep their facts; files classified by path are never opened. */
function compareWithBefore(
  entries: readonly SourceEntry[],
  before: StoredTree | undefined,
): Comparison {
  const previous = before === undefined ? NOTHING : byPath(before)
  const files: KeptFile[] = []
  const unread: KeptUnread[] = []
  const refused: StoredSkip[] = []
  const toRead: SourceEntry[] = []
  for (const entry of entries) {
    const last = previous.get(entry.path)
    if (last === undefined || !isAsBefore(entry, last.it)) {
      const fileClass = classifyPath(entry.path)
      if (isRead(fileClass)) toRead.push(entry)
      else unread.push(unreadOf(entry, fileClass))
    } else if (last.kind === "file") files.push(stampedAs(entry, last.it))
    else if (last.kind === "unread") unread.push(stampedAs(entry, last.it))
    else refused.push(stampedAs(entry, last.it))
  }
  return { files, unread, refused, toRead }
}

/** A copy only if the stamp differs: 10,000 copies cost more than the comparison. */
function stampedAs<Item extends Marks>({ stamp }: SourceEntry, last: Item): Item {
  return last.stamp === stamp ? last : { ...last, stamp }
}

function isRead(fileClass: FileClass): boolean {
  return fileClass === "source" || fileClass === "test" || fileClass === "docs"
}

function unreadOf(entry: SourceEntry, fileClass: FileClass): KeptUnread {
  const { path, sizeBytes, stamp, blobId } = entry
  return { path, fileClass, sizeBytes, stamp, blobId }
}

type PreviousEntry =
  | { readonly kind: "file"; readonly it: KeptFile }
  | { readonly kind: "unread"; readonly it: KeptUnread }
  | { readonly kind: "refused"; readonly it: StoredSkip }

const NOTHING: ReadonlyMap<string, PreviousEntry> = new Map()

function byPath({ files, unread, refused }: StoredTree): ReadonlyMap<string, PreviousEntry> {
  const entries = new Map<string, PreviousEntry>()
  for (const it of files) entries.set(it.path, { kind: "file", it })
  for (const it of unread) entries.set(it.path, { kind: "unread", it })
  for (const it of refused) entries.set(it.path, { kind: "refused", it })
  return entries
}

type Marks = { readonly stamp?: string | undefined; readonly blobId?: string | undefined }

/** By blob id if the source knows it, otherwise by stamp; without both it must be read. */
function isAsBefore(entry: Marks, last: Marks): boolean {
  if (entry.blobId !== undefined) return entry.blobId === last.blobId
  return entry.stamp !== undefined && entry.stamp === last.stamp
}
