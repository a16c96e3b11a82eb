import { type JsonRecord } from "#ground/base"
import { isSummary, SUMMARY_NAME } from "../compaction.ts"
import { LAZY_OPENING } from "../item-reasons.ts"
import { jsonOf, listOf, recordOf, textOf, withoutMarkers } from "../json.ts"
import { IMAGE_TOKENS, type RawItem, settingsItem, thinkingItem } from "./raw-item.ts"

/**
 * Anthropic Messages API: system, tools, then turns. Text that a file could have forged is marked
 * as a claim.
 */
export function anthropicItems(body: JsonRecord): readonly RawItem[] {
  const { system, tools, messages, model: _, ...settings } = body
  return [
    ...systemItems(system),
    ...listOf(tools).map((it) => toolItem(recordOf(it))),
    settingsItem(jsonOf(settings)),
    ...anthropicTurns(listOf(messages)),
  ]
}

function systemItems(system: unknown): readonly RawItem[] {
  const blocks = typeof system === "string" ? [{ type: "text", text: system }] : listOf(system)
  return blocks.map((content) => {
    const block = recordOf(content)
    const text = textOf(block["text"])
    if (text.startsWith(BILLING)) return billingItem(text)
    return block["type"] === "text" ? { kind: "prompt", name: "system", text } : otherItem(block)
  })
}

const BILLING = "x-anthropic-billing-header"

/** Differs in every request and tells the model nothing. */
function billingItem(text: string): RawItem {
  return { kind: "other", name: "billing", text, identity: BILLING, isPrivate: true }
}

function toolItem(tool: JsonRecord): RawItem {
  const { defer_loading: isDeferred, ...rest } = withoutMarkers(tool)
  return {
    kind: "tool",
    name: textOf(tool["name"]) || textOf(tool["type"]) || "tool",
    text: jsonOf(rest),
    ...(isDeferred === true ? { isDeferred: true } : {}),
  }
}

/** For a whole request, or for the turns removed by a fold. */
export function anthropicTurns(turns: readonly unknown[]): readonly RawItem[] {
  const toolNames = new Map<string, string>()
  return turns.flatMap((message) => {
    const turn = recordOf(message)
    const content = turn["content"]
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)
    const records = blocks.map((block) => recordOf(block))
    const results = records.filter(isResult).map(idOf)
    const hasAttached = records.some((block) => textOf(block["text"]).startsWith(ATTACHED))
    const around = { role: textOf(turn["role"]), results, hasAttached, toolNames }
    return records.flatMap((block) => blockItems(block, around))
  })
}

type MessageContext = {
  readonly role: string
  readonly results: readonly string[]
  readonly hasAttached: boolean
  readonly toolNames: Map<string, string>
}

function isResult(block: JsonRecord): boolean {
  return textOf(block["type"]).endsWith("tool_result")
}

function idOf(block: JsonRecord): string {
  return textOf(block["tool_use_id"])
}

function blockItems(block: JsonRecord, around: MessageContext): readonly RawItem[] {
  const type = textOf(block["type"])
  if (type === "text") return [textItem(textOf(block["text"]), around)]
  if (type === "thinking" || type === "redacted_thinking") return [thoughtItem(block)]
  if (type.endsWith("tool_use")) return [callItem(block, around)]
  if (isResult(block)) return resultItems(block, around)
  return type === "image" || type === "document" ? [pictureItem(block)] : [otherItem(block)]
}

function thoughtItem(block: JsonRecord): RawItem {
  const text = textOf(block["thinking"])
  const seal = textOf(block["signature"]) || textOf(block["data"])
  return thinkingItem({ text, seal, identity: `${text}\0${seal}` })
}

function callItem(block: JsonRecord, { toolNames }: MessageContext): RawItem {
  const name = textOf(block["name"]) || "tool"
  const callId = textOf(block["id"])
  toolNames.set(callId, name)
  return { kind: "call", name, text: jsonOf(block["input"]), callId }
}

