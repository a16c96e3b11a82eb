import { z } from "zod"
import { isRecord } from "#ground/base"
import { type ParserState, parseLine } from "../claude-code/parse-stream.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { textField } from "../wire/tool-text.ts"
import { isFromHost, isPrompt, textOf } from "./list-sessions.ts"
import {
  addUsage,
  type Child,
  entryOf,
  type Facts,
  NO_USAGE,
  newFacts,
  type TranscriptReader,
} from "./transcript-reader.ts"

type Line = Readonly<Record<string, unknown>>
type Usage = Facts["usage"]

type State = {
  readonly emitter: EventEmitter
  readonly parser: ParserState
  readonly facts: Facts
  /** Before the model's last message: each of its blocks has a line with the same usage. */
  earlier: Usage
  lastId: string | undefined
  /** Who gave the title: the first words, the host, or a person; the later of these counts. */
  titleRank: number
}

/** A transcript of Claude Code, in the words of its stream: the lines differ in names only. */
export function createClaudeReader(emitter: EventEmitter): TranscriptReader {
  const parser: ParserState = {
    emitter,
    mode: () => "ask",
    isInterrupted: () => false,
    tasks: new Map(),
  }
  const facts = newFacts()
  const state: State = {
    emitter,
    parser,
    facts,
    earlier: NO_USAGE,
    lastId: undefined,
    titleRank: 0,
  }
  return {
    facts,
    line(line, raw) {
      noteSession(state, line)
      const isInner = line["isSidechain"] === true
      const isParsed = !isInner && (entryOf(PARSERS, line["type"]) ?? emitUnknown)(state, line, raw)
      if (!isParsed) facts.skipped += 1
    },
    childOf,
    childLine(line, raw, child) {
      const isShown = line["type"] === "assistant" || hasResult(line)
      if (isShown) parseLine(parser, asStreamed(line, child.parentId), raw)
    },
  }
}

function noteSession({ facts, emitter }: State, line: Line): void {
  const { sessionId, cwd, version } = line
  if (facts.cwd !== null || typeof sessionId !== "string" || typeof cwd !== "string") return
  const known = typeof version === "string" ? version : undefined
  Object.assign(facts, { sessionId, cwd, version: known ?? null })
  emitter.emit({ event: "session.started", sessionId, cwd, version: known })
}

/** True when something was told or noted. */
type Parser = (state: State, line: Line, raw: string) => boolean

const PARSERS: Readonly<Record<string, Parser>> = {
  user: emitUser,
  assistant: emitAssistant,
  system: emitSystem,
  attachment: emitAttachment,
  "cost-state": emitCost,
  "custom-title": noteTitle,
  "ai-title": noteTitle,
  summary: noteTitle,
  "queue-operation": () => false,
  "last-prompt": () => false,
}

function emitUser(state: State, line: Line, raw: string): boolean {
  const { emitter } = state
  if (hasResult(line)) {
    parseLine(state.parser, asStreamed(line), raw)
    return true
  }
  const text = textOf(line["message"])
  if (text === "" || line["isMeta"] === true) return false
  if (text.startsWith(INTERRUPTED)) {
    emitter.emit({ event: "turn.ended", outcome: "stopped", text: "" }, raw)
    return true
  }
  const isTurn = isPrompt(line)
  // A turn that was begun and never answered ended with its process.
  if (isTurn) endTurn(emitter, { outcome: "stopped", text: "" })
  emitter.emit({ event: "message", type: isTurn ? "user" : "system", text }, raw)
  if (isTurn && state.titleRank === 0) entitle(state, text, 1)
  if (isTurn || isFromHost(line)) emitter.emit({ event: "turn.started" })
  return true
}

/** How the host notes that a person stopped the turn. */
const INTERRUPTED = "[Request interrupted by user"

function endTurn(
  emitter: EventEmitter,
  how: { readonly outcome: "completed" | "failed" | "stopped"; text: string; error?: string },
): void {
  if (emitter.isInTurn()) emitter.emit({ event: "turn.ended", ...how })
}

