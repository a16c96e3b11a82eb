import { type Hearing, hear } from "../../claude-code/hear.ts"
import type { Telling } from "../../wire/telling.ts"
import { isRecord, textField } from "../../wire/text.ts"
import { childOf } from "./claude-child.ts"
import { AssistantLine, CompactLine, CostLine } from "./claude-shapes.ts"
import { isFromHost, isPrompt, textOf } from "./look.ts"
import {
  addUsage,
  entryOf,
  type Facts,
  NO_USAGE,
  newFacts,
  type TranscriptReader,
} from "./reader.ts"

type Line = Readonly<Record<string, unknown>>
type Usage = Facts["usage"]

type State = {
  readonly telling: Telling
  readonly hearing: Hearing
  readonly facts: Facts
  /** Before the model's last message: each of its blocks has a line with the same usage. */
  earlier: Usage
  lastId: string | undefined
  /** Who gave the title: the first words, the host, or a person; the later of these counts. */
  titleRank: number
}

/** A transcript of Claude Code, in the words of its stream: the lines differ in names only. */
export function createClaudeReader(telling: Telling): TranscriptReader {
  const hearing: Hearing = {
    telling,
    mode: () => "ask",
    isInterrupted: () => false,
    tasks: new Map(),
  }
  const facts = newFacts()
  const state: State = {
    telling,
    hearing,
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
      const isTold = !isInner && (entryOf(TELLERS, line["type"]) ?? tellUnknown)(state, line, raw)
      if (!isTold) facts.skipped += 1
    },
    childOf,
    childLine(line, raw, child) {
      const isShown = line["type"] === "assistant" || hasResult(line)
      if (isShown) hear(hearing, asStreamed(line, child.parentId), raw)
    },
  }
}

function noteSession({ facts, telling }: State, line: Line): void {
  const { sessionId, cwd, version } = line
  if (facts.cwd !== null || typeof sessionId !== "string" || typeof cwd !== "string") return
  const known = typeof version === "string" ? version : undefined
  Object.assign(facts, { sessionId, cwd, version: known ?? null })
  telling.say({ event: "session.started", sessionId, cwd, version: known })
}

/** True when something was told or noted. */
type Teller = (state: State, line: Line, raw: string) => boolean

const TELLERS: Readonly<Record<string, Teller>> = {
  user: tellUser,
  assistant: tellAssistant,
  system: tellSystem,
  attachment: tellAttachment,
  "cost-state": tellCost,
  "custom-title": noteTitle,
  "ai-title": noteTitle,
  summary: noteTitle,
  "queue-operation": () => false,
  "last-prompt": () => false,
}

function tellUser(state: State, line: Line, raw: string): boolean {
  const { telling } = state
  if (hasResult(line)) {
    hear(state.hearing, asStreamed(line), raw)
    return true
  }
  const text = textOf(line["message"])
  if (text === "" || line["isMeta"] === true) return false
  if (text.startsWith(INTERRUPTED)) {
    telling.say({ event: "turn.ended", outcome: "stopped", text: "" }, raw)
    return true
  }
  const isTurn = isPrompt(line)
  // A turn that was begun and never answered ended with its process.
  if (isTurn) endTurn(telling, { outcome: "stopped", text: "" })
  telling.say({ event: "message", type: isTurn ? "user" : "system", text }, raw)
  if (isTurn && state.titleRank === 0) entitle(state, text, 1)
  if (isTurn || isFromHost(line)) telling.say({ event: "turn.started" })
  return true
}

/** How the host notes that a person stopped the turn. */
const INTERRUPTED = "[Request interrupted by user"

function endTurn(
  telling: Telling,
  how: { readonly outcome: "completed" | "failed" | "stopped"; text: string; error?: string },
): void {
  if (telling.isTurning()) telling.say({ event: "turn.ended", ...how })
}

function tellAssistant(state: State, line: Line, raw: string): boolean {
  const parsed = AssistantLine.safeParse(line)
  if (!parsed.success) return false
  const { message, isApiErrorMessage } = parsed.data
  noteUsage(state, message)
  hear(state.hearing, asStreamed(line), raw)
  const text = textOf(line["message"])
  if (isApiErrorMessage) endTurn(state.telling, { outcome: "failed", text: "", error: text })
  // Thinking has a line of its own before the words, with the same reason to stop.
  const isLast = text !== "" && LAST_WORDS.has(message.stop_reason ?? "")
  if (isLast) endTurn(state.telling, { outcome: "completed", text })
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

function tellSystem(state: State, line: Line, raw: string): boolean {
  const compacted = CompactLine.safeParse(line)
  if (compacted.success) {
    const { trigger, preTokens, postTokens } = compacted.data.compactMetadata
    const metadata = { trigger, pre_tokens: preTokens, post_tokens: postTokens }
    const told = { type: "system", subtype: "compact_boundary", compact_metadata: metadata }
    hear(state.hearing, told, raw)
    return true
  }
  return tellUnknown(state, line, raw)
}

/** Of what the host attaches, files and queued words of a person are worth a line. */
function tellAttachment({ telling }: State, line: Line, raw: string): boolean {
  const attachment = isRecord(line["attachment"]) ? line["attachment"] : {}
  const path = textField(attachment, "filename", "path")
  const prompt = textField(attachment, "prompt")
  switch (attachment["type"]) {
    case "queued_command":
      if (prompt === undefined) return false
      telling.say({ event: "message", type: "user", text: prompt }, raw)
      return true
    case "file":
    case "nested_memory":
      if (path === undefined) return false
      telling.say({ event: "context.file", path, reason: REASONS[attachment["type"]] })
      return true
    default:
      return false
  }
}

const REASONS = { file: "attached by the host", nested_memory: "loaded with a file near it" }

function tellCost(state: State, line: Line): boolean {
  const cost = CostLine.safeParse(line)
  if (!cost.success) return false
  const { totalCostUSD: reportedUsd, modelUsage } = cost.data
  const usage = Object.values(modelUsage).reduce(addUsage, NO_USAGE)
  Object.assign(state, { earlier: usage, lastId: undefined })
  Object.assign(state.facts, { usage, costUsd: reportedUsd })
  const [model, ...others] = Object.keys(modelUsage)
  const only = others.length === 0 ? model : undefined
  state.telling.say({ event: "cost", model: only, usage, isTotal: true, reportedUsd })
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
function tellUnknown({ telling }: State, line: Line, raw: string): boolean {
  const text = textField(line, "content", "text", "message")
  if (text === undefined || line["isMeta"] === true) return false
  telling.say({ event: "message", type: "system", text }, raw)
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
