import { z } from "zod"
import { isRecord, type JsonRecord } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import { type ParserState, parseLine } from "../claude-code/parse-stream.ts"
import { addUsage } from "../runs/run-progress.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { textField } from "../wire/tool-text.ts"
import { isFromHost, isPrompt, textOf } from "./list-sessions.ts"
import {
  entryOf,
  NO_USAGE,
  newFacts,
  type SessionFacts,
  type SubAgent,
  type TranscriptReader,
} from "./transcript-reader.ts"

type State = {
  readonly emitter: EventEmitter
  readonly parser: ParserState
  readonly facts: SessionFacts
  /** Usage before the model's last message: each of its blocks has a line with the same usage. */
  earlier: TokenUsage
  lastId: string | undefined
  /** 1: the first prompt, 2: the host's title, 3: the user's title. */
  titleRank: number
}

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
      const parse = entryOf(PARSERS, line["type"]) ?? parseUnknown
      if (isInner || !parse(state, line, raw)) facts.skipped += 1
    },
    endedSubAgent,
    subAgentLine(line, raw, { parentId }) {
      const isShown = line["type"] === "assistant" || hasResult(line)
      if (isShown) parseLine(parser, asStreamed(line, parentId), raw)
    },
  }
}

function noteSession({ facts, emitter }: State, line: JsonRecord): void {
  const { sessionId, cwd, version: hostVersion } = line
  if (facts.cwd !== null || typeof sessionId !== "string" || typeof cwd !== "string") return
  const version = typeof hostVersion === "string" ? hostVersion : undefined
  facts.sessionId = sessionId
  facts.cwd = cwd
  facts.version = version ?? null
  emitter.emit({ event: "session.started", sessionId, cwd, version })
}

type LineParser = (state: State, line: JsonRecord, raw: string) => boolean

const PARSERS: Readonly<Record<string, LineParser>> = {
  user: parseUser,
  assistant: parseAssistant,
  system: parseSystem,
  attachment: parseAttachment,
  "cost-state": parseCost,
  "custom-title": noteTitle,
  "ai-title": noteTitle,
  summary: noteTitle,
  "queue-operation": () => false,
  "last-prompt": () => false,
}

function parseUser(state: State, line: JsonRecord, raw: string): boolean {
  const { emitter } = state
  if (hasResult(line)) {
    parseLine(state.parser, asStreamed(line), raw)
    return true
  }
  const text = textOf(line["message"])
  if (text === "" || line["isMeta"] === true) return false
  if (text.startsWith("[Request interrupted by user")) {
    emitter.emit({ event: "turn.ended", outcome: "stopped", text: "" }, raw)
    return true
  }
  const isTurn = isPrompt(line)
  // A turn without a response ended with its process.
  if (isTurn) endTurn(emitter, { outcome: "stopped", text: "" })
  emitter.emit({ event: "message", type: isTurn ? "user" : "system", text }, raw)
  if (isTurn && state.titleRank === 0) setTitle(state, text, 1)
  if (isTurn || isFromHost(line)) emitter.emit({ event: "turn.started" })
  return true
}

function endTurn(
  emitter: EventEmitter,
  how: { readonly outcome: "completed" | "failed" | "stopped"; text: string; error?: string },
): void {
  if (emitter.isInTurn()) emitter.emit({ event: "turn.ended", ...how })
}

const Tokens = z.int().nonnegative().catch(0)

const AssistantLine = z.object({
  message: z.object({
    id: z.string().optional().catch(undefined),
    model: z.string().optional().catch(undefined),
    stop_reason: z.string().nullish().catch(undefined),
    usage: z
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
      .optional()
      .catch(undefined),
  }),
  isApiErrorMessage: z.boolean().default(false).catch(false),
})

const LAST_REASONS: ReadonlySet<string> = new Set([
  "end_turn",
  "stop_sequence",
  "max_tokens",
  "refusal",
])

function parseAssistant(state: State, line: JsonRecord, raw: string): boolean {
  const parsed = AssistantLine.safeParse(line)
  if (!parsed.success) return false
  const { message, isApiErrorMessage } = parsed.data
  const { facts } = state
  // The host marks its own texts, such as errors, with this model.
  if (message.model !== undefined && message.model !== "<synthetic>") facts.model = message.model
  if (message.id === undefined || message.id !== state.lastId) {
    state.earlier = facts.usage
    state.lastId = message.id
  }
  facts.usage = addUsage(state.earlier, message.usage ?? NO_USAGE)
  parseLine(state.parser, asStreamed(line), raw)
  const text = textOf(line["message"])
  if (isApiErrorMessage) endTurn(state.emitter, { outcome: "failed", text: "", error: text })
  // Thinking has its own line before the text, with the same stop reason.
  const isLast = text !== "" && LAST_REASONS.has(message.stop_reason ?? "")
  if (isLast) endTurn(state.emitter, { outcome: "completed", text })
  return true
}

