import { type JsonRecord, listOf, recordOf } from "../read/json.ts"
import type { Conversation } from "./conversation.ts"
import { callsInItems, isGiven, isOutput, itemViolations, wantsAnswer } from "./item-calls.ts"
import { keptItem } from "./kept-item.ts"
import type { Span } from "./scan.ts"
import type { FoldGroup, Region } from "./select.ts"
import type { Edits } from "./splice.ts"
import { newViolation } from "./validity.ts"

/** A request of the Responses wire, or in words why it is left alone. */
export function readItems(request: JsonRecord, spans: readonly Span[]): Conversation | string {
  if (isGiven(request.previous_response_id) || isGiven(request.conversation)) {
    return "the provider keeps a part of the conversation"
  }
  const items = listOf(request.input).map(recordOf)
  return {
    calls: callsInItems(items),
    doubtOf: (region) => doubtOfItems(items, region),
    bytesOf(region) {
      const left = leaving(items, region).map((it) => spans[it])
      return left.reduce((sum, it) => sum + (it === undefined ? 0 : it.to - it.from), 0)
    },
    editsOf: (groups) => editsOfItems(items, groups),
    violationIn: (before, after) =>
      newViolation(itemViolations(before.map(recordOf)), itemViolations(after.map(recordOf))),
  }
}

/** Kinds of items that a host or its model makes while it works: with the work they leave. */
const WORK: ReadonlySet<unknown> = new Set([
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "mcp_list_tools",
])

const STAYING_ROLES: ReadonlySet<unknown> = new Set(["user", "developer", "system"])

function isMessage({ type, role }: JsonRecord): boolean {
  return type === "message" || (type === undefined && typeof role === "string")
}

/** What is said to the model stays, as it is. */
function stays(item: JsonRecord): boolean {
  return isMessage(item) && STAYING_ROLES.has(item.role)
}

function isKnown(item: JsonRecord): boolean {
  return isMessage(item) ? stays(item) || item.role === "assistant" : WORK.has(item.type)
}

function leaving(items: readonly JsonRecord[], { start, end }: Region): readonly number[] {
  const region = items.slice(start + 1, end + 1)
  return region.flatMap((it, offset) => (stays(it) ? [] : [start + 1 + offset]))
}

function doubtOfItems(items: readonly JsonRecord[], { start, end }: Region): string | null {
  const region = items.slice(start + 1, end + 1)
  if (!region.every(isKnown)) return "an item in it is not known"
  if (hasTwice(items, { start, end })) return "two calls have the same id"
  const outputs = region.filter(isOutput)
  const called = new Set(region.filter((it) => !isOutput(it)).map((it) => it.call_id))
  const isLate = outputs.some((it) => !called.has(it.call_id))
  if (isLate) return "an answer in it is of a call before it"
  // Its answer may come at any time after the region, and would then be of a call that left.
  const answered = new Set(outputs.map((it) => it.call_id))
  const isOpen = region.some((it) => wantsAnswer(it) && !answered.has(it.call_id))
  return isOpen ? "a call in it has no answer" : null
}

/** Whether an id of the region, or of the answers before it, was there twice when it ended. */
function hasTwice(items: readonly JsonRecord[], { start, end }: Region): boolean {
  const first = items.findLastIndex((it, place) => place <= start && !isOutput(it)) + 1
  const near = new Set(items.slice(first, end + 1).map((it) => it.call_id))
  const ids = items
    .slice(0, end + 1)
    .filter((it) => isGiven(it.call_id) && near.has(it.call_id))
    .map((it) => JSON.stringify([it.call_id, isOutput(it)]))
  return new Set(ids).size < ids.length
}

/** The collapse form: each branch's answer becomes its return's, and the work between leaves. */
function editsOfItems(items: readonly JsonRecord[], groups: readonly FoldGroup[]): Edits {
  const gone = new Set<number>()
  const patched = new Map<number, unknown>()
  const inserted = new Map<number, unknown>()
  for (const group of groups) {
    for (const place of leaving(items, group)) gone.add(place)
    for (const { openCallId, closeCallId } of group.folds) {
      const place = items.findIndex((it) => isOutput(it) && it.call_id === openCallId)
      const returned = items.find((it) => isOutput(it) && it.call_id === closeCallId)
      patched.set(place, { ...items[place], output: returned?.output })
    }
    const kept = keptItem(items, group)
    if (kept !== undefined) inserted.set(group.start, kept)
  }
  return { gone, patched, inserted }
}
