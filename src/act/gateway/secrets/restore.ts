import { isRecord, parseJson } from "#ground/base"
import type { WireName } from "#ground/contract"
import { listOf, textOf } from "../read/json.ts"
import { encodeString } from "./json-strings.ts"

/** A stream of text in parts, in which placeholders may be split. */
type TextStream = {
  push(part: string): string
  flush(): string
}

type Restore = (text: string) => string

/** A parsed event, changed in place. */
type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

export type ResponseRestorer = {
  push(chunk: Buffer): Buffer
  end(): Buffer
}

/** Larger answers that are not streamed do not exist. */
const LARGEST_HELD_BYTES = 64 * 1024 ** 2

/**
 * Puts the values back into the tool calls of a response. Text and thinking of the model keep the
 * placeholders: they are sent back to the provider as they are.
 */
export function createRestorer(
  values: ReadonlyMap<string, string>,
  { wire, isStream }: { readonly wire: WireName; readonly isStream: boolean },
): ResponseRestorer {
  const restoring = restorings(values)
  return isStream ? streamRestorer(wire, restoring) : wholeRestorer(wire, restoring)
}

type Restorings = {
  /** In JSON inside a string: the value is escaped. */
  readonly json: Restore
  readonly plain: Restore
  jsonStream(): TextStream
  plainStream(): TextStream
}

function restorings(values: ReadonlyMap<string, string>): Restorings {
  const names = [...values.keys()]
  const replaceWith =
    (escape: Restore): Restore =>
    (text) =>
      names.reduce((all, name) => {
        if (!all.includes(name)) return all
        return all.replaceAll(name, () => escape(values.get(name) ?? name))
      }, text)
  const json = replaceWith(encodeString)
  const plain = replaceWith((it) => it)
  return {
    json,
    plain,
    jsonStream: () => textStream(names, json),
    plainStream: () => textStream(names, plain),
  }
}

/** Holds back an end that could be the start of a placeholder. */
function textStream(names: readonly string[], restore: Restore): TextStream {
  let held = ""
  return {
    push(part) {
      const text = held + part
      const open = longestOpenEnd(text, names)
      held = text.slice(text.length - open)
      return restore(text.slice(0, text.length - open))
    },
    flush() {
      const rest = held
      held = ""
      return restore(rest)
    },
  }
}

function longestOpenEnd(text: string, names: readonly string[]): number {
  let longest = 0
  for (const name of names) {
    for (let size = Math.min(name.length - 1, text.length); size > longest; size--) {
      if (text.endsWith(name.slice(0, size))) longest = size
    }
  }
  return longest
}

function wholeRestorer(wire: WireName, restoring: Restorings): ResponseRestorer {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  return {
    push(chunk) {
      sizeBytes += chunk.length
      if (sizeBytes > LARGEST_HELD_BYTES) return Buffer.concat([...chunks.splice(0), chunk])
      chunks.push(chunk)
      return EMPTY
    },
    end() {
      const whole = Buffer.concat(chunks.splice(0))
      const parsed = parseJson(whole.toString("utf8"))
      if (parsed === undefined) return whole
      const answers = Array.isArray(parsed) ? parsed.map(fieldsOf) : [fieldsOf(parsed)]
      const changes = answers.map((it) => restoreAnswer(wire, it, restoring))
      return changes.includes(true) ? Buffer.from(JSON.stringify(parsed)) : whole
    },
  }
}

const EMPTY = Buffer.alloc(0)

/** Events are separated by an empty line; each is sent on as soon as it is complete. */
function streamRestorer(wire: WireName, restoring: Restorings): ResponseRestorer {
  const restoreEvent = eventRestorer(wire, restoring)
  let rest: Buffer = EMPTY
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = endOfEvents(rest)
      if (end === 0) return EMPTY
      const events = rest.subarray(0, end).toString("utf8")
      rest = rest.subarray(end)
      return Buffer.from(splitEvents(events).map(restoreEvent).join(""))
    },
    end() {
      const last = rest.toString("utf8")
      rest = EMPTY
      return last === "" ? EMPTY : Buffer.from(restoreEvent(last))
    },
  }
}

const EVENT_END = /\r\n\r\n|\n\n/g

function splitEvents(text: string): readonly string[] {
  const events: string[] = []
  let from = 0
  for (const { index, 0: end } of text.matchAll(EVENT_END)) {
    events.push(text.slice(from, index + end.length))
    from = index + end.length
  }
  return from === text.length ? events : [...events, text.slice(from)]
}

