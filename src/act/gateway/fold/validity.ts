import { type JsonRecord } from "#ground/base"
import { blocksOf, callIds, type Turn } from "./turns.ts"

/** The provider's limit. */
const MOST_CACHE_MARKERS = 4

export function violationsOf(
  turns: readonly Turn[],
  tools: ReadonlySet<unknown> | undefined,
): readonly string[] {
  const violations = turns.flatMap((turn, index) => [
    ...positionViolations(turns, index),
    ...blockViolations(turn),
    ...answerViolations(turn, turns[index + 1]),
    ...orphanViolations(turn, turns[index - 1]),
  ])
  const ids = turns.flatMap((it) => callIds(it))
  if (new Set(ids).size < ids.length) violations.push("two calls have the same id")
  const blocks = turns.flatMap((it) => it.blocks)
  const markers = blocks.filter((it) => it.cache_control !== undefined)
  if (markers.length > MOST_CACHE_MARKERS) violations.push("there are too many cache markers")
  if (tools !== undefined) violations.push(...referenceViolations(blocks, tools))
  return violations
}

function positionViolations(turns: readonly Turn[], index: number): readonly string[] {
  const role = turns[index]?.role
  if (index === 0) return role === "user" ? [] : ["the first message is not the user's"]
  const before = turns[index - 1]?.role
  const next = turns[index + 1]?.role
  // Unknown turn type: we cannot validate its neighbours.
  const isAfter = before === "user" || before === "unknown"
  const isBefore = next === "assistant" || next === "unknown" || next === undefined
  const isLegal = role !== "system" || (isAfter && isBefore)
  return isLegal ? [] : ["a system turn is in an invalid position"]
}

function blockViolations({ role, blocks, value }: Turn): readonly string[] {
  const violations: string[] = []
  if (blocks.some((it) => it.type === "text" && it.text === "")) violations.push("a text is empty")
  if (role === "user" && !areResultsFirst(blocks)) violations.push("a result follows a text")
  if (role !== "system" && Array.isArray(value.content) && blocks.length === 0) {
    violations.push("a message is empty")
  }
  const last = blocks.at(-1)?.type
  const endsThinking = last === "thinking" || last === "redacted_thinking"
  if (role === "assistant" && endsThinking) violations.push("a turn ends with thinking")
  return violations
}

function areResultsFirst(blocks: readonly JsonRecord[]): boolean {
  const first = blocks.findIndex((it) => it.type !== "tool_result")
  return first === -1 || blocks.slice(first).every((it) => it.type !== "tool_result")
}

function answerViolations(turn: Turn, next: Turn | undefined): readonly string[] {
  const calls = callIds(turn)
  if (calls.length === 0) return []
  const answered = new Set(answerIds(next))
  return calls.filter((it) => !answered.has(it)).map(() => "a call has no result")
}

function orphanViolations(turn: Turn, before: Turn | undefined): readonly string[] {
  const answered = answerIds(turn)
  if (answered.length === 0) return []
  const calls = new Set(before === undefined ? [] : callIds(before))
  const orphans = answered.filter((it) => !calls.has(it)).map(() => "a result has no call")
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
  return after.find((turn) => {
    const index = left.indexOf(turn)
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}
