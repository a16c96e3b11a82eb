import { createHash } from "node:crypto"
import path from "node:path"
import { parseJsonRecord, readBounded } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import type { EmittedEvent } from "../agent.ts"
import { TranscriptUnreadable } from "../errors.ts"
import { type Draft, draftOf } from "../event-message.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { titleLine } from "../wire/tool-text.ts"
import { createClaudeReader } from "./claude-transcript.ts"
import { createCodexReader } from "./codex-transcript.ts"
import type { ReadHost, TranscriptFile } from "./find-sessions.ts"
import {
  COMPARED_HEAD_BYTES,
  LARGEST_CHILD_BYTES,
  LARGEST_TRANSCRIPT_BYTES,
  LONGEST_TRANSCRIPT_LINE_BYTES,
  READER_PAGE_BYTES,
  READER_PAGE_DRAFTS,
} from "./limits.ts"
import type { Scrub } from "./session-file.ts"
import type { Child, Facts, TranscriptReader } from "./transcript-reader.ts"

/** Where a reading ended, and the beginning of the file that was read. */
export type ReadUntil = { readonly offset: number; readonly head: string }

export type HostDraft = {
  readonly draft: Draft
  /** When the host wrote it, if it says so. */
  readonly at: number | undefined
}

export type HostPage = {
  readonly drafts: readonly HostDraft[]
  /** For the next reading: after the last whole line that is in `drafts`. */
  readonly until: ReadUntil
  /**
   * The first page of a reading from the start: nothing was read before, or the file is another one
   * now, and what was kept of it is void.
   */
  readonly isFromStart: boolean
  readonly facts: Readonly<Facts>
}

export type ReadOptions = Scrub & { readonly after?: ReadUntil | undefined }

/**
 * A host's transcript in our vocabulary, page by page: only whole lines, only what is new. What was
 * read before is gone through again without being told, so that what was open then can end now. There
 * is always a last page, with what is known of the session, also when nothing is new.
 */
export async function* readHostSession(
  transcript: TranscriptFile,
  options: ReadOptions,
): AsyncGenerator<HostPage> {
  const bytes = await readWhole(transcript.file)
  const after = isSameFile(bytes, options.after) ? (options.after?.offset ?? 0) : 0
  const { title, createReader } = HOSTS[transcript.host]
  const gathering = createGathering(title, options.redact)
  const reader = createReader(gathering.emitter)
  const reading: Reading = {
    transcript,
    options,
    gathering,
    reader,
    children: new Set(),
    at: undefined,
  }
  const made = { bytes, reader, redact: options.redact }
  let page = emptyPage(after)
  for (const line of wholeLines(bytes)) {
    const isNew = line.end > after
    const drafts = await readLine(line, reading, isNew)
    if (!isNew) continue
    page.drafts.push(...drafts)
    page.end = line.end
    const isFull =
      page.drafts.length >= READER_PAGE_DRAFTS || page.end - page.start >= READER_PAGE_BYTES
    if (!isFull) continue
    yield pageOf(page, made)
    page = emptyPage(page.end)
  }
  yield pageOf(page, made)
}

type Reading = {
  readonly transcript: TranscriptFile
  readonly options: ReadOptions
  readonly gathering: Gathering
  readonly reader: TranscriptReader
  /** Sub-agents that were read: a task may tell of its end more than once. */
  readonly children: Set<string>
  /** Of the last line that had a time; some have none. */
  at: number | undefined
}

const HOSTS: Readonly<
  Record<
    ReadHost,
    { title: string; createReader: (emitter: Gathering["emitter"]) => TranscriptReader }
  >
> = {
  "claude-code": { title: "Claude Code", createReader: createClaudeReader },
  codex: { title: "Codex", createReader: createCodexReader },
}

type GrowingPage = { readonly drafts: HostDraft[]; readonly start: number; end: number }

function emptyPage(start: number): GrowingPage {
  return { drafts: [], start, end: start }
}

function pageOf(
  page: GrowingPage,
  it: Pick<Scrub, "redact"> & {
    readonly bytes: Buffer
    readonly reader: TranscriptReader
  },
): HostPage {
  const until = { offset: page.end, head: headOf(it.bytes, page.end) }
  const { facts } = it.reader
  const title = facts.title === null ? null : titleLine(it.redact(facts.title))
  return { drafts: page.drafts, until, isFromStart: page.start === 0, facts: { ...facts, title } }
}

