import { isRecord, type JsonRecord } from "#ground/base"
import { isSummary, SUMMARY_NAME } from "../compaction.ts"
import { firstText, jsonOf, listOf, recordOf, textOf } from "../json.ts"
import { IMAGE_TOKENS, type RawItem, settingsItem, thinkingItem } from "./raw-item.ts"

export function responsesItems(body: JsonRecord): readonly RawItem[] {
  const { instructions, tools, input, model: _, ...settings } = body
  const prompt = textOf(instructions)
  return [
    ...(prompt === "" ? [] : [{ kind: "prompt", name: "instructions", text: prompt } as const]),
    ...listOf(tools).flatMap((it) => openaiTool(recordOf(it))),
    settingsItem(jsonOf(settings)),
    ...responsesTurns(typeof input === "string" ? [userMessage(input)] : listOf(input), {
      hasPrompt: prompt !== "",
    }),
  ]
}

function userMessage(text: string): JsonRecord {
  return { type: "message", role: "user", content: text }
}

/** Tools of a server come as one namespace. */
function openaiTool(tool: JsonRecord): readonly RawItem[] {
  if (tool["type"] === "namespace") {
    const server = textOf(tool["name"])
    const words = textOf(tool["description"])
    return [
      ...(words === "" ? [] : [{ kind: "server", name: server, text: words } as const]),
      ...listOf(tool["tools"]).map((it) => namedTool(recordOf(it), `${server}__`)),
    ]
  }
  return [namedTool(tool, "")]
}

function namedTool(tool: JsonRecord, prefix: string): RawItem {
  const name = firstText(tool["name"], recordOf(tool["function"])["name"], tool["type"], "tool")
  return { kind: "tool", name: `${prefix}${name}`, text: jsonOf(tool) }
}

/** For a whole request, or for the items removed by a fold. */
export function responsesTurns(
  input: readonly unknown[],
  { hasPrompt }: { readonly hasPrompt: boolean } = { hasPrompt: true },
): readonly RawItem[] {
  const around: InputContext = { names: new Map(), isPromptKnown: hasPrompt }
  return input.flatMap((it) => inputItems(recordOf(it), around))
}

type InputContext = {
  readonly names: Map<string, string>
  /** The first developer message is the prompt, unless `instructions` has it. */
  isPromptKnown: boolean
}

function inputItems(item: JsonRecord, around: InputContext): readonly RawItem[] {
  const type = firstText(item["type"], isRecord(item) && "role" in item ? "message" : "")
  if (type === "message") return messageItems(item, around)
  if (type === "reasoning") return [reasoningItem(item)]
  if (type.endsWith("_call_output")) return outputItems(item, around)
  if (type.endsWith("_call")) return [callItem(item, type, around)]
  return [{ kind: "other", name: type || "item", text: jsonOf(item) }]
}

function messageItems(message: JsonRecord, around: InputContext): readonly RawItem[] {
  const { content } = message
  const role = textOf(message["role"])
  const parts = typeof content === "string" ? [{ text: content }] : listOf(content).map(recordOf)
  const isPrompt = (role === "developer" || role === "system") && !around.isPromptKnown
  if (isPrompt) around.isPromptKnown = true
  return parts.map((part) => {
    if (typeof part["text"] !== "string") return pictureItem(part)
    const text = part["text"]
    return isPrompt ? { kind: "prompt", name: "system", text } : spokenItem(role, text)
  })
}

function spokenItem(role: string, text: string): RawItem {
  if (role === "assistant") return { kind: "assistant", name: "assistant", text }
  if (text.startsWith("<environment_context>")) {
    return { kind: "environment", name: "environment", text }
  }
  if (role === "developer" || role === "system") return developerItem(text)
  return text.startsWith("# AGENTS.md instructions")
    ? { kind: "instructions", name: "instructions", text, claims: "agents-md" }
    : { kind: "user", name: isSummary(text) ? SUMMARY_NAME : "user", text }
}

