import { type JsonRecord } from "#ground/base"
import { jsonOf, listOf, recordOf, textOf } from "../json.ts"
import { IMAGE_TOKENS, type RawItem, settingsItem } from "./raw-item.ts"

export function geminiItems(body: JsonRecord): readonly RawItem[] {
  const inner = body["generateContentRequest"]
  const { systemInstruction, system_instruction, tools, contents, ...settings } =
    inner === undefined ? body : recordOf(inner)
  const system = recordOf(systemInstruction ?? system_instruction)
  return [
    ...partsOf(system).map(
      (it): RawItem => ({
        kind: "prompt",
        name: "system",
        text: textOf(it["text"]) || jsonOf(it),
      }),
    ),
    ...listOf(tools).flatMap((it) => toolItems(recordOf(it))),
    settingsItem(jsonOf(settings)),
    ...numbered(listOf(contents).flatMap((it) => contentItems(recordOf(it)))),
  ]
}

function partsOf(content: JsonRecord): readonly JsonRecord[] {
  return listOf(content["parts"]).map(recordOf)
}

/** Functions are declared together; a provider tool is one key. */
function toolItems(tool: JsonRecord): readonly RawItem[] {
  const declared = listOf(tool["functionDeclarations"] ?? tool["function_declarations"])
  if (declared.length === 0) {
    return [{ kind: "tool", name: Object.keys(tool)[0] ?? "tool", text: jsonOf(tool) }]
  }
  return declared.map((tool) => {
    const name = textOf(recordOf(tool)["name"]) || "tool"
    return { kind: "tool", name, text: jsonOf(tool) }
  })
}

function contentItems(content: JsonRecord): readonly RawItem[] {
  const isModel = content["role"] === "model"
  return partsOf(content).map((part) => partItem(part, isModel))
}

function partItem(part: JsonRecord, isModel: boolean): RawItem {
  const text = textOf(part["text"])
  const call = part["functionCall"]
  const response = part["functionResponse"]
  if (call !== undefined) return callItem("call", recordOf(call), "args")
  if (response !== undefined) return callItem("result", recordOf(response), "response")
  if (part["inlineData"] !== undefined || part["fileData"] !== undefined) return pictureItem(part)
  if (typeof part["text"] !== "string") return { kind: "other", name: "part", text: jsonOf(part) }
  if (part["thought"] === true) return { kind: "thinking", name: "thinking", text }
  return isModel
    ? { kind: "assistant", name: "assistant", text }
    : { kind: "user", name: "user", text }
}

function callItem(kind: "call" | "result", part: JsonRecord, key: string): RawItem {
  const name = textOf(part["name"]) || "tool"
  return { kind, name, text: jsonOf(part[key]), callId: textOf(part["id"]) || name }
}

/** Calls often have no id: then the first answer of a name belongs to its first call. */
function numbered(items: readonly RawItem[]): readonly RawItem[] {
  const counts = new Map<string, number>()
  return items.map((item) => {
    if (item.callId === undefined) return item
    const key = `${item.kind} ${item.callId}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return { ...item, callId: `${item.callId} ${count}` }
  })
}

function pictureItem(part: JsonRecord): RawItem {
  const json = jsonOf(part)
  const held = recordOf(part["inlineData"] ?? part["fileData"])
  return {
    kind: "image",
    name: textOf(held["mimeType"]) || "image",
    text: "",
    bytes: Buffer.byteLength(json),
    tokens: IMAGE_TOKENS,
    identity: json,
  }
}
