import type { ToolOutput, Verdict } from "#choose/guard"
import { isOwnTool, isRecord } from "#ground/base"
import type { KitHost } from "#ground/contract"
import {
  type Dialect,
  type Fields,
  fieldsIn,
  type HookAnswer,
  type HostCall,
  type HostEvent,
  listIn,
  textIn,
  tokensOf,
} from "./dialect.ts"

/** Claude Code 2.1.325, verified with the real program. */
export const claudeCode: Dialect = { host: "claude-code", parse, format: formatAsClaudeCode }

function parse(call: HostCall): HostEvent | undefined {
  return parseAsClaudeCode(call, "claude-code")
}

export function parseAsClaudeCode(call: HostCall, host: KitHost): HostEvent | undefined {
  const base = baseOf(call, host)
  if (base === undefined) return undefined
  const { payload } = call
  switch (textIn(payload, "hook_event_name")) {
    case "SessionStart":
      return sessionStart(base, payload)
    case "PreCompact":
      return {
        ...base,
        kind: "before-compact",
        trigger: textIn(payload, "trigger") ?? "",
        ...transcriptIn(payload),
      }
    case "UserPromptSubmit":
      return promptEvent(base, payload)
    case "PreToolUse":
      return beforeTool(base, payload)
    case "PostToolUse":
      return afterTool(base, payload)
    case "SubagentStart":
      return agentStart(base, payload)
    case "Stop":
      return stop(base, payload)
    case "InstructionsLoaded":
      return loaded(base, payload)
    default:
      return undefined
  }
}

function sessionStart(base: EventBase, payload: Fields): HostEvent {
  const source = textIn(payload, "source") ?? "startup"
  return { ...base, kind: "session-start", source, ...transcriptIn(payload) }
}

function transcriptIn(payload: Fields): { readonly transcript?: string } {
  const transcript = textIn(payload, "transcript_path")
  return transcript === undefined ? {} : { transcript }
}

export type EventBase = Pick<HostEvent, "host" | "session" | "directory" | "at" | "agent">

/** Fields that every event of a Claude Code-like host has; undefined when one is missing. */
export function baseOf({ payload, at }: HostCall, host: KitHost): EventBase | undefined {
  const session = textIn(payload, "session_id")
  const directory = textIn(payload, "cwd")
  if (session === undefined || directory === undefined) return undefined
  return { host, session, directory, at }
}

/** The payload of a tool names the sub-agent that calls it. */
export function actorIn(payload: Fields): Pick<HostEvent, "agent"> {
  const agent = textIn(payload, "agent_type")
  return agent === undefined ? {} : { agent }
}

function beforeTool(session: EventBase, payload: Fields): HostEvent | undefined {
  const base = { ...session, ...actorIn(payload) }
  const tool = textIn(payload, "tool_name") ?? ""
  const input = fieldsIn(payload, "tool_input")
  if (AGENT_TOOLS.has(tool)) return beforeAgent(base, input)
  const paths = editedPaths(tool, input)
  if (paths.length > 0) return { ...base, kind: "before-edit", tool, paths }
  return toolEvent(base, payload, pathsIn(input))
}

/** Any other tool; without a name or an input there is nothing to judge. */
export function toolEvent(
  base: EventBase,
  payload: Fields,
  paths: readonly string[],
): HostEvent | undefined {
  const tool = textIn(payload, "tool_name")
  if (tool === undefined || !isRecord(payload["tool_input"])) return undefined
  const command = commandIn(fieldsIn(payload, "tool_input"))
  return { ...base, kind: "before-tool", tool, paths, ...(command !== "" && { command }) }
}

/** Of a shell tool: a text, or a list of words in some versions of Codex. */
export function commandIn(input: Fields): string {
  const text = textIn(input, "command") ?? textIn(input, "cmd")
  if (text !== undefined) return text
  return listIn(input, "command")
    .filter((it) => typeof it === "string")
    .join(" ")
}

export function promptEvent(base: EventBase, payload: Fields): HostEvent | undefined {
  const prompt = textIn(payload, "prompt")
  return prompt === undefined ? undefined : { ...base, kind: "prompt", prompt }
}

function afterTool(base: EventBase, payload: Fields): HostEvent | undefined {
  const tool = textIn(payload, "tool_name")
  if (tool === undefined) return undefined
  const input = fieldsIn(payload, "tool_input")
  const edited = editedPaths(tool, input)
  // The response of an edit contains the whole previous file; the model sees little more than its
  // own input.
  if (edited.length > 0) {
    return { ...base, kind: "after-edit", tool, paths: edited, tokens: tokensOf(input, "claude") }
  }
  const response = tokensOf(payload["tool_response"], "claude") + lineNumbersOf(payload)
  const tokens = tokensOf(input, "claude") + response
  const output = outputOf(tool, payload["tool_response"])
  return {
    ...base,
    kind: "after-tool",
    tool,
    paths: pathsIn(input),
    tokens,
    ...(output !== undefined && { output }),
  }
}

