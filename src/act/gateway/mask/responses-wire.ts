import { hash } from "node:crypto"
import { type JsonRecord, parseJson } from "#ground/base"
import { blocksOf, textIn } from "../fold/turns.ts"
import { listOf, recordOf, textOf } from "../read/json.ts"
import type { Conversation, Latch, ParsedBody, ToolResult } from "./conversation.ts"
import type { Changes } from "./rebuild.ts"

/** Their output is plain text; other kinds have a form of their own. */
const RESULTS: ReadonlySet<unknown> = new Set(["function_call_output", "custom_tool_call_output"])

/** Without a flag, a failed command says so in its first lines. */
const FAILED = /^(?:Exit code|Process exited with code):? [1-9]/m

const LONGEST_STATUS_UNITS = 400

export function readItems(parsed: ParsedBody): Conversation | string {
  const { request, elements } = parsed
  if (isPresent(request.previous_response_id) || isPresent(request.conversation)) {
    return "the provider stores a part of the conversation"
  }
  const last = elements.findLast((it) => !isMessage(it) || it.role === "assistant")
  return {
    results: resultsIn(elements),
    thinking: elements.flatMap((it, at) =>
      it.type === "reasoning" ? [{ key: keyOfReasoning(it), at }] : [],
    ),
    texts: elements.flatMap((it, at) =>
      isMessage(it) && it.role !== "developer"
        ? [{ at, text: textIn(textBlocks(it.content)) }]
        : [],
    ),
    modelTurns: elements.filter((it, at) => beginsTurn(it, elements[at - 1])).length,
    isBetweenTurns: last === undefined || isMessage(last),
    hasTools: listOf(request.tools).length > 0,
    isOnlyThinking: () => false,
    changesOf: (latch) => changesOf(elements, latch),
    pinBefore: (_, changes) => changes,
  }
}

function isMessage({ type, role }: JsonRecord): boolean {
  return type === "message" || (type === undefined && typeof role === "string")
}

/** Messages have blocks of type input_text and output_text. */
function textBlocks(content: unknown): unknown {
  const blocks = blocksOf(content)
  return blocks?.filter((it) => typeof it.text === "string") ?? content
}

/** A model turn follows messages and results. */
function beginsTurn(item: JsonRecord, before: JsonRecord | undefined): boolean {
  const isModel = (it: JsonRecord): boolean =>
    isMessage(it) ? it.role === "assistant" : !textOf(it.type).endsWith("_output")
  return isModel(item) && (before === undefined || !isModel(before))
}

function resultsIn(items: readonly JsonRecord[]): readonly ToolResult[] {
  const calls = new Map<unknown, JsonRecord>()
  const results: ToolResult[] = []
  let turn = 0
  for (const [at, item] of items.entries()) {
    if (beginsTurn(item, items[at - 1])) turn += 1
    if (!RESULTS.has(item.type)) {
      if (isPresent(item.call_id)) calls.set(item.call_id, item)
      continue
    }
    const call = calls.get(item.call_id)
    if (call !== undefined) results.push(resultOf(call, item, { at, turn }))
  }
  return results
}

function resultOf(
  call: JsonRecord,
  item: JsonRecord,
  place: { readonly at: number; readonly turn: number },
): ToolResult {
  const text = textIn(textBlocks(item.output))
  const namespace = textOf(call.namespace)
  const name = textOf(call.name)
  return {
    ...place,
    callId: textOf(call.call_id),
    tool: namespace === "" ? name : `${namespace}__${name}`,
    input: inputOf(call),
    text,
    isError: FAILED.test(text.slice(0, LONGEST_STATUS_UNITS)),
    isText:
      blocksOf(item.output)?.every((it) => it.type === "text" || it.type === "input_text") ?? false,
  }
}

function inputOf({ arguments: json, input }: JsonRecord): JsonRecord {
  if (typeof json === "string") return recordOf(parseJson(json))
  return typeof input === "string" ? { input } : recordOf(input)
}

function keyOfReasoning({ encrypted_content: sealed, id }: JsonRecord): string {
  return `th_${hash("sha256", textOf(sealed) || textOf(id)).slice(0, 32)}`
}

function changesOf(items: readonly JsonRecord[], { masks, thinking }: Latch): Changes {
  const changes = new Map<number, Buffer | null>()
  for (const [at, item] of items.entries()) {
    if (item.type === "reasoning" && thinking.has(keyOfReasoning(item))) changes.set(at, null)
    const mask = RESULTS.has(item.type) ? masks.get(textOf(item.call_id)) : undefined
    if (mask !== undefined) {
      changes.set(at, Buffer.from(JSON.stringify({ ...item, output: mask.text })))
    }
  }
  return changes
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}
