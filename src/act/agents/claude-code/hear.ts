import type { AgentMode } from "#ground/contract"
import type { Telling } from "../wire/telling.ts"
import { inputText, isRecord } from "../wire/text.ts"
import { tellCall, tellCost } from "./counts.ts"
import { type Block, Compacted, Init, Result, Retry, StreamEvent, Task, Turn } from "./shapes.ts"
import { diffOf, kindOf, pathOf, titleOf } from "./tools.ts"

type Line = Readonly<Record<string, unknown>>

export type Hearing = {
  readonly telling: Telling
  mode(): AgentMode
  /** Whether the running turn was asked to end. */
  isInterrupted(): boolean
  /** By activity: what its task said about itself before the result came. */
  readonly tasks: Map<string, { readonly tokens: number; readonly durationMs: number }>
  /** The call whose use was told last; absent where only the whole is wanted. */
  readonly lastCall?: { id: string }
}

/** Said by the host about itself; nothing a transcript needs. */
const SILENT: ReadonlySet<string> = new Set([
  "system/status",
  "system/task_started",
  "system/task_updated",
  "system/hook_started",
  "system/hook_progress",
  "system/hook_response",
  "system/commands_changed",
  "system/ui_invalidate",
  "system/session_state_changed",
  "system/thinking_tokens",
  "system/background_tasks_changed",
  "system/command_lifecycle",
  "command_lifecycle",
  "tool_progress",
  "rate_limit_event",
  "keep_alive",
])

/** One line of the stream that is no control message, told in our words. */
export function hear(hearing: Hearing, line: Line, raw: string): void {
  const name = nameOf(line)
  const tell = Object.hasOwn(TELLERS, name) ? TELLERS[name] : undefined
  if (tell !== undefined) {
    const isTold = tell(hearing, line, raw)
    if (!isTold) hearing.telling.unknown(name, raw)
  } else if (!SILENT.has(name)) hearing.telling.unknown(name, raw)
}

function nameOf(line: Line): string {
  const type = typeof line["type"] === "string" ? line["type"] : "a message without a type"
  const subtype = typeof line["subtype"] === "string" ? line["subtype"] : "without a subtype"
  return type === "system" ? `system/${subtype}` : type
}

/** True when the line was what its name says. */
type Teller = (hearing: Hearing, line: Line, raw: string) => boolean

const TELLERS: Readonly<Record<string, Teller>> = {
  "system/init": tellInit,
  "system/compact_boundary": tellCompacted,
  "system/api_retry": tellRetry,
  "system/informational": tellWords,
  "system/notification": tellWords,
  "system/permission_denied": tellWords,
  "system/task_progress": tellTask,
  "system/task_notification": tellTask,
  assistant: tellTurn,
  user: tellTurn,
  stream_event: tellDelta,
  result: tellResult,
}

function tellInit({ telling, mode }: Hearing, line: Line, raw: string): boolean {
  const init = Init.safeParse(line)
  if (!init.success) return false
  const { session_id: sessionId, cwd, model, claude_code_version: version, tools } = init.data
  telling.say(
    { event: "session.started", sessionId, cwd, model, version, tools, mode: mode() },
    raw,
  )
  telling.say({ event: "turn.started" })
  return true
}

function tellCompacted({ telling }: Hearing, line: Line, raw: string): boolean {
  const compacted = Compacted.safeParse(line)
  if (!compacted.success) return false
  const {
    trigger,
    pre_tokens: tokensBefore,
    post_tokens: tokensAfter,
  } = compacted.data.compact_metadata
  telling.say({ event: "context.compacted", trigger, tokensBefore, tokensAfter }, raw)
  return true
}

function tellRetry({ telling }: Hearing, line: Line, raw: string): boolean {
  const retry = Retry.safeParse(line)
  if (!retry.success) return false
  const { attempt, max_retries: most, error, error_status: status } = retry.data
  const reason = [error, status].filter((it) => it !== null && it !== undefined).join(" ")
  const message = `The model did not answer (${reason}); try ${attempt} of ${most} follows.`
  telling.say({ event: "error", message }, raw)
  return true
}

function tellWords({ telling }: Hearing, line: Line, raw: string): boolean {
  const text = line["content"] ?? line["message"] ?? line["text"]
  if (typeof text !== "string") return false
  telling.say({ event: "message", type: "system", text }, raw)
  return true
}

