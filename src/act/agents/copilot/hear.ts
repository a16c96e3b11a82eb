import type { ActivityKind } from "#ground/contract"
import type { Telling } from "../wire/telling.ts"
import { inputText, oneLine, textField } from "../wire/text.ts"
import {
  AssistantMessage,
  Compacted,
  MessageDelta,
  ShellOutput,
  ToolComplete,
  ToolStart,
  Words,
} from "./shapes.ts"

export type Hearing = {
  readonly telling: Telling
  /** Of the running turn. */
  lastText: string
  lastError: string | undefined
  denials: number
}

/** Said by the host about itself, or told again by what comes later. */
const SILENT =
  /^(?:session\.(?!error|warning|compaction_complete)|model\.|hook\.|permission\.|subagent\.|user\.|pending_|system\.message|external_tool\.|assistant\.(?!message$|message_delta$)|tool\.(?:execution_partial_result|execution_progress|user_requested))/

type Heard = { readonly data: unknown; readonly raw: string }
/** True when the event was what its name says. */
type Teller = (hearing: Hearing, it: Heard) => boolean

/** One event of the host, told in our words. */
export function hear(hearing: Hearing, type: string, it: Heard): void {
  const tell = TELLERS[type]
  if (tell === undefined && SILENT.test(type)) return
  const isTold = tell?.(hearing, it) ?? false
  if (!isTold) hearing.telling.unknown(type, it.raw)
}

const TELLERS: Readonly<Record<string, Teller>> = {
  "assistant.message_delta": tellDelta,
  "assistant.message": tellMessage,
  "tool.execution_start": tellToolStart,
  "tool.shell_output": tellOutput,
  "tool.execution_complete": tellToolEnd,
  "session.compaction_complete": tellCompacted,
  "session.error": tellError,
  "session.warning": tellWords,
  "system.notification": tellWords,
}

function tellDelta({ telling }: Hearing, { data }: Heard): boolean {
  const delta = MessageDelta.safeParse(data)
  if (!delta.success) return false
  const { deltaContent: text, parentToolCallId: parentId } = delta.data
  telling.say({ event: "text.delta", text, parentId })
  return true
}

function tellMessage(hearing: Hearing, { data, raw }: Heard): boolean {
  const message = AssistantMessage.safeParse(data)
  if (!message.success) return false
  const { content: text, parentToolCallId: parentId } = message.data
  if (text === "") return true
  if (parentId === undefined) Object.assign(hearing, { lastText: text })
  hearing.telling.say({ event: "message", type: "assistant", text, parentId }, raw)
  return true
}

const KINDS: Readonly<Record<string, ActivityKind>> = {
  view: "read",
  create: "edit",
  edit: "edit",
  str_replace: "edit",
  apply_patch: "edit",
  bash: "command",
  write_bash: "command",
  read_bash: "command",
  powershell: "command",
  grep: "search",
  glob: "search",
  rg: "search",
  web_fetch: "fetch",
  task: "agent",
  update_todo: "plan",
  exit_plan_mode: "plan",
}

function tellToolStart({ telling }: Hearing, { data, raw }: Heard): boolean {
  const start = ToolStart.safeParse(data)
  if (!start.success) return false
  const { toolCallId: activityId, toolName: tool, arguments: input, parentToolCallId } = start.data
  const kind = start.data.mcpServerName === undefined ? (KINDS[tool] ?? "other") : "mcp"
  const path = textField(input, "path", "file_path")
  const about =
    path ?? textField(input, "description", "command", "pattern", "query", "url", "prompt")
  telling.say(
    {
      event: "activity.started",
      activityId,
      parentId: parentToolCallId,
      kind,
      tool,
      title: oneLine(telling.redact(`${tool} ${about ?? start.data.toolTitle ?? ""}`)),
      input: inputText(input),
      path,
    },
    raw,
  )
  return true
}

function tellOutput({ telling }: Hearing, { data }: Heard): boolean {
  const output = ShellOutput.safeParse(data)
  if (!output.success) return false
  telling.output(output.data.toolCallId, output.data.text)
  return true
}

function tellToolEnd(hearing: Hearing, { data, raw }: Heard): boolean {
  const complete = ToolComplete.safeParse(data)
  if (!complete.success) return false
  const { toolCallId: activityId, success, result, error, toolTelemetry } = complete.data
  const isDenied = error?.code === "denied"
  if (isDenied) Object.assign(hearing, { denials: hearing.denials + 1 })
  const bad = isDenied ? "denied" : "failed"
  const output = result?.content ?? error?.message ?? ""
  const diff = result?.detailedContent?.trimStart()
  hearing.telling.say(
    {
      event: "activity.ended",
      activityId,
      outcome: success ? "done" : bad,
      output,
      diff: diff?.startsWith("diff --git ") === true ? diff : undefined,
    },
    raw,
  )
  if (toolTelemetry !== undefined) {
    const { context_current_tokens: used, context_token_limit: window } = toolTelemetry.metrics
    hearing.telling.say({ event: "context.usage", used, window })
  }
  return true
}

function tellCompacted({ telling }: Hearing, { data, raw }: Heard): boolean {
  const compacted = Compacted.safeParse(data)
  if (!compacted.success) return false
  const { preCompactionTokens: tokensBefore, postCompactionTokens: tokensAfter } = compacted.data
  telling.say({ event: "context.compacted", trigger: "auto", tokensBefore, tokensAfter }, raw)
  return true
}

function tellError(hearing: Hearing, { data, raw }: Heard): boolean {
  const words = Words.safeParse(data)
  const message = words.success ? (words.data.message ?? words.data.content) : undefined
  if (message === undefined) return false
  Object.assign(hearing, { lastError: message })
  hearing.telling.say({ event: "error", message }, raw)
  return true
}

function tellWords({ telling }: Hearing, { data, raw }: Heard): boolean {
  const words = Words.safeParse(data)
  const text = words.success ? (words.data.message ?? words.data.content) : undefined
  if (text === undefined) return false
  telling.say({ event: "message", type: "system", text }, raw)
  return true
}
