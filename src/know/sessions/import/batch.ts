import path from "node:path"
import { estimateTokens, isInside, sliceText } from "#ground/base"
import type { SpentTokens, TranscriptHost } from "#ground/contract"
import { costOf, PRICES_VERSION } from "#ground/tokens"
import {
  addPaths,
  type CallRow,
  type CompactionRow,
  CountRow,
  deleteFileRows,
  FileRow,
  inGroups,
  insertCompactions,
  insertLines,
  insertSessionIfMissing,
  insertWords,
  type LineRow,
  type PathRow,
  type SessionRow,
  type SessionsDb,
  selectFile,
  selectLastLine,
  upsertCalls,
  upsertFile,
  upsertSession,
} from "../queries.ts"
import { indexWords } from "../query/words.ts"
import type { TranscriptEntry, TranscriptState } from "../transcript/transcript-state.ts"

/** Of tool calls and results: their first part says what they are about. */
const MAX_TOOL_TEXT_UNITS = 4_000

/** Of prompts and answers, in UTF-16 units; the longest pasted logs are cut. */
const MAX_TEXT_UNITS = 32_000

const BATCH_LINES = 1_000

/** Per transaction: bounds memory, and what a killed process reads again. */
const BATCH_BYTES = 2 * 1024 * 1024

export type BatchDeps = {
  readonly db: SessionsDb
  redact(text: string): string
  /** The main root of the repository that a directory belongs to. */
  repositoryOf(directory: string): Promise<string>
}

type BatchSource = {
  readonly found: {
    readonly host: TranscriptHost
    readonly sessionId: string
    readonly file: string
    readonly subAgent: string | null
    readonly stat: { readonly modifiedAtMs: number }
  }
  readonly agent: string
  readonly start: number
  /** The row of an earlier file of this name, whose rows the first commit deletes. */
  readonly replaced: FileRow | undefined
}

type LinePlace = {
  readonly at: number | undefined
  readonly state: TranscriptState
  readonly position: number
}

type NewLine = Omit<LineRow, "id"> & { readonly words: string }

/** Rows of some lines of a transcript, written in one transaction with the position after them. */
export function createBatch({ found, agent, start, replaced }: BatchSource, deps: BatchDeps) {
  const { file, sessionId: session } = found
  let lines: NewLine[] = []
  let compactions: CompactionRow[] = []
  let calls = new Map<string, CallRow>()
  let paths = new Map<string, PathRow>()
  let committedPosition = start
  let isNew = replaced !== undefined
  let written = 0

  function addEntry(entry: TranscriptEntry, { at: lineAt, state, position }: LinePlace): void {
    const at = lineAt ?? state.endedAt ?? found.stat.modifiedAtMs
    const isInner = state.isSubAgent || ("isSubAgent" in entry && entry.isSubAgent === true)
    const by = isInner && agent === "main" ? "sub-agent" : agent
    const place = { session, file, agent: by, at, turn: state.turn }
    switch (entry.kind) {
      case "text":
        if (entry.text.trim() !== "") lines.push({ ...place, ...lineOf(entry, deps.redact) })
        return
      case "call": {
        const before = calls.get(entry.key)
        if (before !== undefined && before.output > entry.tokens.output) return
        const first = before ?? { ...place, position }
        calls.set(entry.key, { ...callRow(entry), ...pick(first) })
        return
      }
      case "path": {
        const name = clean(deps.redact(sliceText(pathFrom(state.cwd, entry.path), 4_096)))
        const counts = paths.get(name) ?? { path: name, reads: 0, edits: 0 }
        counts[entry.how === "edit" ? "edits" : "reads"] += 1
        paths.set(name, counts)
        return
      }
      case "compaction":
        compactions.push({
          ...place,
          position,
          cause: clean(entry.cause),
          tokens_before: entry.before,
          tokens_after: entry.after,
        })
        return
      default:
        return entry satisfies never
    }
  }

  return {
    add(entries: readonly TranscriptEntry[], place: LinePlace): void {
      for (const entry of entries) addEntry(entry, place)
    },
    isFull: (position: number): boolean =>
      position - committedPosition >= BATCH_BYTES || lines.length >= BATCH_LINES,
    lines: () => written,
    /** False if another process has moved the position meanwhile; then nothing is written. */
    async commit(
      row: FileRow,
      { state, isLast }: { readonly state: TranscriptState; readonly isLast: boolean },
    ): Promise<boolean> {
      const rows = { lines, compactions, calls: [...calls.values()], paths: [...paths.values()] }
      const sessionRow = await sessionRowOf(found, state, deps)
      const isCommitted = await deps.db.transaction(async (tx) => {
        const stored = await tx.get(FileRow, selectFile(file))
        const expected = isNew ? (replaced?.position ?? 0) : committedPosition
        if ((stored?.position ?? 0) !== expected) return false
        if (isNew) for (const it of deleteFileRows(file, tx.dialect)) await tx.run(it)
        const first = ((await tx.get(CountRow, selectLastLine()))?.count ?? 0) + 1
        const numbered = rows.lines.map((it, index) => ({ ...it, id: first + index }))
        for (const group of inGroups(numbered)) {
          await tx.run(insertLines(group))
          await tx.run(insertWords(group, tx.dialect))
        }
        for (const group of inGroups(rows.calls)) await tx.run(upsertCalls(group))
        for (const group of inGroups(rows.compactions)) await tx.run(insertCompactions(group))
        for (const group of inGroups(rows.paths)) await tx.run(addPaths({ file, session }, group))
        const isMain = found.subAgent === null
        await tx.run(isMain ? upsertSession(sessionRow) : insertSessionIfMissing(sessionRow))
        await tx.run(upsertFile(row))
        if (isLast) {
          const count = written + numbered.length
          tx.emit("sessions.indexed", { session, host: found.host, lines: count })
        }
        return true
      })
      if (!isCommitted) return false
      written += lines.length
      committedPosition = row.position
      isNew = false
      lines = []
      compactions = []
      calls = new Map()
      paths = new Map()
      return true
    },
  }
}

