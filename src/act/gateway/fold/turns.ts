import { isRecord, type JsonRecord } from "#ground/base"

export type Turn = {
  readonly role: "user" | "assistant" | "system" | "unknown"
  readonly blocks: readonly JsonRecord[]
  readonly value: JsonRecord
  /** Why it cannot be folded; null when it can. */
  readonly doubt: string | null
}

export function turnOf(value: unknown): Turn {
  if (!isRecord(value)) return unknownTurn({}, "a message is not an object")
  const { role, content } = value
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return unknownTurn(value, "a message has an unknown role")
  }
  const blocks = blocksOf(content)
  if (blocks === undefined) return unknownTurn(value, "a message has content of an unknown form")
  const isStrange = role === "system" && blocks.some((it) => it.type !== "text")
  const doubt = isStrange ? "a system turn has an unknown block" : null
  return { role, blocks, value, doubt }
}

function unknownTurn(value: JsonRecord, doubt: string): Turn {
  return { role: "unknown", blocks: [], value, doubt }
}

/** A string equals one text block. */
export function blocksOf(content: unknown): readonly JsonRecord[] | undefined {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) return undefined
  const blocks: readonly unknown[] = content
  return blocks.every((it) => isRecord(it) && typeof it.type === "string")
    ? blocks.filter(isRecord)
    : undefined
}

export function textIn(content: unknown): string {
  const texts = (blocksOf(content) ?? []).map((it) => it.text)
  return texts.filter((it) => typeof it === "string").join("\n")
}

export function resultIn(turn: Turn | undefined, callId: unknown): JsonRecord | undefined {
  if (turn?.role !== "user") return undefined
  return turn.blocks.find((it) => it.type === "tool_result" && it.tool_use_id === callId)
}

export function callIds({ role, blocks }: Turn): readonly unknown[] {
  if (role !== "assistant") return []
  return blocks.filter((it) => it.type === "tool_use").map((it) => it.id)
}