function developerItem(text: string): RawItem {
  if (text.startsWith("<skills_instructions>")) {
    return { kind: "system", name: "skills", text, claims: "skill-list" }
  }
  return text.startsWith("<permissions instructions>")
    ? { kind: "environment", name: "permissions", text }
    : { kind: "system", name: "developer", text, claims: "developer" }
}

function reasoningItem(item: JsonRecord): RawItem {
  const texts = [...listOf(item["summary"]), ...listOf(item["content"])]
  const text = texts.map((it) => textOf(recordOf(it)["text"])).join("\n")
  const seal = textOf(item["encrypted_content"])
  return thinkingItem({ text, seal, identity: `${text}\0${seal}` })
}

function callItem(item: JsonRecord, type: string, { names }: InputContext): RawItem {
  const space = textOf(item["namespace"])
  const own = firstText(item["name"], type.slice(0, -"_call".length))
  const name = space === "" ? own : `${space}__${own}`
  const callId = firstText(item["call_id"], item["id"])
  names.set(callId, name)
  const { type: _type, id: _id, call_id: _call, name: _name, status: _status, ...rest } = item
  const text = firstText(item["arguments"], item["input"]) || jsonOf(rest)
  return { kind: "call", name, text, callId }
}

function outputItems(item: JsonRecord, { names }: InputContext): readonly RawItem[] {
  const callId = textOf(item["call_id"])
  const name = names.get(callId) ?? "tool"
  const { output } = item
  const parts = Array.isArray(output) ? output.map(recordOf) : []
  const isPicture = (it: JsonRecord) => textOf(it["type"]).endsWith("image")
  const texts = parts.filter((it) => !isPicture(it)).map((it) => textOf(it["text"]) || jsonOf(it))
  const whole = typeof output === "string" ? output : jsonOf(output)
  const text = Array.isArray(output) ? texts.join("\n") : whole
  return [
    { kind: "result", name, text, callId },
    ...parts.filter(isPicture).map((it) => ({ ...pictureItem(it), callId })),
  ]
}

function pictureItem(part: JsonRecord): RawItem {
  const json = jsonOf(part)
  const type = textOf(part["type"])
  if (!/image|file|audio/.test(type)) return { kind: "other", name: type || "part", text: json }
  return {
    kind: "image",
    name: type,
    text: "",
    bytes: Buffer.byteLength(json),
    tokens: IMAGE_TOKENS,
    identity: json,
  }
}

export function chatItems(body: JsonRecord): readonly RawItem[] {
  const { tools, messages, functions, model: _, ...settings } = body
  const names = new Map<string, string>()
  const around = { names, isPromptKnown: false }
  return [
    ...[...listOf(tools), ...listOf(functions)].flatMap((it) => openaiTool(recordOf(it))),
    settingsItem(jsonOf(settings)),
    ...listOf(messages).flatMap((it) => chatMessage(recordOf(it), around)),
  ]
}

function chatMessage(message: JsonRecord, around: InputContext): readonly RawItem[] {
  const role = textOf(message["role"])
  const contentItems = message["content"] === null ? [] : messageItems(message, around)
  if (role === "tool" || role === "function") {
    const callId = textOf(message["tool_call_id"])
    const name = around.names.get(callId) ?? firstText(message["name"], "tool")
    return contentItems.map((it) =>
      it.kind === "image" ? it : { ...it, kind: "result", name, callId },
    )
  }
  return [
    ...contentItems,
    ...listOf(message["tool_calls"]).map((it) => chatCall(recordOf(it), around)),
  ]
}

function chatCall(call: JsonRecord, { names }: InputContext): RawItem {
  const definition = recordOf(call["function"] ?? call["custom"])
  const name = firstText(definition["name"], "tool")
  const callId = textOf(call["id"])
  names.set(callId, name)
  const text = firstText(definition["arguments"], definition["input"]) || jsonOf(definition)
  return { kind: "call", name, text, callId }
}
