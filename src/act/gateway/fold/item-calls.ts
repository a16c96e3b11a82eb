import { type JsonRecord, parseJson, recordOf } from "../read/json.ts"
import { type FoldCall, verbOf } from "./select.ts"
import { textIn } from "./turns.ts"

export function isOutput({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("_output")
}

/**
 * Calls of tools named like ours that were answered. This wire has no flag for an error: only a
 * receipt in the answer says that it went well.
 */
export function callsInItems(items: readonly JsonRecord[]): readonly FoldCall[] {
  const outputs = new Map<unknown, number>()
  for (const [place, item] of items.entries()) {
    if (isOutput(item)) outputs.set(item.call_id, place)
  }
  return items.flatMap((item, place) => {
    const verb = item.type === "function_call" ? verbOf(item.name) : undefined
    const at = outputs.get(item.call_id) ?? -1
    if (verb === undefined || typeof item.call_id !== "string" || at < place) return []
    const named = argumentsOf(item).branch_id
    const asked = typeof named === "string" && named !== "" ? named : undefined
    const text = textIn(items[at]?.output)
    return [{ verb, callId: item.call_id, asked, at: runEnd(items, at), text }]
  })
}

export function argumentsOf(call: JsonRecord): JsonRecord {
  return typeof call.arguments === "string" ? recordOf(parseJson(call.arguments)) : {}
}

/** Calls made at once are answered in a row: its last place stands for all of them. */
function runEnd(items: readonly JsonRecord[], from: number): number {
  let end = from
  for (let next = items[end + 1]; next !== undefined && isOutput(next); next = items[end + 1]) end++
  return end
}

/** Kinds of calls whose answers are items of their own. */
const ANSWERED: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "tool_search_call",
])

/** What a provider would refuse in a list of items, each in words. */
export function itemViolations(items: readonly JsonRecord[]): readonly string[] {
  const found: string[] = []
  const open = new Set<unknown>()
  for (const [place, item] of items.entries()) {
    if (ANSWERED.has(item.type)) open.add(item.call_id)
    if (isOutput(item) && !open.delete(item.call_id)) found.push("an answer has no call")
    const next = items[place + 1]
    if (
      item.type === "reasoning" &&
      (next === undefined || isOutput(next) || next.role === "user")
    ) {
      found.push("reasoning leads to nothing")
    }
  }
  return [...found, ...[...open].map(() => "a call has no answer")]
}
