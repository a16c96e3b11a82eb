import { createHash } from "node:crypto"
import {
  type FileStat,
  giveOthersATurn,
  isAppError,
  type JsonRecord,
  oneLine,
  parseJson,
  parseJsonRecord,
  readStart,
  readTextBounded,
  streamLines,
} from "#ground/base"
import type { TranscriptHost } from "#ground/contract"
import type { SessionFile } from "#see/hosts"
import { opencodeMessageAt, opencodeMessages, timeOfLine } from "#see/hosts"
import { MAX_FILE_BYTES, MAX_LINE_BYTES } from "../limits.ts"
import { FileRow, type SessionsDb, selectFile, upsertFile } from "../queries.ts"
import { readClaudeLine } from "../transcript/claude-code.ts"
import { readCodexLine } from "../transcript/codex.ts"
import { readCopilotLine, readGeminiLine, readOpencodeRecord } from "../transcript/other-hosts.ts"
import { field, type TranscriptReader, TranscriptState } from "../transcript/transcript-state.ts"
import { type BatchDeps, createBatch } from "./batch.ts"

const READERS: Readonly<Record<TranscriptHost, TranscriptReader>> = {
  "claude-code": readClaudeLine,
  codex: readCodexLine,
  copilot: readCopilotLine,
  gemini: readGeminiLine,
  opencode: readOpencodeRecord,
}

export type FoundFile = SessionFile & { readonly stat: FileStat }

export type FileImport =
  | { readonly kind: "indexed"; readonly lines: number; readonly bytes: number }
  /** Of another repository than the wanted one. */
  | { readonly kind: "outside" }
  /** Another process indexes it. */
  | { readonly kind: "taken" }
  | { readonly kind: "skipped"; readonly reason: string }

export type ImportDeps = BatchDeps & {
  readonly db: SessionsDb
  /** The main root of the repository that a directory belongs to. */
  repositoryOf(directory: string): Promise<string>
  /** Undefined accepts every repository. */
  readonly only: string | undefined
}

const OUTSIDE = "outside"

/** Whether the stored row covers the file. A row of another repository counts if that is wanted. */
export function isCovered(
  row: Pick<FileRow, "inode" | "modified_at" | "problem" | "size_bytes"> | undefined,
  { stat }: FoundFile,
  only: string | undefined,
): boolean {
  if (row === undefined || (row.problem === OUTSIDE && only === undefined)) return false
  const isSame = row.inode === inodeOf(stat) && row.size_bytes === stat.sizeBytes
  return isSame && row.modified_at === stat.modifiedAtMs
}

const inodeOf = ({ device, inode }: FileStat): string => `${device}:${inode}`

/**
 * Indexes the lines of a transcript after the stored position. Each batch commits its rows with the
 * new position: a killed import continues there, and of two processes one stops.
 */
