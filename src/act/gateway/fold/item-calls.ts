import { type JsonRecord, parseJson, recordOf } from "../read/json.ts"
import { type FoldCall, verbOf } from "./select.ts"
import { textIn } from "./turns.ts"

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function isOutput({ type }: JsonRecord): boolean {
  return typeof type === "string" && type.endsWith("_output")
}

/**
 * Calls of tools named like ours that were answered. This wire has no flag for an error: only a
 * receipt in the answer says that it went well.
 */
export function callsInItems(items: readonly JsonRecord[]): readonly FoldCall[] {
  const answered = answersIn(items)
  const answers = new Map([...answered].map(([output, call]) => [call, output]))
  return items.flatMap((item, place) => {
    const verb = item.type === "function_call" ? verbOf(item.name) : undefined
    const at = answers.get(place)
    if (verb === undefined || typeof item.call_id !== "string" || at === undefined) return []
    const named = argumentsOf(item).branch_id
    const asked = typeof named === "string" && named !== "" ? named : undefined
    const text = textIn(items[at]?.output)
    return [{ verb, callId: item.call_id, asked, at: runEnd(items, answered, at), text }]
  })
}

/** The place of the call that each answer is of. An id that comes again later is another call's. */
function answersIn(items: readonly JsonRecord[]): ReadonlyMap<number, number> {
  const answers = new Map<number, number>()
  const open = new Map<unknown, number>()
  for (const [place, item] of items.entries()) {
    if (!isGiven(item.call_id)) continue
    const called = open.get(item.call_id)
    if (!isOutput(item)) open.set(item.call_id, called ?? place)
    else if (called !== undefined && open.delete(item.call_id)) answers.set(place, called)
  }
  return answers
}

export function argumentsOf(call: JsonRecord): JsonRecord {
  return typeof call.arguments === "string" ? recordOf(parseJson(call.arguments)) : {}
}

/**
 * Calls made at once are answered in a row: its last place stands for all of them. An answer of
 * another call that happens to follow is not of it.
 */
function runEnd(
  items: readonly JsonRecord[],
  answered: ReadonlyMap<number, number>,
  at: number,
): number {
  const isOutputAt = (place: number) => isOutput(items[place] ?? {})
  let first = at
  while (first > 0 && isOutputAt(first - 1)) first--
  while (first > 0 && !isOutputAt(first - 1)) first--
  let end = at
  while ((answered.get(end + 1) ?? -1) >= first) end++
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

export function wantsAnswer({ type, call_id: id }: JsonRecord): boolean {
  return ANSWERED.has(type) && isGiven(id)
}

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