const CompactLine = z.object({
  subtype: z.literal("compact_boundary"),
  compactMetadata: z.object({
    trigger: z.string().default("auto").catch("auto"),
    preTokens: z.int().nonnegative().optional().catch(undefined),
    postTokens: z.int().nonnegative().optional().catch(undefined),
  }),
})

function parseSystem(state: State, line: JsonRecord, raw: string): boolean {
  const compacted = CompactLine.safeParse(line)
  if (!compacted.success) return parseUnknown(state, line, raw)
  const {
    trigger,
    preTokens: tokensBefore,
    postTokens: tokensAfter,
  } = compacted.data.compactMetadata
  state.emitter.emit({ event: "context.compacted", trigger, tokensBefore, tokensAfter }, raw)
  return true
}

function parseAttachment({ emitter }: State, line: JsonRecord, raw: string): boolean {
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

const REASONS = { file: "attached by the host", nested_memory: "loaded with a nearby file" }

const CostLine = z.object({
  totalCostUSD: z.number().nonnegative(),
  modelUsage: z.record(
    z.string(),
    z
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
      })),
  ),
})

function parseCost(state: State, line: JsonRecord): boolean {
  const cost = CostLine.safeParse(line)
  if (!cost.success) return false
  const { totalCostUSD: reportedUsd, modelUsage } = cost.data
  const usage = Object.values(modelUsage).reduce(addUsage, NO_USAGE)
  state.earlier = usage
  state.lastId = undefined
  state.facts.usage = usage
  state.facts.costUsd = reportedUsd
  const [first, ...others] = Object.keys(modelUsage)
  const model = others.length === 0 ? first : undefined
  state.emitter.emit({ event: "cost", model, usage, isTotal: true, reportedUsd })
  return true
}

function noteTitle(state: State, line: JsonRecord): boolean {
  const title = textField(line, "customTitle", "aiTitle", "title", "summary")
  setTitle(state, title, line["type"] === "custom-title" ? 3 : 2)
  return title !== undefined
}

function setTitle(state: State, title: string | undefined, rank: number): void {
  if (title === undefined || rank < state.titleRank) return
  state.titleRank = rank
  state.facts.title = title
}

function parseUnknown({ emitter }: State, line: JsonRecord, raw: string): boolean {
  const text = textField(line, "content", "text", "message")
  if (text === undefined || line["isMeta"] === true) return false
  emitter.emit({ event: "message", type: "system", text }, raw)
  return true
}

function hasResult(line: JsonRecord): boolean {
  return line["type"] === "user" && resultId(line) !== undefined
}

function blocksOf({ message }: JsonRecord): readonly unknown[] {
  const content = isRecord(message) ? message["content"] : undefined
  return Array.isArray(content) ? content : []
}

function resultId(line: JsonRecord): string | undefined {
  const result = blocksOf(line).find((it) => isRecord(it) && it["type"] === "tool_result")
  return textField(result, "tool_use_id")
}

function asStreamed(line: JsonRecord, parentId?: string): JsonRecord {
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

function endedSubAgent(line: JsonRecord): SubAgent | undefined {
  if (line["type"] !== "user") return undefined
  if (isFromHost(line)) {
    const text = textOf(line["message"]).slice(0, 4_000)
    const ids = /<task-id>(?<task>[^<]+)<\/task-id>[^]*?<tool-use-id>(?<use>[^<]+)</.exec(text)
    return subAgentOf(ids?.groups?.["task"], ids?.groups?.["use"])
  }
  const result = line["toolUseResult"]
  // A background sub-agent continues; its task reports its end.
  if (isRecord(result) && result["status"] === "async_launched") return undefined
  const [parentId] = blocksOf(line).flatMap((it) => textField(it, "tool_use_id") ?? [])
  return subAgentOf(textField(result, "agentId"), parentId)
}

/** The id becomes part of a file name, so it must not be a path. */
function subAgentOf(agentId: string | undefined, parentId: string | undefined) {
  const isName = agentId !== undefined && /^[A-Za-z0-9_-]{1,100}$/.test(agentId)
  return isName && parentId !== undefined ? { agentId, parentId } : undefined
}
