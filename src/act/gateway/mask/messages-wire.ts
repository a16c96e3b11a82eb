import { hash } from "node:crypto"
import type { JsonRecord } from "#ground/base"
import { blocksOf, callIds, type Turn, textIn, turnOf } from "../fold/turns.ts"
import { listOf, recordOf, textOf } from "../read/json.ts"
import type { Conversation, Latch, ParsedBody, ToolResult } from "./conversation.ts"
import { type Changes, rebuildElement } from "./rebuild.ts"

const THINKING: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking"])

/** The provider's limit of cache markers. */
const MOST_MARKERS = 4

export function readMessages(parsed: ParsedBody): Conversation | string {
  const { request, elements } = parsed
  if (isAttested(request.system)) return "it contains a checksum of its body"
  const turns = elements.map(turnOf)
  if (turns.some((it) => it.role === "unknown")) return "it has a message of an unknown form"
  const isModel = (turn: Turn): boolean => turn.role === "assistant"
  const lastAnswer = turns.findLast(isModel)
  return {
    results: resultsIn(turns),
    thinking: turns.flatMap(({ role, blocks }, at) =>
      role === "assistant"
        ? blocks.filter(isThinking).map((it) => ({ key: keyOfThinking(it), at }))
        : [],
    ),
    texts: turns.flatMap(({ role, blocks }, at) =>
      role === "system"
        ? []
        : blocks.filter((it) => it.type === "text").map((it) => ({ at, text: textOf(it.text) })),
    ),
    modelTurns: turns.filter(isModel).length,
    isBetweenTurns: lastAnswer === undefined || callIds(lastAnswer).length === 0,
    hasTools: listOf(request.tools).length > 0,
    isOnlyThinking: (at) => turns[at]?.blocks.every(isThinking) ?? false,
    changesOf: (latch) => changesOf(parsed, turns, latch),
    pinBefore: (at, changes) => pinBefore({ parsed, turns, at }, changes),
  }
}

function resultsIn(turns: readonly Turn[]): readonly ToolResult[] {
  const calls = new Map<unknown, JsonRecord>()
  const results: ToolResult[] = []
  let turn = 0
  for (const [at, { role, blocks }] of turns.entries()) {
    if (role === "assistant") turn += 1
    const made = role === "assistant" ? blocks.filter((it) => it.type === "tool_use") : []
    for (const block of made) calls.set(block.id, block)
    if (role !== "user") continue
    for (const block of blocks) {
      const call = block.type === "tool_result" ? calls.get(block.tool_use_id) : undefined
      if (call !== undefined) results.push(resultOf(call, block, { at, turn }))
    }
  }
  return results
}

function resultOf(
  call: JsonRecord,
  block: JsonRecord,
  place: { readonly at: number; readonly turn: number },
): ToolResult {
  return {
    ...place,
    callId: textOf(call.id),
    tool: textOf(call.name),
    input: recordOf(call.input),
    text: textIn(block.content),
    isError: block.is_error === true,
    isText: blocksOf(block.content)?.every((it) => it.type === "text") ?? false,
  }
}

function isThinking(block: JsonRecord): boolean {
  return THINKING.has(block.type)
}

/** The signature is unique, and nothing of the thinking itself is stored. */
function keyOfThinking({ signature, data }: JsonRecord): string {
  return `th_${hash("sha256", textOf(signature) || textOf(data)).slice(0, 32)}`
}

function changesOf({ body, spans }: ParsedBody, turns: readonly Turn[], latch: Latch): Changes {
  const changes = new Map<number, Buffer | null>()
  for (const [at, turn] of turns.entries()) {
    const inner = changesInTurn(turn, latch)
    const span = spans[at]
    if (inner.size === 0 || span === undefined) continue
    const rebuilt = rebuildElement(body, span, { name: "content", changes: inner })
    if (rebuilt !== undefined) changes.set(at, rebuilt)
  }
  return changes
}

function changesInTurn({ role, blocks }: Turn, { masks, thinking }: Latch): Changes {
  const changes = new Map<number, Buffer | null>()
  for (const [index, block] of blocks.entries()) {
    if (role === "assistant" && isThinking(block) && thinking.has(keyOfThinking(block))) {
      changes.set(index, null)
    }
    const isResult = role === "user" && block.type === "tool_result"
    const mask = isResult ? masks.get(textOf(block.tool_use_id)) : undefined
    if (mask !== undefined) changes.set(index, bytesOf({ ...block, content: mask.text }))
  }
  // A turn without content is invalid, and it was checked before that none is left empty.
  return changes.size === blocks.length && [...changes.values()].every((it) => it === null)
    ? new Map()
    : changes
}

type PinPlace = {
  readonly parsed: ParsedBody
  readonly turns: readonly Turn[]
  readonly at: number
}

/** Each message of the user ended an earlier request, so its end is in the cache. */
function pinBefore({ parsed, turns, at }: PinPlace, changes: Changes): Changes {
  const { request, body, spans } = parsed
  const marked = [...listOf(request.system), ...listOf(request.tools)]
    .map(recordOf)
    .concat(turns.flatMap((it) => it.blocks))
    .filter((it) => it.cache_control !== undefined)
  const marker = marked.at(-1)?.cache_control
  const index = turns.findLastIndex((it, place) => place < at && it.role === "user")
  const [turn, span] = [turns[index], spans[index]]
  const last = turn?.blocks.at(-1)
  const isFree = marker !== undefined && marked.length < MOST_MARKERS
  const isUnmarked = last !== undefined && last.cache_control === undefined
  if (!isFree || !isUnmarked || turn === undefined || span === undefined || changes.has(index)) {
    return changes
  }
  const inner = new Map([[turn.blocks.length - 1, bytesOf({ ...last, cache_control: marker })]])
  const rebuilt = rebuildElement(body, span, { name: "content", changes: inner })
  return rebuilt === undefined ? changes : new Map([...changes, [index, rebuilt]])
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** `cch=` in the billing header is a checksum of the body, which we cannot recompute. */
function isAttested(system: unknown): boolean {
  const first: unknown = listOf(system)[0]
  return /\bcch=/.test(typeof system === "string" ? system : textOf(recordOf(first).text))
}