function emitAssistant(state: State, line: Line, raw: string): boolean {
  const parsed = AssistantLine.safeParse(line)
  if (!parsed.success) return false
  const { message, isApiErrorMessage } = parsed.data
  noteUsage(state, message)
  parseLine(state.parser, asStreamed(line), raw)
  const text = textOf(line["message"])
  if (isApiErrorMessage) endTurn(state.emitter, { outcome: "failed", text: "", error: text })
  // Thinking has a line of its own before the words, with the same reason to stop.
  const isLast = text !== "" && LAST_WORDS.has(message.stop_reason ?? "")
  if (isLast) endTurn(state.emitter, { outcome: "completed", text })
  return true
}

const LAST_WORDS: ReadonlySet<string> = new Set([
  "end_turn",
  "stop_sequence",
  "max_tokens",
  "refusal",
])

/** What the host writes under this name it made itself, such as the words of an error. */
const NO_MODEL = "<synthetic>"

function noteUsage(state: State, message: AssistantLine["message"]): void {
  const { facts } = state
  if (message.model !== undefined && message.model !== NO_MODEL) facts.model = message.model
  const isNew = message.id === undefined || message.id !== state.lastId
  if (isNew) Object.assign(state, { earlier: facts.usage, lastId: message.id })
  facts.usage = addUsage(state.earlier, message.usage ?? NO_USAGE)
}

function emitSystem(state: State, line: Line, raw: string): boolean {
  const compacted = CompactLine.safeParse(line)
  if (compacted.success) {
    const { trigger, preTokens, postTokens } = compacted.data.compactMetadata
    const metadata = { trigger, pre_tokens: preTokens, post_tokens: postTokens }
    const told = { type: "system", subtype: "compact_boundary", compact_metadata: metadata }
    parseLine(state.parser, told, raw)
    return true
  }
  return emitUnknown(state, line, raw)
}

/** Of what the host attaches, files and queued words of a person are worth a line. */
function emitAttachment({ emitter }: State, line: Line, raw: string): boolean {
  const attachment = isRecord(line["attachment"]) ? line["attachment"] : {}
  const path = textField(attachment, "filename", "path")
  const prompt = textField(attachment, "prompt")
  switch (attachment["type"]) {
    case "queued_command":
      if (prompt === undefined) return false
      emitter.emit({ event: "message", type: "user", text: prompt }, raw)
      return true
    case "file":
    case "nested_memory":
      if (path === undefined) return false
      emitter.emit({ event: "context.file", path, reason: REASONS[attachment["type"]] })
      return true
    default:
      return false
  }
}

const REASONS = { file: "attached by the host", nested_memory: "loaded with a file near it" }

function emitCost(state: State, line: Line): boolean {
  const cost = CostLine.safeParse(line)
  if (!cost.success) return false
  const { totalCostUSD: reportedUsd, modelUsage } = cost.data
  const usage = Object.values(modelUsage).reduce(addUsage, NO_USAGE)
  Object.assign(state, { earlier: usage, lastId: undefined })
  Object.assign(state.facts, { usage, costUsd: reportedUsd })
  const [model, ...others] = Object.keys(modelUsage)
  const only = others.length === 0 ? model : undefined
  state.emitter.emit({ event: "cost", model: only, usage, isTotal: true, reportedUsd })
  return true
}

function noteTitle(state: State, line: Line): boolean {
  const title = textField(line, "customTitle", "aiTitle", "title", "summary")
  entitle(state, title, line["type"] === "custom-title" ? 3 : 2)
  return title !== undefined
}

function entitle(state: State, title: string | undefined, rank: number): void {
  if (title === undefined || rank < state.titleRank) return
  state.titleRank = rank
  state.facts.title = title
}

/** A kind that we do not know is shown when it has words for people. */
function emitUnknown({ emitter }: State, line: Line, raw: string): boolean {
  const text = textField(line, "content", "text", "message")
  if (text === undefined || line["isMeta"] === true) return false
  emitter.emit({ event: "message", type: "system", text }, raw)
  return true
}

function hasResult(line: Line): boolean {
  return line["type"] === "user" && resultId(line) !== undefined
}