async function readWhole(file: string): Promise<Buffer> {
  const maxBytes = LARGEST_TRANSCRIPT_BYTES
  const read = await readBounded(file, { maxBytes, root: path.dirname(file) })
  if (read.kind === "read") return read.bytes
  const reason = read.kind === "too-large" ? `it has ${read.sizeBytes} bytes` : read.kind
  throw TranscriptUnreadable({ path: file, reason })
}

/** How many bytes were looked at, and their digest. */
function headOf(bytes: Buffer, end: number): string {
  const length = Math.min(end, COMPARED_HEAD_BYTES)
  return `${length}:${createHash("sha256").update(bytes.subarray(0, length)).digest("hex")}`
}

/** A file that shrank, begins otherwise, or was read up to the middle of a line is another one. */
function isSameFile(bytes: Buffer, after: ReadUntil | undefined): boolean {
  if (after === undefined || after.offset <= 0 || after.offset > bytes.length) return false
  return bytes[after.offset - 1] === NEWLINE && headOf(bytes, after.offset) === after.head
}

const NEWLINE = 0x0a

async function readLine(
  line: TextLine,
  reading: Reading,
  isNew: boolean,
): Promise<readonly HostDraft[]> {
  const { reader, gathering, options } = reading
  const record = line.text === undefined ? undefined : parseJsonRecord(line.text)
  if (line.text === undefined || record === undefined) {
    if (line.text !== "") reader.facts.skipped += 1
    return []
  }
  const child = reader.childOf(record)
  const isFirst = child !== undefined && !reading.children.has(child.agentId)
  if (child !== undefined) reading.children.add(child.agentId)
  if (isFirst && isNew) await readChild(child, reading)
  reader.line(record, line.text)
  const heard = await gathering.take()
  reading.at = timeOf(record) ?? reading.at
  return isNew ? heard.flatMap((it) => draftsOf(it, reading.at, options)) : []
}

/** A sub-agent's own lines, told as parts of the activity that called it. */
async function readChild(child: Child, { transcript, reader }: Reading): Promise<void> {
  const folder = path.dirname(transcript.file)
  const name = path.join(transcript.sessionId, "subagents", `agent-${child.agentId}.jsonl`)
  const limits = { maxBytes: LARGEST_CHILD_BYTES, root: folder }
  const read = await readBounded(path.join(folder, name), limits)
  if (read.kind !== "read") return
  for (const { text } of wholeLines(read.bytes)) {
    const record = text === undefined ? undefined : parseJsonRecord(text)
    if (text !== undefined && record !== undefined) reader.childLine(record, text, child)
  }
}

function timeOf(record: Readonly<Record<string, unknown>>): number | undefined {
  const { timestamp } = record
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN
  return Number.isSafeInteger(at) && at > 0 ? at : undefined
}

/** Redacted whole and then cut: half a secret would not be found. */
function draftsOf(heard: EmittedEvent, at: number | undefined, scrub: Scrub): readonly HostDraft[] {
  const event = AgentEvent.safeParse(scrub.redactJson(heard.event))
  if (!event.success) return []
  const raw = heard.raw === undefined ? undefined : scrub.redact(heard.raw)
  return [{ draft: draftOf(event.data, raw), at }]
}

export type Gathering = {
  readonly emitter: EventEmitter
  /** What was told since the last time. */
  take(): Promise<readonly EmittedEvent[]>
}

/** A session's emitter, taken out line by line: a transcript keeps the same form as a live agent. */
export function createGathering(title: string, redact: (text: string) => string): Gathering {
  const emitter = createEventEmitter(title, redact)
  emitter.removeLimit()
  const events = emitter.events[Symbol.asyncIterator]()
  return {
    emitter,
    async take() {
      const heard: EmittedEvent[] = []
      // No transcript holds text as it was being written, so this can only be our own mark.
      emitter.emit({ event: "text.delta", text: "" })
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (next.value.event.event === "text.delta") break
        heard.push(next.value)
      }
      return heard
    },
  }
}

export type TextLine = {
  /** Undefined when the line is too long to look at. */
  readonly text: string | undefined
  /** The offset after its newline. */
  readonly end: number
}

const NEWLINE2 = 0x0a

/** The lines that have an end; a host may still be writing the last one. */
export function* wholeLines(bytes: Buffer): Generator<TextLine> {
  let from = 0
  for (let at = bytes.indexOf(NEWLINE2); at >= 0; at = bytes.indexOf(NEWLINE2, from)) {
    const isShort = at - from <= LONGEST_TRANSCRIPT_LINE_BYTES
    const end = at + 1
    yield { text: isShort ? bytes.toString("utf8", from, at) : undefined, end }
    from = end
  }
}
