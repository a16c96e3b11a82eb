import type { ActivityKind } from "#ground/contract"
import type { Telling } from "../../wire/telling.ts"
import { inputText, isRecord, oneLine, parseRecord, textField } from "../../wire/text.ts"
import { MOST_OPEN_CALLS } from "../limits.ts"
import { commandOf } from "./codex-items.ts"
import { entryOf } from "./reader.ts"

type Payload = Readonly<Record<string, unknown>>

export type Calls = ReturnType<typeof createCalls>

/**
 * The model's calls of tools, for those of which no item tells: hooks deny some before there is one,
 * and rollouts of before have none. What has an item is told by it alone.
 */
export function createCalls(telling: Telling) {
  const open = new Map<string, Call>()
  return {
    /** True when something was told or noted. */
    hear(payload: Payload, raw: string): boolean {
      const id = textField(payload, "call_id")
      const type = textField(payload, "type") ?? ""
      if (id === undefined) return false
      if (CALLS.has(type) && open.size < MOST_OPEN_CALLS) open.set(id, callOf(payload, telling))
      if (CALLS.has(type)) return true
      const call = OUTPUTS.has(type) ? open.get(id) : undefined
      open.delete(id)
      if (call === undefined) return false
      const { output, outcome } = outputOf(payload["output"])
      telling.say({ event: "activity.started", activityId: id, ...call }, raw)
      telling.say({ event: "activity.ended", activityId: id, outcome, output }, raw)
      return true
    },
    told: (id: string): void => void open.delete(id),
    forget: (): void => open.clear(),
  }
}

const CALLS: ReadonlySet<string> = new Set(["function_call", "custom_tool_call"])
const OUTPUTS: ReadonlySet<string> = new Set(["function_call_output", "custom_tool_call_output"])

type Call = {
  readonly kind: ActivityKind
  readonly tool: string
  readonly title: string
  readonly input: string
}

const KINDS: Readonly<Record<string, ActivityKind>> = {
  exec_command: "command",
  shell: "command",
  local_shell: "command",
  apply_patch: "edit",
  update_plan: "plan",
  web_search: "search",
  view_image: "read",
}

function callOf(payload: Payload, { redact }: Telling): Call {
  const tool = textField(payload, "name") ?? "tool"
  const given = inputText(payload["arguments"] ?? payload["input"])
  const fields = parseRecord(given) ?? {}
  const command = textField(fields, "cmd") ?? commandOf(fields["command"])
  const isMcp = (textField(payload, "namespace") ?? "").startsWith("mcp__")
  const kind = isMcp ? "mcp" : (entryOf(KINDS, tool) ?? "other")
  const title = oneLine(redact(command === "" ? `${tool} ${given}` : command))
  return { kind, tool, title, input: given }
}

/** A text, or a record that holds one; a code other than 0 in its first lines means it failed. */
function outputOf(given: unknown): { output: string; outcome: "done" | "failed" } {
  const inner = isRecord(given) ? (given["content"] ?? given["output"] ?? given) : given
  const output = inputText(inner)
  const isFailed = /(?:exited with code|exit code:?) -?[1-9]/i.test(
    output.slice(0, HEAD_CHARACTERS),
  )
  return { output, outcome: isFailed ? "failed" : "done" }
}

const HEAD_CHARACTERS = 300