/** Fields with the text of an output, by tool; the host takes a replacement only in the same form. */
const TEXT_FIELDS: Readonly<Record<string, string>> = {
  Bash: "stdout",
  Grep: "content",
  WebFetch: "result",
}

/** Beside a digest, an error output is shown up to here. */
const LONGEST_STDERR_UNITS = 2_000

function outputOf(tool: string, response: unknown): ToolOutput | undefined {
  const name = TEXT_FIELDS[tool]
  if (name !== undefined && isRecord(response)) {
    const text = textIn(response, name)
    if (text === undefined) return undefined
    const stderr = textIn(response, "stderr")
    const shortened = stderr === undefined ? {} : { stderr: stderr.slice(0, LONGEST_STDERR_UNITS) }
    return { text, replaced: (digest) => ({ ...response, ...shortened, [name]: digest }) }
  }
  const isForeign = tool.startsWith("mcp__") && !isOwnTool(tool)
  return isForeign ? mcpOutput(response) : undefined
}

/** A list of blocks, or a text. Pictures stay. */
function mcpOutput(response: unknown): ToolOutput | undefined {
  if (typeof response === "string") return { text: response, replaced: (digest) => digest }
  if (!Array.isArray(response)) return undefined
  const blocks = response.filter(isRecord)
  const isText = (block: Fields): boolean => block["type"] === "text"
  const text = blocks
    .filter(isText)
    .map((it) => textIn(it, "text") ?? "")
    .join("\n")
  const others = blocks.filter((it) => !isText(it))
  return { text, replaced: (digest) => [{ type: "text", text: digest }, ...others] }
}

/** The model gets each line of a file with its number, which the response does not contain. */
const TOKENS_PER_LINE_NUMBER = 2

function lineNumbersOf(payload: Fields): number {
  const lines = fieldsIn(fieldsIn(payload, "tool_response"), "file")["numLines"]
  return Number.isSafeInteger(lines) ? Math.max(0, Number(lines)) * TOKENS_PER_LINE_NUMBER : 0
}

const EDIT_TOOLS: ReadonlySet<string> = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"])
/** The tool was called Task before; both names are in use. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(["Agent", "Task"])

export function editedPaths(tool: string, input: Fields): readonly string[] {
  return EDIT_TOOLS.has(tool) ? pathsIn(input) : []
}

function pathsIn(input: Fields): readonly string[] {
  const path = textIn(input, "file_path") ?? textIn(input, "notebook_path")
  return path === undefined ? [] : [path]
}

/** Without a type it is the general one, which the start event will name. */
function beforeAgent(base: EventBase, input: Fields): HostEvent | undefined {
  const prompt = textIn(input, "prompt")
  const agentType = textIn(input, "subagent_type") ?? "general-purpose"
  return prompt === undefined ? undefined : { ...base, kind: "before-agent", agentType, prompt }
}

/** A compaction runs as a fork without a type and is no agent. */
export function agentStart(base: EventBase, payload: Fields): HostEvent | undefined {
  const agentType = textIn(payload, "agent_type")
  const agentId = textIn(payload, "agent_id")
  if (agentType === undefined || agentId === undefined) return undefined
  return { ...base, kind: "agent-start", agentType, agentId }
}

export function stop(base: EventBase, payload: Fields): HostEvent {
  const isBusy =
    listIn(payload, "background_tasks").length > 0 || listIn(payload, "session_crons").length > 0
  return { ...base, kind: "stop", isAgain: payload["stop_hook_active"] === true, isBusy }
}

function loaded(base: EventBase, payload: Fields): HostEvent | undefined {
  const file = textIn(payload, "file_path")
  if (file === undefined) return undefined
  return {
    ...base,
    kind: "loaded",
    file,
    memoryKind: textIn(payload, "memory_type") ?? "",
    reason: textIn(payload, "load_reason") ?? "",
    parent: textIn(payload, "parent_file_path"),
  }
}

/** Events whose answer may contain text for the model. At a stop, text would force another turn. */
const WITH_CONTEXT: ReadonlySet<string> = new Set([
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "SubagentStart",
])

export function formatAsClaudeCode(
  hookEventName: string | undefined,
  verdict: Verdict,
): HookAnswer | string | undefined {
  if (verdict.kind === "silent" || hookEventName === undefined) return undefined
  // Plain text becomes an instruction of the summary; JSON would come after it.
  if (hookEventName === "PreCompact") return verdict.text
  const { kind, text } = verdict
  if (kind === "block") {
    return hookEventName === "Stop" ? { decision: "block", reason: text } : undefined
  }
  if (kind === "deny" || kind === "ask") {
    if (hookEventName !== "PreToolUse") return undefined
    const refusal = { permissionDecision: kind, permissionDecisionReason: text }
    return { hookSpecificOutput: { hookEventName, ...refusal } }
  }
  if (!WITH_CONTEXT.has(hookEventName)) return undefined
  const context = text === "" ? {} : { additionalContext: text }
  const isReplaced = verdict.output !== undefined && hookEventName === "PostToolUse"
  const replaced = isReplaced ? { updatedToolOutput: verdict.output } : {}
  return { hookSpecificOutput: { hookEventName, ...context, ...replaced } }
}
