import { isRecord, type JsonRecord } from "#ground/base"
import { userText, withoutInjectedContext } from "#see/hosts"
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

export function readCodexLine(
  line: JsonRecord,
  state: TranscriptState,
  context: LineContext,
): readonly TranscriptEntry[] {
  noteTime(line, state)
  const payload = isRecord(line["payload"]) ? line["payload"] : {}
  switch (line["type"]) {
    case "session_meta":
      return readMeta(payload, state)
    case "turn_context":
      state.model = field(payload, "model") ?? state.model
      return []
    case "event_msg":
      return readEvent(payload, state, context)
    case "response_item":
      return readItem(payload, state)
    case "compacted":
      return readCompaction(state)
    default:
      return []
  }
}

function readMeta(payload: JsonRecord, state: TranscriptState): readonly TranscriptEntry[] {
  state.cwd ??= field(payload, "cwd") ?? null
  state.version = field(payload, "cli_version") ?? state.version
  state.branch = field(payload["git"], "branch") ?? state.branch
  const { source } = payload
  state.isSubAgent ||= isRecord(source) && Object.hasOwn(source, "subagent")
  return []
}

function readEvent(
  payload: JsonRecord,
  state: TranscriptState,
  { sessionId }: LineContext,
): readonly TranscriptEntry[] {
  const prompt = userText(payload)
  if (prompt !== "") return readPrompt(withoutInjectedContext(prompt), state)
  switch (payload["type"]) {
    case "agent_message":
      return readAnswer(field(payload, "message") ?? "", state)
    case "item_completed":
      return readCompletedItem(payload["item"], state)
    case "token_count":
      notePlanWindows(payload["rate_limits"], state)
      return readUsage(payload["info"], state, sessionId)
    case "context_compacted":
      return readCompaction(state)
    default:
      return []
  }
}

/** Rollouts have a message as an event and as an item; the second one is left out. */
function readPrompt(text: string, state: TranscriptState): readonly TranscriptEntry[] {
  const digest = digestOf(text)
  if (digest === state.lastPrompt) {
    state.lastPrompt = null
    return []
  }
  state.lastPrompt = digest
  state.lastAnswer = null
  state.turn += 1
  setTitle(state, text, 1)
  return [{ kind: "text", role: "user", text }]
}

function readAnswer(text: string, state: TranscriptState): readonly TranscriptEntry[] {
  const digest = digestOf(text)
  if (text === "" || digest === state.lastAnswer) return []
  state.lastAnswer = digest
  return [{ kind: "text", role: "assistant", text }]
}

function readCompletedItem(item: unknown, state: TranscriptState): readonly TranscriptEntry[] {
  if (!isRecord(item)) return []
  if (item["type"] === "AgentMessage") return readAnswer(plainText(item["content"]), state)
  if (item["type"] !== "FileChange" || !isRecord(item["changes"])) return []
  return Object.keys(item["changes"]).map((path) => ({ kind: "path", path, how: "edit" }))
}

function readItem(payload: JsonRecord, state: TranscriptState): readonly TranscriptEntry[] {
  const id = field(payload, "call_id")
  if (id === undefined) return []
  switch (payload["type"]) {
    case "function_call":
    case "custom_tool_call": {
      const tool = field(payload, "name") ?? "unknown"
      openCall(state, id, tool)
      return callEntries(tool, payload["arguments"] ?? payload["input"])
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const tool = closeCall(state, id) ?? "unknown"
      return [{ kind: "text", role: "result", text: plainText(payload["output"]), tool }]
    }
    default:
      return []
  }
}

/**
 * Codex reports totals, and repeats them when only its limits changed. A call is the difference to
 * the totals before; totals that fell started again.
 */
function readUsage(
  info: unknown,
  state: TranscriptState,
  sessionId: string,
): readonly TranscriptEntry[] {
  if (!isRecord(info)) return []
  state.windowTokens = tokensIn(info, "model_context_window") || state.windowTokens
  const total = info["total_token_usage"]
  const names = ["input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens"]
  const now = names.map((name) => tokensIn(total, name))
  const isRestart = now.some((it, index) => it < (state.totals[index] ?? 0))
  const differences = now.map((it, index) => it - (isRestart ? 0 : (state.totals[index] ?? 0)))
  const [prompt = 0, cacheRead = 0, cacheWrite = 0, output = 0] = differences
  state.totals = now
  if (prompt === 0 && output === 0) return []
  const input = Math.max(0, prompt - cacheRead - cacheWrite)
  return [
    {
      kind: "call",
      key: `${sessionId}:${now.join(":")}`,
      model: state.model ?? "unknown",
      tokens: { input, output, cacheRead, cacheWrite, cacheWriteHour: 0 },
    },
  ]
}

/** Seen on 0.166.0, which copies them from the headers of the provider's responses. */
function notePlanWindows(limits: unknown, state: TranscriptState): void {
  const at = state.endedAt
  if (!isRecord(limits) || at === null) return
  const windows = [limits["primary"], limits["secondary"]].flatMap((it) => {
    const usedPercent = isRecord(it) ? it["used_percent"] : undefined
    if (typeof usedPercent !== "number" || !(usedPercent >= 0)) return []
    const windowMinutes = tokensIn(it, "window_minutes") || null
    return [{ windowMinutes, usedPercent, resetsAt: tokensIn(it, "resets_at") * 1_000 || null, at }]
  })
  if (windows.length > 0) state.planWindows = windows
}

/** A compaction is a line and an event at the same time. */
function readCompaction(state: TranscriptState): readonly TranscriptEntry[] {
  const at = state.endedAt
  const isSame = at !== null && state.compactedAt !== null && at - state.compactedAt < 2_000
  state.compactedAt = at
  return isSame ? [] : [{ kind: "compaction", cause: "auto", before: null, after: null }]
}