function endOfEvents(bytes: Buffer): number {
  const plain = bytes.lastIndexOf("\n\n")
  const carried = bytes.lastIndexOf("\r\n\r\n")
  return Math.max(plain === -1 ? 0 : plain + 2, carried === -1 ? 0 : carried + 4)
}

/** Events without a tool call are passed on without being parsed. */
const ABOUT_CALLS =
  /tool_use|tool_call|input_json_delta|content_block_stop|function_?[cC]all|shell_call|patch_call|finish_reason|"response\./

function eventRestorer(wire: WireName, restoring: Restorings): (event: string) => string {
  const calls = callsOf(wire, restoring)
  return (event) => {
    if (!ABOUT_CALLS.test(event)) return event
    const line = /^data:[^\n]*/m.exec(event)?.[0]
    const data = line === undefined ? undefined : parseJson(line.slice("data:".length))
    if (line === undefined || !isRecord(data)) return event
    const { isChanged, before } = calls(fieldsOf(data))
    const first = before.map((it) => framed(event, line, it)).join("")
    return first + (isChanged ? event.replace(line, () => `data: ${JSON.stringify(data)}`) : event)
  }
}

/** An event of our own, in the form of the one before which it is sent. */
function framed(event: string, line: string, data: Fields): string {
  const type = textOf(data["type"])
  const named = type === "" ? event : event.replace(/^event:[^\n\r]*/m, () => `event: ${type}`)
  return named.replace(line, () => `data: ${JSON.stringify(data)}`)
}

type Change = { readonly isChanged: boolean; readonly before: readonly Fields[] }
const UNCHANGED: Change = { isChanged: false, before: [] }

function callsOf(wire: WireName, restoring: Restorings): (event: Fields) => Change {
  if (wire === "anthropic") return anthropicCalls(restoring)
  if (wire === "openai") return openaiCalls(restoring)
  return (event) => ({ isChanged: restoreAnswer(wire, event, restoring), before: [] })
}

/** Only calls that the host runs: those of the provider's own tools stay as they are. */
function anthropicCalls(restoring: Restorings): (event: Fields) => Change {
  const streams = new Map<unknown, TextStream>()
  return (event) => {
    const { type, index } = event
    const block = fieldsOf(event["content_block"])
    if (type === "content_block_start" && block["type"] === "tool_use") {
      streams.set(index, restoring.jsonStream())
      return { isChanged: restoreStrings(block, "input", restoring.plain), before: [] }
    }
    const stream = streams.get(index)
    if (stream === undefined) return UNCHANGED
    if (type === "content_block_stop") {
      streams.delete(index)
      const rest = stream.flush()
      const delta = { type: "input_json_delta", partial_json: rest }
      const before = rest === "" ? [] : [{ type: "content_block_delta", index, delta }]
      return { isChanged: false, before }
    }
    const isChanged = restorePart(fieldsOf(event["delta"]), "partial_json", stream)
    return { isChanged, before: [] }
  }
}

function restorePart(holder: Fields, name: string, stream: TextStream): boolean {
  const part = holder[name]
  if (typeof part !== "string") return false
  const restored = stream.push(part)
  holder[name] = restored
  return restored !== part
}

/** Responses and chat completions. */
function openaiCalls(restoring: Restorings): (event: Fields) => Change {
  const streams = new Map<string, TextStream>()
  const streamOf = (id: string, make: () => TextStream): TextStream => {
    const stream = streams.get(id) ?? make()
    streams.set(id, stream)
    return stream
  }
  const flushed = (id: string): string => {
    const rest = streams.get(id)?.flush() ?? ""
    streams.delete(id)
    return rest
  }
  return (event) => {
    const type = textOf(event["type"])
    if (type === "") return chatCalls(event, restoring, { streamOf, flushed })
    const id = `${textOf(event["item_id"])} ${String(event["output_index"])}`
    const isOfTool = type.startsWith("response.custom_tool_call_input")
    const isOfFunction = type.startsWith("response.function_call_arguments")
    if (!isOfTool && !isOfFunction) {
      return { isChanged: restoreAnswer("openai", event, restoring), before: [] }
    }
    if (type.endsWith(".delta")) {
      const make = isOfTool ? restoring.plainStream : restoring.jsonStream
      return { isChanged: restorePart(event, "delta", streamOf(id, make)), before: [] }
    }
    const rest = flushed(id)
    const delta = { ...withoutDone(event), type: type.replace(/\.done$/, ".delta"), delta: rest }
    const field = isOfTool ? "input" : "arguments"
    const restore = isOfTool ? restoring.plain : restoring.json
    const isChanged = restoreField(event, field, restore)
    return { isChanged, before: rest === "" ? [] : [delta] }
  }
}