function tellTask({ telling, tasks }: Hearing, line: Line, raw: string): boolean {
  const task = Task.safeParse(line)
  if (!task.success) return true
  const { tool_use_id: activityId, usage, description } = task.data
  if (usage !== undefined) {
    tasks.set(activityId, { tokens: usage.total_tokens, durationMs: usage.duration_ms })
  }
  if (line["subtype"] === "task_progress") {
    telling.say({ event: "activity.updated", activityId, title: description }, raw)
  }
  return true
}

function tellDelta({ telling }: Hearing, line: Line): boolean {
  const delta = StreamEvent.safeParse(line)
  if (!delta.success) return false
  const { event, parent_tool_use_id: parent } = delta.data
  const isText = event.type === "content_block_delta" && event.delta?.type === "text_delta"
  const text = isText ? event.delta?.text : undefined
  if (text !== undefined) {
    telling.say({ event: "text.delta", text, parentId: parent ?? undefined })
  }
  return true
}

function tellTurn(hearing: Hearing, line: Line, raw: string): boolean {
  const turn = Turn.safeParse(line)
  if (!turn.success) return false
  for (const block of turn.data.message.content)
    tellBlock(hearing, { block, turn: turn.data, line, raw })
  tellCall(hearing, turn.data)
  return true
}

type InTurn = {
  readonly block: Block
  readonly turn: Turn
  readonly line: Line
  readonly raw: string
}

function tellBlock(hearing: Hearing, it: InTurn): void {
  const { telling } = hearing
  const { block, raw } = it
  const parentId = it.turn.parent_tool_use_id ?? undefined
  switch (block.type) {
    case "text": {
      const type = it.line["type"] === "assistant" ? "assistant" : "user"
      return telling.say({ event: "message", type, text: block.text, parentId }, raw)
    }
    case "tool_use": {
      const { id: activityId, name: tool, input } = block
      const title = titleOf(tool, input, telling.redact)
      const about = { kind: kindOf(tool), title, path: pathOf(input) }
      const given = inputText(input)
      return telling.say(
        { event: "activity.started", activityId, parentId, tool, ...about, input: given },
        raw,
      )
    }
    case "tool_result":
      return tellToolResult(hearing, { ...it, block })
    default:
      return block satisfies never
  }
}

function tellToolResult(
  { telling, tasks }: Hearing,
  it: InTurn & { readonly block: Extract<Block, { type: "tool_result" }> },
): void {
  const activityId = it.block.tool_use_id
  const decision = it.turn.tool_result_meta?.find((meta) => meta.id === activityId)
  const isDenied = decision?.permission_decision?.decision === "reject"
  const bad = isDenied ? "denied" : "failed"
  const outcome = it.block.is_error === true ? bad : "done"
  const task = tasks.get(activityId)
  tasks.delete(activityId)
  const output = resultText(it.block.content)
  const diff = diffOf(it.turn.tool_use_result)
  telling.say({ event: "activity.ended", activityId, outcome, output, diff, ...task }, it.raw)
}

/** A result is a text, or blocks of which some are texts. */
function resultText(content: unknown): string {
  if (!Array.isArray(content)) return inputText(content)
  const texts = content.map((it: unknown) =>
    isRecord(it) && typeof it["text"] === "string" ? it["text"] : "",
  )
  return texts.filter((it) => it !== "").join("\n")
}

function tellResult({ telling, isInterrupted }: Hearing, line: Line, raw: string): boolean {
  const parsed = Result.safeParse(line)
  if (!parsed.success) return false
  const result = parsed.data
  tellCost(telling, result)
  const text = result.result ?? ""
  const whole = isFailed(result) ? "failed" : "completed"
  const outcome = isInterrupted() ? "stopped" : whole
  const error = outcome === "failed" ? (result.errors?.join(" ") ?? text) : undefined
  const durationMs = result.duration_ms === undefined ? undefined : Math.round(result.duration_ms)
  const denials = result.permission_denials.length
  telling.say(
    { event: "turn.ended", outcome, text, error, turns: result.num_turns, durationMs, denials },
    raw,
  )
  return true
}

/** An API failure is called success by its subtype; only is_error tells. */
function isFailed(result: Result): boolean {
  return result.is_error
}

type Result = ReturnType<typeof Result.parse>
