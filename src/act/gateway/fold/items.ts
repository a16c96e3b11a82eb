import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import { listOf, recordOf, textOf } from "../read/json.ts"
import type { Edits, Span } from "./body-splice.ts"
import { answerText, keptText, loadAgainText } from "./kept-messages.ts"
import {
  type Conversation,
  type FoldCall,
  type FoldGroup,
  isOfOutside,
  type Region,
  verbOf,
} from "./select.ts"
import { blocksOf, textIn } from "./turns.ts"
import { newViolation } from "./validity.ts"

export function readItems(request: JsonRecord, spans: readonly Span[]): Conversation | string {
  if (isPresent(request.previous_response_id) || isPresent(request.conversation)) {
    return "the provider stores a part of the conversation"
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

/** Items that a host or its model creates while working; they are removed with the work. */
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

function stays(item: JsonRecord): boolean {
  return isMessage(item) && STAYING_ROLES.has(item.role)
}

function isKnownItem(item: JsonRecord): boolean {
  return isMessage(item) ? stays(item) || item.role === "assistant" : WORK.has(item.type)
}

function leaving(items: readonly JsonRecord[], { start, end }: Region): readonly number[] {
  const region = items.slice(start + 1, end + 1)
  return region.flatMap((it, offset) => (stays(it) ? [] : [start + 1 + offset]))
}

function doubtOfItems(items: readonly JsonRecord[], { start, end }: Region): string | null {
  const region = items.slice(start + 1, end + 1)
  if (!region.every(isKnownItem)) return "it contains an unknown item"
  if (hasTwice(items, { start, end })) return "two calls have the same id"
  const outputs = region.filter(isOutput)
  const called = new Set(region.filter((it) => !isOutput(it)).map((it) => it.call_id))
  const isLate = outputs.some((it) => !called.has(it.call_id))
  if (isLate) return "it contains the result of an earlier call"
  // An open call could be answered after the region, without its call.
  const answered = new Set(outputs.map((it) => it.call_id))
  const isOpen = region.some((it) => wantsAnswer(it) && !answered.has(it.call_id))
  return isOpen ? "it contains a call without a result" : null
}

/** Whether an id of the region, or of the results right before it, occurs twice. */
function hasTwice(items: readonly JsonRecord[], { start, end }: Region): boolean {
  const first = items.findLastIndex((it, index) => index <= start && !isOutput(it)) + 1
  const near = new Set(items.slice(first, end + 1).map((it) => it.call_id))
  const ids = items
    .slice(0, end + 1)
    .filter((it) => isPresent(it.call_id) && near.has(it.call_id))
    .map((it) => JSON.stringify([it.call_id, isOutput(it)]))
  return new Set(ids).size < ids.length
}

function editsOfItems(items: readonly JsonRecord[], groups: readonly FoldGroup[]): Edits {
  const gone = new Set<number>()
  const patched = new Map<number, unknown>()
  const inserted = new Map<number, unknown>()
  for (const group of groups) {
    for (const index of leaving(items, group)) gone.add(index)
    for (const { openCallId, closeCallId } of group.folds) {
      const index = items.findIndex((it) => isOutput(it) && it.call_id === openCallId)
      const returned = items.find((it) => isOutput(it) && it.call_id === closeCallId)
      patched.set(index, { ...items[index], output: returned?.output })
    }
    const message = keptItem(items, group)
    if (message !== undefined) inserted.set(group.start, message)
  }
  return { gone, patched, inserted }
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isOutput({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("_output")
}

/**
 * Answered calls of tools named like ours. This wire has no error flag: only a receipt tells
 * success.
 */
function callsInItems(items: readonly JsonRecord[]): readonly FoldCall[] {
  const answered = answersIn(items)
  const answers = new Map([...answered].map(([output, call]) => [call, output]))
  return items.flatMap((item, index) => {
    const verb = item.type === "function_call" ? verbOf(item.name) : undefined
    const at = answers.get(index)
    if (verb === undefined || typeof item.call_id !== "string" || at === undefined) return []
    const named = argumentsOf(item).branch_id
    const branchId = typeof named === "string" && named !== "" ? named : undefined
    const text = textIn(items[at]?.output)
    return [{ verb, callId: item.call_id, asked: branchId, at: runEnd(items, answered, at), text }]
  })
}

/** Maps each output to its call. A repeated id is another call. */
function answersIn(items: readonly JsonRecord[]): ReadonlyMap<number, number> {
  const answers = new Map<number, number>()
  const open = new Map<unknown, number>()
  for (const [index, item] of items.entries()) {
    if (!isPresent(item.call_id)) continue
    const called = open.get(item.call_id)
    if (!isOutput(item)) open.set(item.call_id, called ?? index)
    else if (called !== undefined && open.delete(item.call_id)) answers.set(index, called)
  }
  return answers
}

function argumentsOf(call: JsonRecord): JsonRecord {
  return typeof call.arguments === "string" ? recordOf(parseJson(call.arguments)) : {}
}

/**
 * Parallel calls are answered in a row; the last position is used for all. An output of another call
 * that follows does not belong to it.
 */
function runEnd(
  items: readonly JsonRecord[],
  answered: ReadonlyMap<number, number>,
  at: number,
): number {
  const isOutputAt = (index: number) => isOutput(items[index] ?? {})
  let first = at
  while (first > 0 && isOutputAt(first - 1)) first--
  while (first > 0 && !isOutputAt(first - 1)) first--
  let end = at
  while ((answered.get(end + 1) ?? -1) >= first) end++
  return end
}

const ANSWERED: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "tool_search_call",
])

function wantsAnswer({ type, call_id: id }: JsonRecord): boolean {
  return ANSWERED.has(type) && isPresent(id)
}

/** Faults that a provider would refuse. */
export function itemViolations(items: readonly JsonRecord[]): readonly string[] {
  const violations: string[] = []
  const open = new Set<unknown>()
  for (const [index, item] of items.entries()) {
    if (ANSWERED.has(item.type)) open.add(item.call_id)
    if (isOutput(item) && !open.delete(item.call_id)) violations.push("a result has no call")
    const next = items[index + 1]
    if (
      item.type === "reasoning" &&
      (next === undefined || isOutput(next) || next.role === "user")
    ) {
      violations.push("reasoning is not followed by its output")
    }
  }
  return [...violations, ...[...open].map(() => "a call has no result")]
}

const QUESTION_TOOL = "request_user_input"

/**
 * One message with the outputs that stay: of calls beside the return, the user's answers, and
 * results of branches opened earlier.
 */
function keptItem(items: readonly JsonRecord[], group: FoldGroup): JsonRecord | undefined {
  const { start, end, folds } = group
  const region = items.slice(start + 1, end + 1)
  const calls = new Map(region.filter((it) => !isOutput(it)).map((it) => [it.call_id, it]))
  const closing = new Set<unknown>(folds.map((it) => it.closeCallId))
  const firstBeside = region.findLastIndex((it) => !isOutput(it)) + 1
  const outputs = region.flatMap((output, index) => {
    const call = calls.get(output.call_id)
    return isOutput(output) && call !== undefined ? [{ output, call, place: index }] : []
  })
  const opened = outputs.filter((it) => verbOf(it.call.name) === "branch")
  const own = folds.map((it) => it.branchId)
  const inside = [...own, ...opened.map((it) => textIn(it.output.output))]
  const live = outputs.filter(({ output, call, place }) => {
    if (closing.has(output.call_id)) return false
    if (place >= firstBeside || call.name === QUESTION_TOOL) return true
    const returned = { asked: argumentsOf(call).branch_id, text: textIn(output.output) }
    return verbOf(call.name) === "return" && isOfOutside(returned, inside)
  })
  return messageOf(live, loadedNames(region))
}

function messageOf(
  live: readonly { readonly output: JsonRecord; readonly call: JsonRecord }[],
  loaded: readonly string[],
): JsonRecord | undefined {
  const answers = live.map(({ output, call }) => {
    const input = textOf(call.arguments) || textOf(call.input)
    const text = textIn(output.output)
    return answerText({ name: call.name ?? call.type, input, text, isError: false })
  })
  const texts = loaded.length === 0 ? answers : [...answers, loadAgainText(loaded)]
  if (texts.length === 0) return undefined
  const parts = live.flatMap((it) => blocksOf(it.output.output) ?? [])
  const media = parts.filter((it) => it.type === "input_image" || it.type === "input_file")
  const content = [{ type: "input_text", text: keptText(texts) }, ...media]
  return { type: "message", role: "user", content }
}

function loadedNames(region: readonly JsonRecord[]): readonly string[] {
  const loads = region.filter((it) => it.type === "tool_search_output")
  const tools = loads.flatMap((it) => listOf(it.tools).filter(isRecord))
  return [...new Set(tools.map((it) => textOf(it.name)).filter((it) => it !== ""))]
}
