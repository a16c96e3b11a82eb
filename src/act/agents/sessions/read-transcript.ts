import { createHash } from "node:crypto"
import path from "node:path"
import { parseJsonRecord, readBounded } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import { timeOfLine } from "#see/hosts"
import type { EmittedEvent } from "../agent.ts"
import { TranscriptUnreadable } from "../errors.ts"
import { messageOfEvent, type NewMessage } from "../event-message.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { titleLine } from "../wire/tool-text.ts"
import { createClaudeReader } from "./claude-transcript.ts"
import { createCodexReader } from "./codex-transcript.ts"
import type { ReadableTranscript, ReadHost } from "./find-sessions.ts"
import type { Redaction } from "./session-file.ts"
import type { SessionFacts, SubAgent, TranscriptReader } from "./transcript-reader.ts"

/** A transcript is in memory while it is read; a larger one is refused. */
const MAX_TRANSCRIPT_BYTES = 128 * 1024 * 1024
const MAX_SUB_AGENT_BYTES = 16 * 1024 * 1024
/** Lines of several megabytes exist; longer ones are skipped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const PAGE_MESSAGES = 200
const PAGE_BYTES = 4 * 1024 * 1024

type ReadUntil = { readonly offset: number; readonly head: string }

type TranscriptMessage = {
  readonly message: NewMessage
  readonly at: number | undefined
}

export type TranscriptPage = {
  readonly messages: readonly TranscriptMessage[]
  readonly until: ReadUntil
  /** The first page of a new or replaced file: its earlier messages are void. */
  readonly isFromStart: boolean
  readonly facts: Readonly<SessionFacts>
}

export type ReadOptions = Redaction & { readonly after?: ReadUntil | undefined }

const HOSTS: Readonly<
  Record<ReadHost, { title: string; createReader: (emitter: EventEmitter) => TranscriptReader }>
> = {
  "claude-code": { title: "Claude Code", createReader: createClaudeReader },
  codex: { title: "Codex", createReader: createCodexReader },
}

/**
 * Yields a host's transcript as pages of messages: only whole lines, only new ones. Lines read
 * before are parsed again without messages, so that events open at that time can end. The last page
 * always comes, with the facts of the session.
 */
export async function* readTranscript(
  transcript: ReadableTranscript,
  options: ReadOptions,
): AsyncGenerator<TranscriptPage> {
  const bytes = await readWhole(transcript.file)
  const after = isSameFile(bytes, options.after) ? (options.after?.offset ?? 0) : 0
  const { title, createReader } = HOSTS[transcript.host]
  const collector = createCollector(title, options.redact)
  const reader = createReader(collector.emitter)
  const reading: TranscriptRead = {
    transcript,
    options,
    collector,
    reader,
    subAgents: new Set(),
    at: undefined,
  }
  let messages: TranscriptMessage[] = []
  let start = after
  let end = after
  const page = (): TranscriptPage => {
    const { facts } = reader
    const shownTitle = facts.title === null ? null : titleLine(options.redact(facts.title))
    return {
      messages,
      until: { offset: end, head: headOf(bytes, end) },
      isFromStart: start === 0,
      facts: { ...facts, title: shownTitle },
    }
  }
  for (const line of wholeLines(bytes)) {
    const isNew = line.end > after
    const read = await readLine(line, reading, isNew)
    if (!isNew) continue
    messages.push(...read)
    end = line.end
    if (messages.length < PAGE_MESSAGES && end - start < PAGE_BYTES) continue
    yield page()
    messages = []
    start = end
  }
  yield page()
}

type TranscriptRead = {
  readonly transcript: ReadableTranscript
  readonly options: ReadOptions
  readonly collector: ReturnType<typeof createCollector>
  readonly reader: TranscriptReader
  /** A task may report its end more than once. */
  readonly subAgents: Set<string>
  at: number | undefined
}

