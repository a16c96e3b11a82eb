import { isRecord, type JsonRecord } from "#ground/base"
import { isPrompt, textOf, withoutInjectedContext } from "#see/hosts"
import {
  callEntries,
  closeCall,
  field,
  type LineContext,
  noteTime,
  openCall,
  plainText,
  setTitle,
  type TranscriptEntry,
  type TranscriptState,
  tokensIn,
} from "./transcript-state.ts"

/** The host marks its own texts, such as errors, with this model; they cost nothing. */
const NO_MODEL = "<synthetic>"

export function readClaudeLine(
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
): readonly TranscriptEntry[] {
  noteTime(line, state)
  state.cwd ??= field(line, "cwd") ?? null
  state.version = field(line, "version") ?? state.version
  const branch = field(line, "gitBranch")
  if (branch !== undefined && branch !== "HEAD") state.branch = branch
  const isSubAgent = line["isSidechain"] === true
  const entries = ENTRIES.get(line["type"])?.(line, state, context) ?? []
  return isSubAgent ? entries.map((it) => ({ ...it, isSubAgent })) : entries
}

type LineReader = (
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
) => readonly TranscriptEntry[]

const ENTRIES: ReadonlyMap<unknown, LineReader> = new Map<unknown, LineReader>([
  ["user", readUser],
  ["assistant", readAssistant],
  ["system", readCompaction],
  ["custom-title", (line, state) => noteTitle(line, state, 3)],
  ["ai-title", (line, state) => noteTitle(line, state, 2)],
  ["summary", (line, state) => noteTitle(line, state, 2)],
])

function noteTitle(line: JsonRecord, state: TranscriptState, rank: number) {
  setTitle(state, field(line, "customTitle", "aiTitle", "title", "summary"), rank)
  return []
}

function readUser(line: JsonRecord, state: TranscriptState): readonly TranscriptEntry[] {
  const results = blocksOf(line).filter((it) => it["type"] === "tool_result")
  if (results.length > 0) {
    return results.map((it) => ({
      kind: "text",
      role: "result",
      text: plainText(it["content"]),
      tool: closeCall(state, field(it, "tool_use_id") ?? "") ?? "unknown",
    }))
  }
  const text = textOf(line["message"])
  if (line["isCompactSummary"] === true) return [{ kind: "text", role: "summary", text }]
  if (!isPrompt(line)) return []
  const prompt = withoutInjectedContext(text)
  state.turn += 1
  setTitle(state, prompt, 1)
  return [{ kind: "text", role: "user", text: prompt }]
}

function readAssistant(
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
): readonly TranscriptEntry[] {
  const message = isRecord(line["message"]) ? line["message"] : {}
  const model = field(message, "model")
  const entries = blocksOf(line).flatMap((block): readonly TranscriptEntry[] => {
    if (block["type"] === "text") {
      return [{ kind: "text", role: "assistant", text: plainText(block) }]
    }
    const id = field(block, "id")
    if (block["type"] !== "tool_use" || id === undefined) return []
    const tool = field(block, "name") ?? "unknown"
    openCall(state, id, tool)
    return callEntries(tool, block["input"])
  })
  if (model === undefined || model === NO_MODEL || !isRecord(message["usage"])) return entries
  state.model = model
  return [...entries, callOf(line, message, { model, context })]
}

/** Each content block of a message has its own line with the usage of the whole message. */
function callOf(
  line: JsonRecord,
  message: JsonRecord,
  { model, context }: { readonly model: string; readonly context: LineContext },
): TranscriptEntry {
  const { usage } = message
  const id = field(message, "id")
  const request = field(line, "requestId", "request_id") ?? ""
  const lifetimes = isRecord(usage) ? usage["cache_creation"] : undefined
  const written = tokensIn(usage, "cache_creation_input_tokens")
  const cacheWriteHour = Math.min(written, tokensIn(lifetimes, "ephemeral_1h_input_tokens"))
  return {
    kind: "call",
    key: id === undefined ? `${context.sessionId}:${context.position}` : `${id}:${request}`,
    model,
    tokens: {
      input: tokensIn(usage, "input_tokens"),
      output: tokensIn(usage, "output_tokens"),
      cacheRead: tokensIn(usage, "cache_read_input_tokens"),
      cacheWrite: written - cacheWriteHour,
      cacheWriteHour,
    },
  }
}

function readCompaction(line: JsonRecord): readonly TranscriptEntry[] {
  if (line["subtype"] !== "compact_boundary") return []
  const facts = line["compactMetadata"]
  const before = tokensIn(facts, "preTokens")
  const after = tokensIn(facts, "postTokens")
  const cause = field(facts, "trigger") ?? "auto"
  return [{ kind: "compaction", cause, before: before || null, after: after || null }]
}

function blocksOf({ message }: JsonRecord): readonly JsonRecord[] {
  const content = isRecord(message) ? message["content"] : undefined
  if (typeof content === "string") return [{ type: "text", text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}
