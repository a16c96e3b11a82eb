import type { Verdict } from "#choose/guard"
import { isOwnTool } from "#ground/base"
import { parseAsClaudeCode } from "./claude-code.ts"
import { patchedPaths } from "./codex.ts"
import {
  type Dialect,
  type Fields,
  fieldsIn,
  type HookAnswer,
  type HostCall,
  type HostEvent,
  listIn,
  textIn,
} from "./dialect.ts"

/**
 * opencode 1.18.33. Its plugin (`../opencode/plugin.ts`) sends payloads in the form of Claude Code,
 * and applies the answer: `deny` refuses a tool, `context` is text for the model, `output` replaces
 * the output of a tool.
 */
export const opencode: Dialect = { host: "opencode", parse, format }

function parse(call: HostCall): HostEvent | undefined {
  const { payload } = call
  const event = parseAsClaudeCode(call, "opencode")
  const isEdge = event?.kind === "session-start" || event?.kind === "before-compact"
  if (isEdge) return { ...event, facts: factsIn(fieldsIn(payload, "facts")) }
  if (event?.kind !== "before-tool" && event?.kind !== "after-tool") return event
  // The edit tool of GPT models.
  const patched = patchedPaths(textIn(fieldsIn(payload, "tool_input"), "patchText") ?? "")
  if (patched.length > 0) return editOf(event, patched)
  return event.kind === "after-tool" ? withOutput(event, payload) : event
}

type ToolEvent = Extract<HostEvent, { kind: "before-tool" | "after-tool" }>

function editOf(event: ToolEvent, paths: readonly string[]): HostEvent {
  const { host, session, directory, at, tool } = event
  const base = { host, session, directory, at, tool, paths }
  return event.kind === "before-tool"
    ? { ...base, kind: "before-edit" }
    : { ...base, kind: "after-edit", tokens: event.tokens }
}

/** Tools whose whole output the agent needs: a digest would make it read again. */
const WHOLE_TOOLS: ReadonlySet<string> = new Set(["Read", "Task", "skill", "todowrite"])

/** A sub-agent has a session of its own and cannot read the handles of its parent's. */
function withOutput(event: Extract<HostEvent, { kind: "after-tool" }>, payload: Fields): HostEvent {
  const text = textIn(payload, "tool_response")
  const isWhole = WHOLE_TOOLS.has(event.tool) || isOwnTool(event.tool)
  if (text === undefined || isWhole) return event
  const isSubAgent = textIn(payload, "agent_type") !== undefined
  const output = isSubAgent ? { text } : { text, replaced: (digest: string) => digest }
  return { ...event, output }
}

function factsIn(facts: Fields) {
  const texts = (name: string) => listIn(facts, name).filter((it) => typeof it === "string")
  return { prompts: texts("prompts"), reads: texts("reads"), todos: textIn(facts, "todos") ?? "" }
}

function format(eventName: string | undefined, verdict: Verdict): HookAnswer | undefined {
  if (verdict.kind === "silent" || verdict.kind === "block") return undefined
  const { kind, text, output } = verdict
  if (kind === "deny") return { deny: text }
  if (kind === "ask") return { deny: `${text}\nopencode cannot ask here. Ask the user to do it.` }
  const isReplaced = output !== undefined && eventName === "PostToolUse"
  return { ...(text !== "" && { context: text }), ...(isReplaced && { output }) }
}
