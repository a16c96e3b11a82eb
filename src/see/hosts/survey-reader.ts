import { formatExact } from "#ground/base"
import type { ManifestNote, SearchedPath } from "#ground/contract"
import type { Disk, DiskEntry, DiskFile } from "./files/disk.ts"
import { MOST_MENTIONS } from "./limits.ts"

const MOST_LEXED_UNITS = 8_000_000

/**
 * Limits for parsing Markdown, in units of plain text. The lexer rereads runs of backticks: 400 kB
 * of the worst take a fifth of a second, 2 MB five. The second limit is for all files of one
 * survey.
 */
export const LONGEST_LEXED_UNITS = 400_000

/** Bytes per survey; the largest home we know has 3 MB. */
export const MOST_BYTES_READ = 64 * 1024 * 1024

/** Files per survey; the benchmark shows linear time up to 2,000. */
export const MOST_FILES_READ = 5_000

export type ReadFile = Extract<DiskFile, { kind: "file" }>

type Outcome = SearchedPath["outcome"]

export type SurveyReader = ReturnType<typeof createSurveyReader>

export function createSurveyReader(disk: Disk) {
  const searched = new Map<string, SearchedPath>()
  const real = new Map<string, Promise<string | undefined>>()
  const notes: ManifestNote[] = []
  const fileAt = readOnce(disk, (what) => void notes.push(tooMany(what)))
  const mark = (word: SearchedPath): void => void searched.set(word.path, word)

  return {
    searched: (): readonly SearchedPath[] => [...searched.values()],
    notes: (): readonly ManifestNote[] => notes,
    note: (note: ManifestNote) => void notes.push(note),
    mark,
    mayLex: lexBudget(),
    async read(
      path: string,
      options: { readonly source: string; readonly maxBytes: number },
    ): Promise<ReadFile | undefined> {
      const file = await fileAt(path, options.maxBytes)
      mark({ path, source: options.source, ...outcomeOf(file, options.maxBytes) })
      const note = noteOf(path, file, options.maxBytes)
      if (note !== undefined) notes.push(note)
      return file.kind === "file" ? file : undefined
    },
    peek: (path: string, maxBytes: number) => fileAt(path, maxBytes),
    async kindOf(path: string): Promise<"file" | "directory" | "other"> {
      const file = await disk.read(path, { maxBytes: 0 })
      if (file.kind === "directory") return "directory"
      return file.kind === "file" || file.kind === "too-large" ? "file" : "other"
    },
    async list(path: string, source: string): Promise<readonly DiskEntry[]> {
      const entries = await disk.list(path)
      const isThere = entries.length > 0 || (await disk.realPath(path)) !== undefined
      const ofNone = isThere ? "empty" : "missing"
      mark({ path, source, outcome: entries.length > 0 ? "found" : ofNone })
      return entries
    },
    realPath(path: string): Promise<string | undefined> {
      const cached = real.get(path) ?? disk.realPath(path)
      real.set(path, cached)
      return cached
    },
  }
}

function lexBudget(): (units: number) => boolean {
  let lexedUnits = 0
  return (units) => {
    const isShort = units <= LONGEST_LEXED_UNITS
    if (isShort) lexedUnits += units
    return isShort && lexedUnits <= MOST_LEXED_UNITS
  }
}

function readOnce(disk: Disk, whenFull: (what: TooMany) => void) {
  const files = new Map<string, Promise<DiskFile>>()
  const reported = new Set<TooMany>()
  let bytes = 0
  const read = async (path: string, maxBytes: number): Promise<DiskFile> => {
    const file = await disk.read(path, { maxBytes })
    if (file.kind === "file") bytes += file.bytes.length
    return file
  }
  return (path: string, maxBytes: number): Promise<DiskFile> => {
    const cached = files.get(path)
    if (cached !== undefined) return cached
    const full = fullOf(files.size, bytes)
    if (full !== undefined) {
      if (!reported.has(full)) whenFull(full)
      reported.add(full)
      return Promise.resolve({ kind: "unreadable", reason: full })
    }
    const reading = read(path, maxBytes)
    files.set(path, reading)
    return reading
  }
}

const TOO_MANY = ["too many files", "too many bytes"] as const

type TooMany = (typeof TOO_MANY)[number]

function fullOf(files: number, bytes: number): TooMany | undefined {
  if (files >= MOST_FILES_READ) return "too many files"
  return bytes >= MOST_BYTES_READ ? "too many bytes" : undefined
}

function outcomeOf(
  file: DiskFile,
  maxBytes: number,
): { readonly outcome: Outcome; readonly detail?: string } {
  switch (file.kind) {
    case "file":
      return { outcome: file.bytes.length === 0 ? "empty" : "found" }
    case "too-large":
      return { outcome: "excluded", detail: describeTooLarge(file.sizeBytes, maxBytes) }
    case "directory":
      return { outcome: "unreadable", detail: "it is a folder" }
    case "missing":
      return { outcome: "missing" }
    case "unreadable":
      return { outcome: "unreadable", detail: file.reason }
  }
}

function describeTooLarge(sizeBytes: number, maxBytes: number): string {
  return `${formatExact(sizeBytes)} bytes exceed the limit of ${formatExact(maxBytes)}`
}

function noteOf(path: string, file: DiskFile, maxBytes: number): ManifestNote | undefined {
  if (file.kind === "too-large") {
    const text = `This file is not read: ${describeTooLarge(file.sizeBytes, maxBytes)}.`
    return { code: "file-too-large", text, path }
  }
  if (file.kind !== "unreadable" || TOO_MANY.some((it) => it === file.reason)) {
    return undefined
  }
  const text = `This file cannot be read (${file.reason}); the host ignores it.`
  return { code: "file-unreadable", text, path }
}

function tooMany(what: TooMany): ManifestNote {
  const most = what === "too many files" ? `${MOST_FILES_READ} files` : `${MOST_BYTES_READ} bytes`
  const text = `The survey stopped at ${most}; the remaining files were not read.`
  return { code: "too-many", text }
}

export function noteManyMentions(reader: SurveyReader, path: string): void {
  const text = `This file has ${MOST_MENTIONS} @ imports or more; the rest was not followed.`
  reader.note({ code: "too-many", text, path })
}
