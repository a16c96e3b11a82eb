import { isUtf8 } from "node:buffer"
import { join } from "node:path"
import {
  createPause,
  ensureDirectory,
  type OpenFolder,
  openFolder,
  removeFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { TicketProblem } from "#ground/contract"
import { PROJECT_FOLDER } from "#see/repo"
import { TicketFileChanged } from "./errors.ts"
import { LARGEST_LOG_BYTES, LARGEST_TICKET_BYTES, MOST_TICKETS } from "./limits.ts"
import { type LogRecord, readLog } from "./log/log-record.ts"
import { type ReadTicket, readTicket, type TicketEntry } from "./tickets/ticket-file.ts"

/** 50,000 events of short sessions. */
const MOST_LOG_FILES = 20_000

const BOARD_FOLDER = `${PROJECT_FOLDER}/board`
export const TICKET_FOLDER = `${BOARD_FOLDER}/tickets`
export const LOG_FOLDER = `${BOARD_FOLDER}/log`
export const BOARD_FILE = `${BOARD_FOLDER}/BOARD.md`

/** Both sides of a merge may have regenerated the board; the next change writes it again. */
const ATTRIBUTES_FILE = `${BOARD_FOLDER}/.gitattributes`
const ATTRIBUTES = "BOARD.md merge=union\n"

type BoardFiles = {
  readonly entries: readonly TicketEntry[]
  readonly records: readonly LogRecord[]
  readonly problems: readonly TicketProblem[]
}

type ParsedTicket = { readonly text: string; readonly result: ReadTicket }
type ParsedLog = { readonly text: string; readonly result: ReturnType<typeof readLog> }

/**
 * Reads all files at each call, so hand edits and merges are seen at once; an unchanged text is not
 * parsed again. No link is followed.
 */
export function createBoardFiles(root: () => string) {
  let tickets = new Map<string, ParsedTicket>()
  let logs = new Map<string, ParsedLog>()

  return {
    async read(): Promise<BoardFiles> {
      const problems: TicketProblem[] = []
      const parsed = new Map<string, ParsedTicket>()
      const pause = createPause()
      for (const { name, text, modifiedAtMs } of readFolder(root(), TICKET_FILES, problems)) {
        const earlier = tickets.get(name)
        const file = `${TICKET_FOLDER}/${name}`
        const isSame = earlier?.text === text
        parsed.set(
          name,
          isSame ? earlier : { text, result: readTicket(text, { file, modifiedAtMs }) },
        )
        await pause()
      }
      tickets = parsed
      const entries = collectEntries(parsed, problems)
      logs = new Map(
        readFolder(root(), LOG_FILES, problems).map(({ name, text }) => {
          const earlier = logs.get(name)
          return [name, earlier?.text === text ? earlier : { text, result: readLog(text) }] as const
        }),
      )
      return { entries, records: collectRecords(logs, problems), problems }
    },
  }
}

function collectEntries(
  tickets: ReadonlyMap<string, ParsedTicket>,
  problems: TicketProblem[],
): readonly TicketEntry[] {
  const byId = new Map<string, TicketEntry>()
  for (const [name, { result }] of tickets) {
    const file = `${TICKET_FOLDER}/${name}`
    if (result.kind === "problem") {
      problems.push({ file, problem: result.problem })
      continue
    }
    const other = byId.get(result.entry.id)
    if (other === undefined) byId.set(result.entry.id, result.entry)
    else problems.push({ file, problem: `it has the id ${other.id} of ${other.file}` })
  }
  return [...byId.values()]
}

function collectRecords(
  logs: ReadonlyMap<string, ParsedLog>,
  problems: TicketProblem[],
): readonly LogRecord[] {
  const records: LogRecord[] = []
  for (const [name, { result }] of logs) {
    for (const record of result.records) records.push(record)
    if (result.brokenAt === undefined) continue
    const problem = `line ${result.brokenAt} was edited or damaged; it and later lines are ignored`
    problems.push({ file: `${LOG_FOLDER}/${name}`, problem })
  }
  return records
}

type FolderKind = {
  readonly path: string
  readonly suffix: RegExp
  readonly mostFiles: number
  readonly maxBytes: number
}

const TICKET_FILES: FolderKind = {
  path: TICKET_FOLDER,
  suffix: /^(?!readme\.md$)[^.].*\.md$/i,
  mostFiles: MOST_TICKETS,
  maxBytes: LARGEST_TICKET_BYTES,
}
const LOG_FILES: FolderKind = {
  path: LOG_FOLDER,
  suffix: /^[^.].*\.jsonl$/,
  mostFiles: MOST_LOG_FILES,
  maxBytes: LARGEST_LOG_BYTES,
}

type FileText = { readonly name: string; readonly text: string; readonly modifiedAtMs: number }

/** By name, so that every machine meets duplicates in the same order. */
function readFolder(
  root: string,
  kind: FolderKind,
  problems: TicketProblem[],
): readonly FileText[] {
  using stack = new DisposableStack()
  const folder = enter(root, kind.path, stack)
  if (folder === undefined) return []
  if (typeof folder === "string") {
    problems.push({ file: kind.path, problem: folder })
    return []
  }
  const listed = folder.list({ maxEntries: kind.mostFiles * 2 })
  if (listed.kind !== "listed") {
    problems.push({ file: kind.path, problem: `it has more than ${kind.mostFiles} files` })
    return []
  }
  const names = listed.entries.map((it) => it.name).filter((it) => kind.suffix.test(it))
  if (names.length > kind.mostFiles)
    problems.push({ file: kind.path, problem: `only ${kind.mostFiles} files are read` })
  return names.slice(0, kind.mostFiles).flatMap((name) => {
    const outcome = readText(folder, name, kind.maxBytes)
    if (typeof outcome !== "string") return outcome === undefined ? [] : [{ name, ...outcome }]
    problems.push({ file: `${kind.path}/${name}`, problem: outcome })
    return []
  })
}

/** Undefined if it does not exist; a text is a problem. */
function enter(
  root: string,
  path: string,
  stack: DisposableStack,
): OpenFolder | string | undefined {
  let at = openFolder(root)
  for (const name of path.split("/")) {
    if (at.kind !== "open") break
    at = stack.use(at.folder).open(name)
  }
  if (at.kind === "open") return stack.use(at.folder)
  if (at.kind === "missing") return undefined
  return at.kind === "not-directory"
    ? `it is a ${at.what}, which is not followed`
    : `it could not be read (${at.reason})`
}

function readText(
  folder: OpenFolder,
  name: string,
  maxBytes: number,
): { readonly text: string; readonly modifiedAtMs: number } | string | undefined {
  const outcome = folder.read(name, { maxBytes })
  switch (outcome.kind) {
    case "read": {
      const { bytes, stat } = outcome
      if (!isUtf8(bytes)) return "it is not UTF-8"
      const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
      return { text, modifiedAtMs: stat.modifiedAtMs }
    }
    case "missing":
      return undefined
    case "too-large":
      return `it has ${outcome.sizeBytes} bytes; the limit is ${maxBytes}`
    case "not-regular":
      return `it is a ${outcome.what}, which is not followed`
    case "unreadable":
      return `it could not be read (${outcome.reason})`
    default:
      return outcome satisfies never
  }
}

/** The exact bytes of a ticket's file, to edit or restore it. */
export function readOne(root: string, file: string) {
  using stack = new DisposableStack()
  const folder = enter(root, file.slice(0, file.lastIndexOf("/")), stack)
  if (folder === undefined || typeof folder === "string") return undefined
  const name = file.slice(file.lastIndexOf("/") + 1)
  const outcome = folder.read(name, { maxBytes: LARGEST_LOG_BYTES })
  if (outcome.kind === "missing") return undefined
  if (outcome.kind !== "read") throw TicketFileChanged({ file, problem: "it cannot be read" })
  return { bytes: outcome.bytes, mode: outcome.stat.mode }
}

export type BoardWrite = { readonly file: string; readonly text: string }

/** Writes files, then commits. If anything fails, the files are as before. */
export async function writeFiles(
  root: string,
  writes: readonly BoardWrite[],
  commit: () => Promise<void>,
): Promise<void> {
  await makeFolders(root)
  const begun: { readonly file: string; readonly before: ReturnType<typeof readOne> }[] = []
  try {
    for (const { file, text } of writes) {
      const before = readOne(root, file)
      begun.push({ file, before })
      await writeFileAtomic(join(root, file), text, { mode: before?.mode ?? 0o644 })
    }
    await commit()
  } catch (error) {
    for (const { file, before } of begun.toReversed()) {
      const path = join(root, file)
      const restored =
        before === undefined
          ? removeFile(path)
          : writeFileAtomic(path, before.bytes, { mode: before.mode })
      await Promise.resolve(restored).catch(() => {})
    }
    throw error
  }
}

async function makeFolders(root: string): Promise<void> {
  for (const folder of [PROJECT_FOLDER, BOARD_FOLDER, TICKET_FOLDER, LOG_FOLDER]) {
    if ((await statFile(join(root, folder))).kind === "missing")
      await ensureDirectory(join(root, folder), { mode: 0o755 })
  }
  const attributes = join(root, ATTRIBUTES_FILE)
  if ((await statFile(attributes)).kind === "missing")
    await writeFileAtomic(attributes, ATTRIBUTES, { mode: 0o644 })
}
