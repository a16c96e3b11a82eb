import type { Verdict } from "#choose/guard"
import { isOwnTool, isRecord } from "#ground/base"
import {
  actorIn,
  agentStart,
  baseOf,
  commandIn,
  type EventBase,
  editedPaths,
  formatAsClaudeCode,
  promptEvent,
  stop,
  toolEvent,
} from "./claude-code.ts"
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

/** Codex 0.166.0: the events and answers of Claude Code, with its own tools. */
export const codex: Dialect = { host: "codex", parse, format }

/** Its hooks can deny and cannot ask. */
function format(eventName: string | undefined, verdict: Verdict): HookAnswer | string | undefined {
  if (verdict.kind !== "ask") return formatAsClaudeCode(eventName, verdict)
  const text = `${verdict.text}\nA Codex hook cannot ask for approval. Ask the user to do this step.`
  return formatAsClaudeCode(eventName, { ...verdict, kind: "deny", text })
}

function parse(call: HostCall): HostEvent | undefined {
  const base = baseOf(call, "codex")
  if (base === undefined) return undefined
  const { payload } = call
  switch (textIn(payload, "hook_event_name")) {
    case "SessionStart":
      return { ...base, kind: "session-start", source: textIn(payload, "source") ?? "startup" }
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
    default:
      return undefined
  }
}

function beforeTool(session: EventBase, payload: Fields): HostEvent | undefined {
  const base = { ...session, ...actorIn(payload) }
  const tool = textIn(payload, "tool_name") ?? ""
  const input = fieldsIn(payload, "tool_input")
  if (startsAgent(tool)) return beforeAgent(base, input)
  const paths = changedPaths(tool, input)
  if (paths.length > 0) return { ...base, kind: "before-edit", tool, paths }
  return toolEvent(base, payload, paths)
}

function afterTool(base: EventBase, payload: Fields): HostEvent | undefined {
  const tool = textIn(payload, "tool_name")
  if (tool === undefined) return undefined
  const input = fieldsIn(payload, "tool_input")
  const paths = changedPaths(tool, input)
  const tokens = tokensOf(payload["tool_response"], "o200k") + tokensOf(input, "o200k")
  if (paths.length > 0) return { ...base, kind: "after-edit", tool, paths, tokens }
  // Codex lets no hook replace an output.
  const text = isOwnTool(tool) ? undefined : textIn(payload, "tool_response")
  const output = text === undefined ? {} : { output: { text } }
  return { ...base, kind: "after-tool", tool, paths, tokens, ...output }
}

/** Newer models prefix the name of the tool group: `collaborationspawn_agent`. */
function startsAgent(tool: string): boolean {
  return tool.endsWith("spawn_agent") || tool === "Agent" || tool === "Task"
}

function changedPaths(tool: string, input: Fields): readonly string[] {
  const command = commandIn(input)
  if (tool === "apply_patch") return patchedPaths(command)
  // Hooks see the shell as Bash, whatever the model calls it.
  if (SHELL_TOOLS.has(tool)) return patchedInShell(command)
  return editedPaths(tool, input)
}

const SHELL_TOOLS: ReadonlySet<string> = new Set(["Bash", "exec_command", "shell", "local_shell"])

/**
 * With OpenAI's own models the prompt may be an encrypted blob, one long word; then `task_name` is
 * used.
 */
function isReadable(text: string): boolean {
  const isLatin = /^[\x21-\x7e]*$/.test(text)
  return text !== "" && (text.length <= LONGEST_WORD_UNITS || !isLatin)
}

const LONGEST_WORD_UNITS = 60

/** The prompt is a message or a list of parts; without a type Codex uses the one named default. */
function beforeAgent(base: EventBase, input: Fields): HostEvent | undefined {
  const parts = listIn(input, "items").flatMap((it) =>
    isRecord(it) ? (textIn(it, "text") ?? []) : [],
  )
  const message = textIn(input, "message") ?? textIn(input, "prompt") ?? parts.join("\n")
  const prompt = isReadable(message)
    ? message
    : (textIn(input, "task_name") ?? "").replaceAll("_", " ")
  const agentType = textIn(input, "agent_type") ?? textIn(input, "subagent_type") ?? "default"
  return prompt === "" ? undefined : { ...base, kind: "before-agent", agentType, prompt }
}

const MOST_PATCHED_FILES = 200

const BEGIN = "*** Begin Patch"
const FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/

export function patchedPaths(text: string): readonly string[] {
  const begin = text.indexOf(BEGIN)
  if (begin === -1) return []
  const paths = new Set<string>()
  for (const line of text.slice(begin).split("\n")) {
    const path = FILE.exec(line.trimEnd())?.[1]?.trim()
    if (path) paths.add(path)
    if (paths.size === MOST_PATCHED_FILES) break
  }
  return [...paths]
}

/**
 * Also for a patch passed to the program in a shell, as Codex does for models without the tool:
 * `apply_patch <<'EOF'`, also after a `cd`.
 */
export function patchedInShell(command: string): readonly string[] {
  const begin = command.indexOf(BEGIN)
  const before = command.slice(0, Math.max(0, begin))
  if (!/\bapply_?patch\b/.test(before)) return []
  const folder = /^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|]+))\s*&&/.exec(before)
  const prefix = folder?.[1] ?? folder?.[2] ?? folder?.[3]
  const paths = patchedPaths(command)
  return prefix === undefined ? paths : paths.map((it) => below(prefix, it))
}

function below(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder}/${path}`
}
