import { isRecord, type JsonRecord } from "#ground/base"
import { withoutInjectedContext } from "#see/hosts"
import {
  callEntries,
  closeCall,
  digestOf,
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

/** Events of `~/.copilot/session-state/<id>/events.jsonl`, seen on 1.0.102. */
export function readCopilotLine(
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
): readonly TranscriptEntry[] {
  noteTime(line, state)
  const data = isRecord(line["data"]) ? line["data"] : {}
  switch (line["type"]) {
    case "session.start":
    case "session.resume":
      state.cwd ??= field(data, "cwd") ?? field(data["context"], "cwd") ?? null
      state.branch = field(data["context"], "branch") ?? state.branch
      state.version = field(data, "copilotVersion", "version") ?? state.version
      return []
    case "user.message":
      return readPrompt(plainText(data["content"]), state)
    case "assistant.message":
      return answerEntries(plainText(data["content"]))
    case "tool.execution_start": {
      const tool = field(data, "toolName") ?? "unknown"
      openCall(state, field(data, "toolCallId") ?? "", tool)
      return callEntries(tool, data["arguments"])
    }
    case "tool.execution_complete": {
      const tool = closeCall(state, field(data, "toolCallId") ?? "") ?? "unknown"
      return [{ kind: "text", role: "result", text: plainText(data["result"]), tool }]
    }
    case "session.compaction_complete": {
      const before = tokensIn(data, "preCompactionTokens") || null
      const after = tokensIn(data, "postCompactionTokens") || null
      return [{ kind: "compaction", cause: "auto", before, after }]
    }
    case "session.shutdown":
      return modelMetrics(data, context)
    default:
      return []
  }
}

/** Copilot reports tokens per model when a process of the session ends. */
function modelMetrics(data: JsonRecord, { sessionId, position }: LineContext) {
  const metrics = isRecord(data["modelMetrics"]) ? data["modelMetrics"] : {}
  return Object.entries(metrics).map(([model, it]): TranscriptEntry => {
    const usage = isRecord(it) ? it["usage"] : undefined
    const cacheRead = tokensIn(usage, "cacheReadTokens")
    const cacheWrite = tokensIn(usage, "cacheWriteTokens")
    const input = Math.max(0, tokensIn(usage, "inputTokens") - cacheRead - cacheWrite)
    const output = tokensIn(usage, "outputTokens")
    const tokens = { input, output, cacheRead, cacheWrite, cacheWriteHour: 0 }
    return { kind: "call", key: `${sessionId}:${position}:${model}`, model, tokens }
  })
}

/** Lines of `~/.gemini/tmp/<project>/chats/session-….jsonl`; a message is written again when it grows. */
export function readGeminiLine(
  line: JsonRecord,
  state: TranscriptState,
  { sessionId, position }: LineContext,
): readonly TranscriptEntry[] {
  noteTime(line, state)
  if (line["type"] === "user") return readPrompt(plainText(line["content"]), state)
  if (line["type"] !== "gemini") return []
  const text = plainText(line["content"])
  const digest = digestOf(text)
  const isSame = digest === state.lastAnswer
  state.lastAnswer = digest
  const calls = Array.isArray(line["toolCalls"]) ? line["toolCalls"].filter(isRecord) : []
  const isNew = (call: JsonRecord): boolean => {
    const callId = field(call, "id") ?? `${position}`
    const isKnown = Object.hasOwn(state.tools, callId)
    openCall(state, callId, field(call, "name") ?? "unknown")
    return !isKnown
  }
  return [
    ...(isSame ? [] : answerEntries(text)),
    ...calls.filter(isNew).flatMap((call) => {
      const tool = field(call, "name") ?? "unknown"
      const result = plainText(call["resultDisplay"] ?? call["result"])
      return [
        ...callEntries(tool, call["args"]),
        { kind: "text", role: "result", text: result, tool } as const,
      ]
    }),
    ...geminiCall(line, field(line, "id") ?? `${position}`, sessionId),
  ]
}

function geminiCall(
  { model, tokens }: JsonRecord,
  id: string,
  sessionId: string,
): readonly TranscriptEntry[] {
  if (!isRecord(tokens)) return []
  const cacheRead = tokensIn(tokens, "cached")
  const input = Math.max(0, tokensIn(tokens, "input") - cacheRead)
  const output = tokensIn(tokens, "output") + tokensIn(tokens, "thoughts")
  const used = { input, output, cacheRead, cacheWrite: 0, cacheWriteHour: 0 }
  const name = typeof model === "string" ? model : "unknown"
  return [{ kind: "call", key: `${sessionId}:${id}`, model: name, tokens: used }]
}

function readPrompt(text: string, state: TranscriptState): readonly TranscriptEntry[] {
  const prompt = withoutInjectedContext(text)
  if (prompt === "") return []
  state.turn += 1
  setTitle(state, prompt, 1)
  return [{ kind: "text", role: "user", text: prompt }]
}

function answerEntries(text: string): readonly TranscriptEntry[] {
  return text === "" ? [] : [{ kind: "text", role: "assistant", text }]
}

/** Records of messages and their parts, as `see/hosts/transcripts/opencode.ts` reads them. */
export function readOpencodeRecord(
  record: JsonRecord,
  state: TranscriptState,
  { sessionId }: LineContext,
): readonly TranscriptEntry[] {
  noteTime(record, state)
  const { session, message, part } = record
  state.cwd ??= field(session, "directory") ?? null
  state.version = field(session, "version") ?? state.version
  state.isSubAgent ||= field(session, "parent") !== undefined
  const title = field(session, "title")
  if (title !== undefined && !UNTITLED.test(title)) setTitle(state, title, 2)
  const tool = field(part, "tool") ?? "unknown"
  switch (record["type"]) {
    case "message":
      return opencodeCall(record, sessionId)
    case "tool call":
      return callEntries(tool, isRecord(record["state"]) ? record["state"]["input"] : undefined)
    case "tool result": {
      const text = field(record["state"], "output", "error") ?? ""
      return [{ kind: "text", role: "result", text, tool }]
    }
    default:
      return opencodePart(isRecord(part) ? part : {}, isRecord(message) ? message : {}, state)
  }
}

/** The host's title until a model has written one. */
const UNTITLED = /^(?:New|Child) session - \d{4}-\d{2}-\d{2}T/

function opencodePart(
  part: JsonRecord,
  message: JsonRecord,
  state: TranscriptState,
): readonly TranscriptEntry[] {
  if (part["type"] === "compaction") {
    const cause = part["auto"] === false ? "manual" : "auto"
    return [{ kind: "compaction", cause, before: null, after: null }]
  }
  // Texts that the host wrote for the user, such as "Continue if you have next steps".
  if (part["type"] !== "text" || part["synthetic"] === true) return []
  const text = plainText(part["text"])
  if (message["role"] === "user") return state.isSubAgent ? [] : readPrompt(text, state)
  return message["summary"] === true
    ? [{ kind: "text", role: "summary", text }]
    : answerEntries(text)
}

function opencodeCall({ id, message }: JsonRecord, sessionId: string): readonly TranscriptEntry[] {
  if (!isRecord(message) || !isRecord(message["tokens"])) return []
  const { tokens } = message
  const input = tokensIn(tokens, "input")
  const output = tokensIn(tokens, "output") + tokensIn(tokens, "reasoning")
  const cacheRead = tokensIn(tokens["cache"], "read")
  const cacheWrite = tokensIn(tokens["cache"], "write")
  if (input + output + cacheRead + cacheWrite === 0) return []
  const model = field(message, "modelID") ?? "unknown"
  const used = { input, output, cacheRead, cacheWrite, cacheWriteHour: 0 }
  return [{ kind: "call", key: `${sessionId}:${String(id)}`, model, tokens: used }]
}