function createCollector(title: string, redact: (text: string) => string) {
  const emitter = createEventEmitter(title, redact)
  emitter.removeLimit()
  const events = emitter.events[Symbol.asyncIterator]()
  return {
    emitter,
    async take(): Promise<readonly EmittedEvent[]> {
      const emitted: EmittedEvent[] = []
      // Transcripts have no text deltas, so this one serves as our end mark.
      emitter.emit({ event: "text.delta", text: "" })
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (next.value.event.event === "text.delta") break
        emitted.push(next.value)
      }
      return emitted
    },
  }
}

async function readWhole(file: string): Promise<Buffer> {
  const read = await readBounded(file, { maxBytes: MAX_TRANSCRIPT_BYTES, root: path.dirname(file) })
  if (read.kind === "read") return read.bytes
  const reason = read.kind === "too-large" ? `it has ${read.sizeBytes} bytes` : read.kind
  throw TranscriptUnreadable({ path: file, reason })
}

function headOf(bytes: Buffer, end: number): string {
  const length = Math.min(end, 4 * 1024)
  return `${length}:${createHash("sha256").update(bytes.subarray(0, length)).digest("hex")}`
}

const NEWLINE = 0x0a

/**
 * A file that shrank, begins differently, or was read up to the middle of a line is treated as new.
 */
function isSameFile(bytes: Buffer, after: ReadUntil | undefined): boolean {
  if (after === undefined || after.offset <= 0 || after.offset > bytes.length) return false
  return bytes[after.offset - 1] === NEWLINE && headOf(bytes, after.offset) === after.head
}

type TextLine = {
  readonly text: string | undefined
  readonly end: number
}

/** Only lines with a newline; a host may still be writing the last one. */
function* wholeLines(bytes: Buffer): Generator<TextLine> {
  let from = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
    const isShort = at - from <= MAX_LINE_BYTES
    yield { text: isShort ? bytes.toString("utf8", from, at) : undefined, end: at + 1 }
    from = at + 1
  }
}

async function readLine(
  line: TextLine,
  reading: TranscriptRead,
  isNew: boolean,
): Promise<readonly TranscriptMessage[]> {
  const { reader, collector, options } = reading
  const record = line.text === undefined ? undefined : parseJsonRecord(line.text)
  if (line.text === undefined || record === undefined) {
    if (line.text !== "") reader.facts.skipped += 1
    return []
  }
  const subAgent = reader.endedSubAgent(record)
  const isFirst = subAgent !== undefined && !reading.subAgents.has(subAgent.agentId)
  if (subAgent !== undefined) reading.subAgents.add(subAgent.agentId)
  // Also for a line read before, because its usage is part of the session's.
  if (isFirst) await readSubAgent(subAgent, reading)
  reader.line(record, line.text)
  const events = await collector.take()
  reading.at = timeOfLine(record) ?? reading.at
  return isNew ? events.flatMap((it) => messageOf(it, reading.at, options)) : []
}

async function readSubAgent(
  subAgent: SubAgent,
  { transcript, reader }: TranscriptRead,
): Promise<void> {
  const root = path.dirname(transcript.file)
  const name = path.join(transcript.sessionId, "subagents", `agent-${subAgent.agentId}.jsonl`)
  const read = await readBounded(path.join(root, name), { maxBytes: MAX_SUB_AGENT_BYTES, root })
  if (read.kind !== "read") return
  for (const { text } of wholeLines(read.bytes)) {
    const record = text === undefined ? undefined : parseJsonRecord(text)
    if (text !== undefined && record !== undefined) reader.subAgentLine(record, text, subAgent)
  }
}

/** Redacted before it is truncated: half a secret is not recognised. */
function messageOf(
  emitted: EmittedEvent,
  at: number | undefined,
  { redact, redactJson }: Redaction,
): readonly TranscriptMessage[] {
  const event = AgentEvent.safeParse(redactJson(emitted.event))
  if (!event.success) return []
  const raw = emitted.raw === undefined ? undefined : redact(emitted.raw)
  return [{ message: messageOfEvent(event.data, raw), at }]
}
