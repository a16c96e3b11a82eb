import { isRecord, type JsonRecord } from "../read/json.ts"

/** A message of the Messages wire. */
export type Turn = {
  readonly role: "user" | "assistant" | "system"
  readonly blocks: readonly JsonRecord[]
  /** As it came. */
  readonly value: JsonRecord
}

/** The messages of a request, or in words why they are not ones that we know. */
export function turnsOf(messages: readonly unknown[]): readonly Turn[] | string {
  const turns: Turn[] = []
  for (const value of messages) {
    const turn = turnOf(value)
    if (typeof turn === "string") return turn
    turns.push(turn)
  }
  return turns
}

function turnOf(value: unknown): Turn | string {
  if (!isRecord(value)) return "a message is no object"
  const { role, content } = value
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return "a message has a role that is not known"
  }
  const blocks = blocksOf(content)
  if (blocks === undefined) return "a message has content of an unknown form"
  if (role === "system" && blocks.some((it) => it.type !== "text")) {
    return "a system turn has a block that is not known"
  }
  return { role, blocks, value }
}

/** A string is the same as one block of text. */
export function blocksOf(content: unknown): readonly JsonRecord[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) return undefined
  const blocks: readonly unknown[] = content
  return blocks.every((it) => isRecord(it) && typeof it.type === "string")
    ? blocks.filter(isRecord)
    : undefined
}

/** The text of an answer, whether it came as a string or in blocks. */
export function textIn(content: unknown): string {
  const texts = (blocksOf(content) ?? []).map((it) => it.text)
  return texts.filter((it) => typeof it === "string").join("\n")
}

export function resultIn(turn: Turn | undefined, callId: unknown): JsonRecord | undefined {
  if (turn?.role !== "user") return undefined
  return turn.blocks.find((it) => it.type === "tool_result" && it.tool_use_id === callId)
}