function withoutDone(event: Fields): Fields {
  const { arguments: _arguments, input: _input, name: _name, ...rest } = event
  return rest
}

type Streams = {
  streamOf(id: string, make: () => TextStream): TextStream
  flushed(id: string): string
}

function chatCalls(event: Fields, restoring: Restorings, streams: Streams): Change {
  let isChanged = restoreAnswer("openai", event, restoring)
  const before: Fields[] = []
  for (const choice of listOf(event["choices"]).map(fieldsOf)) {
    const own = `choice ${String(choice["index"])}`
    for (const call of listOf(fieldsOf(choice["delta"])["tool_calls"]).map(fieldsOf)) {
      const id = `${own} ${String(call["index"])}`
      const stream = streams.streamOf(id, restoring.jsonStream)
      if (restorePart(fieldsOf(call["function"]), "arguments", stream)) isChanged = true
    }
    if (typeof choice["finish_reason"] !== "string") continue
    for (let index = 0; index < MOST_PARALLEL_CALLS; index++) {
      const rest = streams.flushed(`${own} ${index}`)
      if (rest === "") continue
      const delta = { tool_calls: [{ index, function: { arguments: rest } }] }
      before.push({ ...event, choices: [{ index: choice["index"], delta, finish_reason: null }] })
    }
  }
  return { isChanged, before }
}

const MOST_PARALLEL_CALLS = 128

/** Complete calls, of an answer that is not streamed or of the end of a stream. */
function restoreAnswer(wire: WireName, answer: Fields, restoring: Restorings): boolean {
  if (wire === "anthropic") {
    const blocks = listOf(answer["content"]).map(fieldsOf)
    const calls = blocks.filter((it) => it["type"] === "tool_use")
    return anyOf(calls.map((it) => restoreStrings(it, "input", restoring.plain)))
  }
  if (wire === "gemini") {
    const candidates = listOf(answer["candidates"]).map((it) => fieldsOf(fieldsOf(it)["content"]))
    const parts = candidates.flatMap((it) => listOf(it["parts"]).map(fieldsOf))
    const calls = parts.map((it) => fieldsOf(it["functionCall"]))
    return anyOf(calls.map((it) => restoreStrings(it, "args", restoring.plain)))
  }
  const response = fieldsOf(answer["response"])
  const outputs = [...listOf(answer["output"]), ...listOf(response["output"]), answer["item"]]
  const items = outputs.map((it) => restoreItem(fieldsOf(it), restoring))
  const messages = listOf(answer["choices"]).map((it) => fieldsOf(fieldsOf(it)["message"]))
  const calls = messages.flatMap((it) => listOf(it["tool_calls"]).map(fieldsOf))
  const functions = calls.map((it) =>
    restoreField(fieldsOf(it["function"]), "arguments", restoring.json),
  )
  return anyOf([...items, ...functions])
}

const HOST_ITEMS: ReadonlySet<unknown> = new Set([
  "apply_patch_call",
  "local_shell_call",
  "shell_call",
])

function restoreItem(item: Fields, { json, plain }: Restorings): boolean {
  if (item["type"] === "function_call") return restoreField(item, "arguments", json)
  if (item["type"] === "custom_tool_call") return restoreField(item, "input", plain)
  if (!HOST_ITEMS.has(item["type"])) return false
  return anyOf(["action", "operation"].map((it) => restoreStrings(item, it, plain)))
}

const anyOf = (changes: readonly boolean[]): boolean => changes.includes(true)

function restoreField(holder: Fields, name: string, restore: Restore): boolean {
  const text = holder[name]
  if (typeof text !== "string") return false
  holder[name] = restore(text)
  return holder[name] !== text
}

/** Deeper values do not occur in calls. */
const DEEPEST = 50

function restoreStrings(holder: Fields, name: string, restore: Restore): boolean {
  let isChanged = false
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") {
      const restored = restore(value)
      if (restored !== value) isChanged = true
      return restored
    }
    if (depth > DEEPEST) return value
    if (Array.isArray(value)) return value.map((it) => walk(it, depth + 1))
    if (!isRecord(value)) return value
    const entries = Object.entries(value).map(([key, it]) => [key, walk(it, depth + 1)])
    return Object.fromEntries(entries)
  }
  if (!(name in holder)) return false
  const walked = walk(holder[name], 0)
  if (isChanged) holder[name] = walked
  return isChanged
}