function resultId(line: Line): string | undefined {
  const message = isRecord(line["message"]) ? line["message"] : {}
  const { content } = message
  const blocks: readonly unknown[] = Array.isArray(content) ? content : []
  const result = blocks.find((it) => isRecord(it) && it["type"] === "tool_result")
  return textField(result, "tool_use_id")
}

/** The line as the stream would have given it. */
function asStreamed(line: Line, parentId?: string): Line {
  const decision = line["permissionDecision"]
  const meta = [{ id: resultId(line), permission_decision: decision }]
  return {
    type: line["type"],
    message: line["message"],
    parent_tool_use_id: parentId ?? null,
    tool_use_result: line["toolUseResult"],
    tool_result_meta: isRecord(decision) ? meta : undefined,
  }
}

type Line2 = Readonly<Record<string, unknown>>

/** The sub-agent that has ended with this line: its result, or the word of its task. */
export function childOf(line: Line2): Child | undefined {
  if (line["type"] !== "user") return undefined
  return isFromHost(line) ? notified(line) : returned(line)
}

/** One that was sent off works on; its task tells when it has ended. */
function returned(line: Line2): Child | undefined {
  const result = line["toolUseResult"]
  const isSentOff = isRecord(result) && result["status"] === "async_launched"
  const message = isRecord(line["message"]) ? line["message"] : {}
  const blocks: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : []
  const parentId = blocks.map((it) => textField(it, "tool_use_id")).find((it) => it !== undefined)
  return isSentOff ? undefined : child(textField(result, "agentId"), parentId)
}

function notified(line: Line2): Child | undefined {
  const text = textOf(line["message"]).slice(0, LONGEST_NOTICE_CHARACTERS)
  const ids = /<task-id>(?<task>[^<]+)<\/task-id>[^]*?<tool-use-id>(?<use>[^<]+)</.exec(text)
  return child(ids?.groups?.["task"], ids?.groups?.["use"])
}

const LONGEST_NOTICE_CHARACTERS = 4_000

/** Its id is a part of a file's name and must be no more than that. */
function child(agentId: string | undefined, parentId: string | undefined): Child | undefined {
  const isName = agentId !== undefined && /^[A-Za-z0-9_-]{1,100}$/.test(agentId)
  return isName && parentId !== undefined ? { agentId, parentId } : undefined
}

/** The lines of Claude Code's transcripts as far as we read them, seen on 2.1.325. */
const Tokens = z.int().nonnegative().catch(0)

const MessageUsage = z
  .object({
    input_tokens: Tokens,
    output_tokens: Tokens,
    cache_read_input_tokens: Tokens,
    cache_creation_input_tokens: Tokens,
  })
  .transform((it) => ({
    input: it.input_tokens,
    output: it.output_tokens,
    cacheRead: it.cache_read_input_tokens,
    cacheWrite: it.cache_creation_input_tokens,
  }))

export const AssistantLine = z.object({
  message: z.object({
    id: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
    stop_reason: z.string().nullish().catch(undefined),
    usage: MessageUsage.optional().catch(undefined),
  }),
  isApiErrorMessage: z.boolean().default(false).catch(false),
})
export type AssistantLine = z.infer<typeof AssistantLine>

export const CompactLine = z.object({
  subtype: z.literal("compact_boundary"),
  compactMetadata: z.object({
    trigger: z.string().default("auto").catch("auto"),
    preTokens: z.int().nonnegative().optional().catch(undefined),
    postTokens: z.int().nonnegative().optional().catch(undefined),
  }),
})

const ModelUsage = z
  .object({
    inputTokens: Tokens,
    outputTokens: Tokens,
    cacheReadInputTokens: Tokens,
    cacheCreationInputTokens: Tokens,
  })
  .transform((it) => ({
    input: it.inputTokens,
    output: it.outputTokens,
    cacheRead: it.cacheReadInputTokens,
    cacheWrite: it.cacheCreationInputTokens,
  }))

/** Of the whole session so far, also of what was before a resume. */
export const CostLine = z.object({
  totalCostUSD: z.number().nonnegative(),
  modelUsage: z.record(z.string(), ModelUsage),
})