const pick = ({
  session,
  file,
  agent,
  at,
  turn,
  position,
}: Pick<CallRow, "agent" | "at" | "file" | "position" | "session" | "turn">) => ({
  session,
  file,
  agent,
  at,
  turn,
  position,
})

function callRow({ key, model, tokens }: Extract<TranscriptEntry, { kind: "call" }>) {
  return {
    call_key: clean(key.slice(0, 500)),
    model: clean(model.slice(0, 200)),
    input: tokens.input,
    output: tokens.output,
    cache_read: tokens.cacheRead,
    cache_write: tokens.cacheWrite,
    cache_write_hour: tokens.cacheWriteHour,
    usd: priceOf(model, tokens),
    prices: PRICES_VERSION,
  }
}

/** Null if the price is unknown: an unknown price is never 0. */
export function priceOf(model: string, tokens: SpentTokens): number | null {
  const cost = costOf(
    {
      inputTokens: tokens.input,
      outputTokens: tokens.output,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
      cacheWriteHourTokens: tokens.cacheWriteHour,
    },
    model,
  )
  return cost.kind === "priced" ? cost.usd : null
}

function lineOf(
  { role, text, tool }: Extract<TranscriptEntry, { kind: "text" }>,
  redact: (text: string) => string,
) {
  const isOfTool = role === "call" || role === "edit" || role === "result"
  const body = redactedStart(text, isOfTool ? MAX_TOOL_TEXT_UNITS : MAX_TEXT_UNITS, redact)
  return {
    role,
    tool: tool === undefined ? null : clean(tool.slice(0, 200)),
    size_bytes: Buffer.byteLength(text),
    tokens: role === "result" ? estimateTokens(text, "claude") : 0,
    body,
    words: indexWords(body),
  }
}

/**
 * Redacted before it is cut, because half a secret is not recognised. Of a long text only a part is
 * redacted; its last word may be half a secret and is dropped.
 */
function redactedStart(text: string, most: number, redact: (text: string) => string): string {
  const isLong = text.length > most * 2
  const part = isLong ? sliceText(text, most * 2).replace(/(?<!\S)\S*$/, "") : text
  return clean(sliceText(redact(part), most))
}

/** Relative to the directory of the session, like the host shows it. */
function pathFrom(cwd: string | null, file: string): string {
  if (cwd === null || !path.isAbsolute(file) || !isInside(cwd, file)) return file
  return path.relative(cwd, file)
}

/** Both databases refuse NUL and lone surrogates. */
function clean(text: string): string {
  return text.replaceAll("\0", "").toWellFormed()
}

async function sessionRowOf(
  { sessionId: id, host }: BatchSource["found"],
  state: TranscriptState,
  deps: BatchDeps,
): Promise<SessionRow> {
  const title = clean(state.title ?? "")
  return {
    id,
    host,
    title: title === "" ? "Untitled session" : title,
    cwd: state.cwd === null ? null : clean(state.cwd),
    repository: state.cwd === null ? null : clean(await deps.repositoryOf(state.cwd)),
    branch: state.branch === null ? null : clean(state.branch.slice(0, 300)),
    version: state.version === null ? null : clean(state.version.slice(0, 100)),
    started_at: state.startedAt,
    ended_at: state.endedAt,
    turns: state.turn,
    window_tokens: state.windowTokens,
  }
}