export async function importFile(
  file: FoundFile,
  deps: ImportDeps,
  signal: AbortSignal,
): Promise<FileImport> {
  const { sizeBytes } = file.stat
  if (sizeBytes > MAX_FILE_BYTES) return skipped(file, deps, `it has ${sizeBytes} bytes`)
  try {
    return await importLines(file, deps, signal)
  } catch (error) {
    if (!isAppError(error) || !UNREADABLE.has(error.code)) throw error
    return skipped(file, deps, error.message)
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(["FILE_NOT_READABLE", "FILE_NOT_REGULAR"])

async function importLines(
  transcript: FoundFile,
  deps: ImportDeps,
  signal: AbortSignal,
): Promise<FileImport> {
  const row = await deps.db.get(FileRow, selectFile(transcript.file))
  const isContinued = row !== undefined && (await isContinuation(transcript, row))
  const state = stateOf(isContinued ? row.state : "{}")
  state.cwd ??= transcript.directory ?? null
  const start = isContinued ? row.position : 0
  let position = start
  let isPlaced = isContinued || deps.only === undefined
  const agent = await agentOf(transcript)
  const read = READERS[transcript.host]
  const batch = createBatch(
    { found: transcript, agent, start, replaced: isContinued ? undefined : row },
    deps,
  )
  // Before the end the row has the size read so far, so a killed import looks unfinished.
  const commit = async (isLast: boolean): Promise<boolean> => {
    const sizeBytes = isLast ? transcript.stat.sizeBytes : position
    const file = fileRow(transcript, { agent, position, state })
    const head = await headOf(transcript, position)
    return batch.commit({ ...file, size_bytes: sizeBytes, head }, { state, isLast })
  }
  for await (const { records, end } of recordsAfter(transcript, start)) {
    signal.throwIfAborted()
    position = end
    for (const record of records) {
      const { title } = state
      const entries = read(record, state, { sessionId: transcript.sessionId, position })
      // The state is stored, so its only text from a message is redacted like the message.
      if (state.title !== null && state.title !== title) {
        state.title = oneLine(deps.redact(state.title), 160)
      }
      batch.add(entries, { at: timeOfLine(record), state, position })
    }
    if (!isPlaced && state.cwd !== null) {
      if ((await deps.repositoryOf(state.cwd)) !== deps.only) return outside(transcript, deps, row)
      isPlaced = true
    }
    if (!isPlaced || !batch.isFull(position)) continue
    if (!(await commit(false))) return { kind: "taken" }
    await giveOthersATurn()
  }
  // A transcript without a directory belongs to no repository.
  if (!isPlaced) return outside(transcript, deps, row)
  if (!(await commit(true))) return { kind: "taken" }
  // A position in rows counts messages.
  const bytes = transcript.rows === undefined ? position - start : transcript.stat.sizeBytes
  return { kind: "indexed", lines: batch.lines(), bytes }
}

type Records = { readonly records: readonly JsonRecord[]; readonly end: number }

/** The records after a position, in groups that are indexed as a whole. */
async function* recordsAfter({ file, rows }: FoundFile, from: number): AsyncGenerator<Records> {
  if (rows !== undefined) {
    yield* opencodeMessages(rows, from)
    return
  }
  for await (const { bytes, end } of streamLines(file, { from, maxLineBytes: MAX_LINE_BYTES })) {
    const record = isSnapshot(bytes) ? undefined : parseJsonRecord(textOfLine(bytes))
    yield { records: record === undefined ? [] : [record], end }
  }
}

/**
 * Claude Code stores requests to the model beside the conversation. They repeat it and are most of
 * the bytes. A quote inside a JSON text is escaped, so this is never part of a message.
 */
function isSnapshot(bytes: Buffer | undefined): boolean {
  return bytes?.subarray(0, 300).includes('"type":"api-request') === true
}

function textOfLine(bytes: Buffer | undefined): string {
  return bytes === undefined ? "" : bytes.toString("utf8")
}

function fileRow(
  { file, sessionId, stat }: FoundFile,
  it: { readonly agent: string; readonly position: number; readonly state: TranscriptState },
): FileRow {
  return {
    file,
    session: sessionId,
    agent: it.agent,
    inode: inodeOf(stat),
    size_bytes: stat.sizeBytes,
    modified_at: stat.modifiedAtMs,
    position: it.position,
    head: "",
    state: JSON.stringify(it.state),
    problem: null,
  }
}

async function outside(
  file: FoundFile,
  deps: ImportDeps,
  row: FileRow | undefined,
): Promise<FileImport> {
  if (row === undefined || row.problem === OUTSIDE) await note(file, deps, OUTSIDE)
  return { kind: "outside" }
}

async function skipped(file: FoundFile, deps: ImportDeps, reason: string): Promise<FileImport> {
  await note(file, deps, reason)
  return { kind: "skipped", reason }
}

/** Without a position: when the file changes, it is read from its start. */
async function note(file: FoundFile, deps: ImportDeps, problem: string): Promise<void> {
  const row = fileRow(file, { agent: "", position: 0, state: stateOf("{}") })
  await deps.db.run(upsertFile({ ...row, session: "", problem }))
}

function stateOf(text: string): TranscriptState {
  return TranscriptState.parse(parseJson(text) ?? {})
}

const HEAD_BYTES = 4 * 1024

/** A file that shrank or begins differently is another one, whatever its name and inode are. */
async function isContinuation(transcript: FoundFile, row: FileRow): Promise<boolean> {
  const isLongEnough = row.position > 0 && transcript.stat.sizeBytes >= row.position
  return isLongEnough && (await headOf(transcript, row.position)) === row.head
}

/** Of a file its first bytes; of rows the last one read, because opencode deletes reverted ones. */
async function headOf({ file, rows }: FoundFile, position: number): Promise<string> {
  if (rows !== undefined) {
    return position === 0 ? "" : `${position}:${opencodeMessageAt(rows, position - 1)}`
  }
  const length = Math.min(HEAD_BYTES, position)
  const bytes = length === 0 ? undefined : await readStart(file, length)
  return `${length}:${createHash("sha256")
    .update(bytes ?? "")
    .digest("hex")}`
}

const MAX_META_BYTES = 64 * 1024

/** Claude Code describes a sub-agent in a file beside its transcript. */
async function agentOf({ file, subAgent, rows }: FoundFile): Promise<string> {
  if (subAgent === null) return "main"
  if (rows !== undefined) return rows.agent
  const meta = await readTextBounded(file.replace(/\.jsonl$/, ".meta.json"), {
    maxBytes: MAX_META_BYTES,
  })
  const facts = meta.kind === "read" ? parseJson(meta.text) : undefined
  return (field(facts, "agentType", "agent_type", "type") ?? "sub-agent").slice(0, 100)
}
