import { type Hearing, hear } from "../../codex/hear.ts"
import type { Telling } from "../../wire/telling.ts"
import { isRecord, textField } from "../../wire/text.ts"
import { type Calls, createCalls } from "./codex-calls.ts"
import { itemOf, tokenUsageOf } from "./codex-items.ts"
import { userText } from "./look.ts"
import { entryOf, type Facts, newFacts, type TranscriptReader } from "./reader.ts"

type Line = Readonly<Record<string, unknown>>

type State = {
  readonly telling: Telling
  readonly hearing: Hearing
  readonly facts: Facts
  readonly calls: Calls
  /** Rollouts of before tell messages twice in other words; where there are items, these count. */
  hasItems: boolean
}

/** A rollout of Codex, in the words of its app-server: items and turns differ in spelling only. */
export function createCodexReader(telling: Telling): TranscriptReader {
  const hearing: Hearing = {
    telling,
    threadId: undefined,
    turnId: undefined,
    callers: new Map(),
    about: new Map(),
    lastText: "",
    denials: 0,
    resolved() {},
  }
  const facts = newFacts()
  const calls = createCalls(telling)
  const state: State = { telling, hearing, facts, calls, hasItems: false }
  return {
    facts,
    line(line, raw) {
      const payload = isRecord(line["payload"]) ? line["payload"] : {}
      const isTold = entryOf(TELLERS, line["type"])?.(state, payload, raw) ?? false
      if (!isTold) facts.skipped += 1
    },
    // A sub-agent of Codex has a rollout of its own among the others, under an id of its own.
    childOf: () => undefined,
    childLine() {},
  }
}

/** True when something was told or noted. */
type Teller = (state: State, payload: Line, raw: string) => boolean

const TELLERS: Readonly<Record<string, Teller>> = {
  session_meta: tellSession,
  turn_context: noteTurn,
  event_msg: tellEvent,
  response_item: ({ calls }, payload, raw) => calls.hear(payload, raw),
  compacted: tellCompacted,
}

/** Its line holds the whole base prompt of the host, which is not ours to keep beside it. */
function tellSession({ facts, hearing, telling }: State, payload: Line): boolean {
  const sessionId = textField(payload, "id", "session_id")
  const cwd = textField(payload, "cwd")
  if (facts.sessionId !== null || sessionId === undefined || cwd === undefined) return false
  const version = textField(payload, "cli_version")
  Object.assign(facts, { sessionId, cwd, version: version ?? null })
  hearing.threadId = sessionId
  telling.say({ event: "session.started", sessionId, cwd, version })
  return true
}

function noteTurn({ facts }: State, payload: Line): boolean {
  facts.model = textField(payload, "model") ?? facts.model
  return facts.model !== null
}

const EVENTS: Readonly<Record<string, Teller>> = {
  task_started: (state, payload, raw) => tellTurn(state, payload, { raw, status: "inProgress" }),
  task_complete: (state, payload, raw) => tellTurn(state, payload, { raw, status: "completed" }),
  turn_aborted: (state, payload, raw) => tellTurn(state, payload, { raw, status: "interrupted" }),
  item_completed: tellItem,
  token_count: tellUsage,
  user_message: (state, payload, raw) => !state.hasItems && tellUser(state, payload, raw),
  agent_message: tellOldWords,
  context_compacted: tellCompacted,
  error: tellError,
  stream_error: tellError,
  warning: tellWords,
  background_event: tellWords,
}

function tellEvent(state: State, payload: Line, raw: string): boolean {
  return entryOf(EVENTS, payload["type"])?.(state, payload, raw) ?? false
}

function tellTurn(
  state: State,
  payload: Line,
  it: { readonly raw: string; readonly status: string },
): boolean {
  const { hearing, telling } = state
  const isStart = it.status === "inProgress"
  // A turn that was begun and not ended ended with its process.
  if (isStart && telling.isTurning()) telling.say({ event: "turn.ended", outcome: "stopped" })
  if (!isStart && hearing.lastText === "") {
    hearing.lastText = textField(payload, "last_agent_message") ?? ""
  }
  const duration = payload["duration_ms"]
  const durationMs = typeof duration === "number" && duration >= 0 ? duration : undefined
  const turn = { id: textField(payload, "turn_id") ?? "turn", status: it.status, durationMs }
  pass(state, {
    method: isStart ? "turn/started" : "turn/completed",
    params: { turn },
    raw: it.raw,
  })
  state.calls.forget()
  return true
}

/** To the app-server's own hearer, as if it had come from this thread. */
function pass(
  { hearing }: State,
  it: { readonly method: string; readonly params: object; readonly raw: string },
): void {
  hear(hearing, { ...it, params: { threadId: hearing.threadId ?? "", ...it.params } })
}

function tellItem(state: State, payload: Line, raw: string): boolean {
  state.hasItems = true
  if (userText(payload) !== "") return tellUser(state, payload, raw)
  const item = itemOf(payload["item"])
  if (item === undefined) return false
  state.calls.told(item.id)
  pass(state, { method: "item/completed", params: { item }, raw })
  return true
}

function tellUser({ telling, facts }: State, payload: Line, raw: string): boolean {
  const text = userText(payload)
  if (text === "") return false
  facts.title ??= text
  telling.say({ event: "message", type: "user", text }, raw)
  return true
}

function tellOldWords(state: State, payload: Line, raw: string): boolean {
  const text = textField(payload, "message")
  if (state.hasItems || text === undefined) return false
  const item = { type: "agentMessage", id: "message", text }
  pass(state, { method: "item/completed", params: { item }, raw })
  return true
}

function tellUsage(state: State, payload: Line, raw: string): boolean {
  const tokenUsage = tokenUsageOf(payload["info"])
  if (tokenUsage === undefined) return false
  const { inputTokens, cachedInputTokens: cacheRead, outputTokens: output } = tokenUsage.total
  const { cacheWriteInputTokens: cacheWrite } = tokenUsage.total
  const input = Math.max(0, inputTokens - cacheRead - cacheWrite)
  state.facts.usage = { input, output, cacheRead, cacheWrite }
  pass(state, { method: "thread/tokenUsage/updated", params: { tokenUsage }, raw })
  return true
}

function tellCompacted(state: State, _payload: Line, raw: string): boolean {
  pass(state, { method: "thread/compacted", params: {}, raw })
  return true
}

function tellError({ telling }: State, payload: Line, raw: string): boolean {
  const message = textField(payload, "message")
  if (message !== undefined) telling.say({ event: "error", message }, raw)
  return message !== undefined
}

function tellWords({ telling }: State, payload: Line, raw: string): boolean {
  const text = textField(payload, "message")
  if (text !== undefined) telling.say({ event: "message", type: "system", text }, raw)
  return text !== undefined
}
