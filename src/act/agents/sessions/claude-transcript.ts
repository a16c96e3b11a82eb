import { z } from "zod"
import { isRecord, type JsonRecord } from "#ground/base"
import type { TokenUsage } from "#ground/contract"
import { addUsage, isNewerClaude } from "#ground/tokens"
import { isFromHost, isPrompt, textOf, withoutInjectedContext } from "#see/hosts"
import { type ParserState, parseLine } from "../claude-code/parse-stream.ts"
import type { EventEmitter } from "../wire/event-emitter.ts"
import { textField } from "../wire/tool-text.ts"
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
  /** Usage of each response: each of its blocks has a line with the same usage. */
  readonly responses: Map<string, ResponseUsage>
  /** 1: the first prompt, 2: the host's title, 3: the user's title. */
  titleRank: number
}

type ResponseUsage = { readonly model: string; readonly usage: TokenUsage }

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
    responses: new Map(),
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
      const assistant =
        line["type"] === "assistant" ? AssistantLine.safeParse(line).data : undefined
      if (assistant !== undefined) addResponse(state, assistant.message)
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
    reportWindow(state)
    emitter.emit({ event: "turn.ended", outcome: "stopped", text: "" }, raw)
    return true
  }
  const isTurn = isPrompt(line)
  // A turn without a response ended with its process.
  if (isTurn) endTurn(state, { outcome: "stopped", text: "" })
  emitter.emit({ event: "message", type: isTurn ? "user" : "system", text }, raw)
  if (isTurn && state.titleRank === 0) setTitle(state, withoutInjectedContext(text), 1)
  if (isTurn || isFromHost(line)) emitter.emit({ event: "turn.started" })
  return true
}

function endTurn(
  state: State,
  how: { readonly outcome: "completed" | "failed" | "stopped"; text: string; error?: string },
): void {
  if (!state.emitter.isInTurn()) return
  reportWindow(state)
  state.emitter.emit({ event: "turn.ended", ...how })
}

/** Once a turn, like a live run. */
function reportWindow({ emitter, facts }: State): void {
  if (facts.context !== null) emitter.emit({ event: "context.usage", ...facts.context, kinds: [] })
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
  const isOfModel = message.model !== undefined && message.model !== "<synthetic>"
  if (isOfModel) facts.model = message.model ?? null
  addResponse(state, message)
  if (isOfModel) noteWindow(state, message)
  parseLine(state.parser, asStreamed(line), raw)
  const text = textOf(line["message"])
  if (isApiErrorMessage) endTurn(state, { outcome: "failed", text: "", error: text })
  // Thinking has its own line before the text, with the same stop reason.
  const isLast = text !== "" && LAST_REASONS.has(message.stop_reason ?? "")
  if (isLast) endTurn(state, { outcome: "completed", text })
  return true
}

type AssistantMessage = z.output<typeof AssistantLine>["message"]

function addResponse({ facts, responses }: State, message: AssistantMessage): void {
  const { id, model = "", usage = NO_USAGE } = message
  const before = id === undefined ? undefined : responses.get(id)
  if (id !== undefined) responses.set(id, { model, usage })
  const models = new Map(facts.usageByModel)
  const add = (to: string, more: TokenUsage) =>
    models.set(to, addUsage(models.get(to) ?? NO_USAGE, more))
  if (before !== undefined) add(before.model, negated(before.usage))
  if (model !== "<synthetic>") add(model, usage)
  setUsage(facts, models)
}

function setUsage(facts: SessionFacts, models: ReadonlyMap<string, TokenUsage>): void {
  facts.usageByModel = models
  facts.usage = [...models.values()].reduce(addUsage, NO_USAGE)
}

function negated({ input, output, cacheRead, cacheWrite }: TokenUsage): TokenUsage {
  return { input: -input, output: -output, cacheRead: -cacheRead, cacheWrite: -cacheWrite }
}

const [SHORT_WINDOW, LONG_WINDOW] = [200_000, 1_000_000]

/** A transcript has no window size; it follows from the model, and from a larger request. */
function noteWindow({ facts }: State, { model = "", usage }: AssistantMessage): void {
  if (usage === undefined || !model.includes("claude")) return
  const used = usage.input + usage.cacheRead + usage.cacheWrite
  const isLong = isNewerClaude(model) || used > SHORT_WINDOW
  if (used > 0) facts.context = { used, window: isLong ? LONG_WINDOW : SHORT_WINDOW }
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
  const { facts } = state
  if (facts.context !== null && tokensAfter !== undefined) {
    facts.context = { ...facts.context, used: tokensAfter }
  }
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
  state.responses.clear()
  setUsage(state.facts, new Map(Object.entries(modelUsage)))
  const { usage } = state.facts
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
    const task = /<task-id>([^<]+)<\/task-id>/.exec(text)
    const use = /<tool-use-id>([^<]+)</.exec(text.slice(task?.index ?? 0))
    return subAgentOf(task?.[1], use?.[1])
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