function resultItems(block: JsonRecord, { toolNames }: MessageContext): readonly RawItem[] {
  const { content } = block
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : contentOf(content)
  const isPicture = (it: JsonRecord) => it["type"] === "image" || it["type"] === "document"
  const texts = parts.filter((it) => !isPicture(it)).map(partText)
  const callId = idOf(block)
  const name = toolNames.get(callId) ?? "tool"
  return [
    { kind: "result", name, text: texts.join("\n"), callId },
    ...parts.filter(isPicture).map((it) => ({ ...pictureItem(it), callId })),
  ]
}

/** Results of the provider's own tools are objects. */
function contentOf(content: unknown): readonly JsonRecord[] {
  if (Array.isArray(content)) return content.map(recordOf)
  return content === undefined || content === null ? [] : [recordOf(content)]
}

function partText(part: JsonRecord): string {
  return part["type"] === "text" ? textOf(part["text"]) : jsonOf(withoutMarkers(part))
}

function pictureItem(block: JsonRecord): RawItem {
  const source = recordOf(block["source"])
  const isText = source["type"] === "text"
  if (isText) return { kind: "other", name: "document", text: textOf(source["data"]) }
  const json = jsonOf(withoutMarkers(block))
  const name = textOf(source["media_type"]) || textOf(block["type"])
  return {
    kind: "image",
    name,
    text: "",
    bytes: Buffer.byteLength(json),
    tokens: IMAGE_TOKENS,
    identity: json,
  }
}

function otherItem(block: JsonRecord): RawItem {
  return {
    kind: "other",
    name: textOf(block["type"]) || "block",
    text: jsonOf(withoutMarkers(block)),
  }
}

function textItem(text: string, around: MessageContext): RawItem {
  if (around.role === "assistant") return { kind: "assistant", name: "assistant", text }
  if (around.role === "system") return { kind: "system", name: "system", text, claims: "turn" }
  return userItem(text, around)
}

const INSTRUCTIONS_OPENING = "<system-reminder>\nCodebase and user instructions are shown below."

/** Before the result of a call of the host itself. */
const ATTACHED = "<system-reminder>\nResult of calling the "

/** Hosts write into user turns; the rest was typed. */
function userItem(text: string, around: MessageContext): RawItem {
  const { results, hasAttached, toolNames } = around
  if (text.startsWith(INSTRUCTIONS_OPENING)) {
    return { kind: "instructions", name: "instructions", text, claims: "instructions" }
  }
  const isSkill = text.startsWith(SKILL_BODY) && results.some((it) => toolNames.get(it) === "Skill")
  if (isSkill) return { kind: "skill", name: skillName(text), text, beside: results }
  if (isSummary(text)) return { kind: "user", name: SUMMARY_NAME, text }
  if (!text.startsWith("<system-reminder>")) return { kind: "user", name: "user", text }
  const [, called, tool] = /^<system-reminder>\n(Called|Result of calling) the (\w+) tool/.exec(
    text.slice(0, 200),
  ) ?? ["", "", ""]
  if (called === "Called") return { kind: "call", name: tool ?? "", text, isAttached: true }
  if (called !== "") return { kind: "result", name: tool ?? "", text, isAttached: true }
  const isLazy = (results.length > 0 || hasAttached) && text.startsWith(LAZY_OPENING)
  const reminder = { kind: "reminder", name: reminderName(text), text } as const
  return isLazy ? { ...reminder, claims: "lazy", beside: results } : reminder
}

const SKILL_BODY = "Base directory for this skill: "

function skillName(text: string): string {
  const [line = ""] = text.slice(SKILL_BODY.length, SKILL_BODY.length + 4_096).split("\n")
  return line.split(/[/\\]/).at(-1) || "skill"
}

function reminderName(text: string): string {
  const start = text.slice(0, 400)
  if (start.includes("\n# gitStatus\n")) return "gitStatus"
  return start.startsWith("<system-reminder>\nAttribution for git") ? "attribution" : "reminder"
}
