import type { Verdict } from "#choose/guard"
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

/**
 * By its documentation and third-party reports, never run here: unverified until a nonce proves it.
 * Its payloads do not name their event.
 */
export const antigravity: Dialect = { host: "antigravity", parse, format }

function parse(call: HostCall): HostEvent | undefined {
  const { payload, at } = call
  const session = textIn(payload, "conversationId")
  if (session === undefined) return undefined
  const base = { host: "antigravity", session, directory: directoryOf(call), at } as const
  switch (call.eventName) {
    case "PreInvocation":
      // One per call of the model; the first of a conversation is its start.
      return payload["invocationNum"] === 0
        ? { ...base, kind: "session-start", source: "startup" }
        : undefined
    case "PreToolUse":
      return beforeTool(base, fieldsIn(payload, "toolCall"))
    case "PostToolUse":
      return afterTool(base, payload)
    case "Stop":
      return {
        ...base,
        kind: "stop",
        isAgain: typeof payload["executionNum"] === "number" && payload["executionNum"] > 0,
        isBusy: payload["fullyIdle"] === false,
      }
    default:
      return undefined
  }
}

type Base = Pick<HostEvent, "host" | "session" | "directory" | "at">

function directoryOf({ payload, directory }: HostCall): string {
  const [first] = listIn(payload, "workspacePaths")
  return typeof first === "string" && first !== "" ? first : directory
}

const EDIT_TOOLS: ReadonlySet<string> = new Set([
  "write_to_file",
  "replace_file_content",
  "multi_replace_file_content",
])

function beforeTool(base: Base, call: Fields): HostEvent | undefined {
  const { tool, paths } = editOf(call)
  return paths.length === 0 ? undefined : { ...base, kind: "before-edit", tool, paths }
}

function afterTool(base: Base, payload: Fields): HostEvent | undefined {
  const call = fieldsIn(payload, "toolCall")
  const { tool, paths } = editOf(call)
  const hasFailed = textIn(payload, "error") !== undefined
  if (tool === "" || hasFailed) return undefined
  // The tool's output is not sent, so only its arguments are counted.
  const tokens = tokensOf(call["args"], "o200k")
  const kind = paths.length === 0 ? "after-tool" : "after-edit"
  return { ...base, kind, tool, paths, tokens }
}

function editOf(call: Fields): { readonly tool: string; readonly paths: readonly string[] } {
  const tool = textIn(call, "name") ?? ""
  const file = textIn(fieldsIn(call, "args"), "TargetFile")
  return { tool, paths: EDIT_TOOLS.has(tool) && file !== undefined ? [file] : [] }
}

/**
 * Before a tool Antigravity expects a decision: an empty answer is a denial there, and by some
 * reports no answer is one too. `allow` means no objection; it still asks its user as usual.
 */
function format(eventName: string | undefined, verdict: Verdict): HookAnswer | undefined {
  if (eventName === "PreToolUse") return decision(verdict)
  if (verdict.kind === "silent") return undefined
  if (eventName === "Stop") {
    return verdict.kind === "block" ? { decision: "continue", reason: verdict.text } : undefined
  }
  if (eventName !== "PreInvocation") return undefined
  return { injectSteps: [{ ephemeralMessage: verdict.text }] }
}

function decision(verdict: Verdict): HookAnswer {
  if (verdict.kind === "silent") return { decision: "allow" }
  const decided = verdict.kind === "deny" || verdict.kind === "ask" ? "deny" : "allow"
  return { decision: decided, reason: verdict.text }
}
