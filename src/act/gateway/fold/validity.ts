import { type JsonRecord } from "#ground/base"
import { blocksOf, callIds, type Turn } from "./turns.ts"

/** The provider's limit. */
const MOST_CACHE_MARKERS = 4

export function violationsOf(
  turns: readonly Turn[],
  tools: ReadonlySet<unknown> | undefined,
): readonly string[] {
  const found = turns.flatMap((turn, place) => [
    ...placeViolations(turns, place),
    ...blockViolations(turn),
    ...answerViolations(turn, turns[place + 1]),
    ...orphanViolations(turn, turns[place - 1]),
  ])
  const ids = turns.flatMap((it) => callIds(it))
  if (new Set(ids).size < ids.length) found.push("two calls have the same id")
  const blocks = turns.flatMap((it) => it.blocks)
  const markers = blocks.filter((it) => it.cache_control !== undefined)
  if (markers.length > MOST_CACHE_MARKERS) found.push("there are too many cache markers")
  if (tools !== undefined) found.push(...referenceViolations(blocks, tools))
  return found
}

function placeViolations(turns: readonly Turn[], place: number): readonly string[] {
  const role = turns[place]?.role
  if (place === 0) return role === "user" ? [] : ["the first message is not the user's"]
  const before = turns[place - 1]?.role
  const next = turns[place + 1]?.role
  // Unknown turn type: we cannot validate its neighbours.
  const isAfter = before === "user" || before === "unknown"
  const isBefore = next === "assistant" || next === "unknown" || next === undefined
  const isLegal = role !== "system" || (isAfter && isBefore)
  return isLegal ? [] : ["a system turn is in an invalid position"]
}

function blockViolations({ role, blocks, value }: Turn): readonly string[] {
  const found: string[] = []
  if (blocks.some((it) => it.type === "text" && it.text === "")) found.push("a text is empty")
  if (role === "user" && !areResultsFirst(blocks)) found.push("a result follows a text")
  if (role !== "system" && Array.isArray(value.content) && blocks.length === 0) {
    found.push("a message is empty")
  }
  const last = blocks.at(-1)?.type
  const endsThinking = last === "thinking" || last === "redacted_thinking"
  if (role === "assistant" && endsThinking) found.push("a turn ends with thinking")
  return found
}

function areResultsFirst(blocks: readonly JsonRecord[]): boolean {
  const first = blocks.findIndex((it) => it.type !== "tool_result")
  return first === -1 || blocks.slice(first).every((it) => it.type !== "tool_result")
}

function answerViolations(turn: Turn, next: Turn | undefined): readonly string[] {
  const asked = callIds(turn)
  if (asked.length === 0) return []
  const answered = new Set(answerIds(next))
  return asked.filter((it) => !answered.has(it)).map(() => "a call has no result")
}

function orphanViolations(turn: Turn, before: Turn | undefined): readonly string[] {
  const answered = answerIds(turn)
  if (answered.length === 0) return []
  const asked = new Set(before === undefined ? [] : callIds(before))
  const orphans = answered.filter((it) => !asked.has(it)).map(() => "a result has no call")
  const isTwice = new Set(answered).size < answered.length
  return isTwice ? [...orphans, "a call has two results"] : orphans
}

function answerIds(turn: Turn | undefined): readonly unknown[] {
  if (turn?.role !== "user") return []
  return turn.blocks.filter((it) => it.type === "tool_result").map((it) => it.tool_use_id)
}

function referenceViolations(
  blocks: readonly JsonRecord[],
  tools: ReadonlySet<unknown>,
): readonly string[] {
  const answers = blocks.filter((it) => it.type === "tool_result")
  const parts = answers.flatMap((it) => blocksOf(it.content) ?? [])
  const unknown = parts.filter((it) => it.type === "tool_reference" && !tools.has(it.tool_name))
  return unknown.map(() => "a tool is named that does not exist")
}

export function newViolation(
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  const left = [...before]
  return after.find((it) => {
    const place = left.indexOf(it)
    if (place !== -1) left.splice(place, 1)
    return place === -1
  })
}
