import { isRecord, type JsonRecord } from "#ground/base"

/** A message of the Messages wire. */
export type Turn = {
  /** Unknown: neither by its role nor by its content one that we can read. */
  readonly role: "user" | "assistant" | "system" | "unknown"
  readonly blocks: readonly JsonRecord[]
  /** As it came. */
  readonly value: JsonRecord
  /** Why it cannot be folded, in words; null when it can. Where it stays, nothing hangs on it. */
  readonly doubt: string | null
}

export function turnOf(value: unknown): Turn {
  if (!isRecord(value)) return unknownTurn({}, "a message is no object")
  const { role, content } = value
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return unknownTurn(value, "a message has a role that is not known")
  }
  const blocks = blocksOf(content)
  if (blocks === undefined) return unknownTurn(value, "a message has content of an unknown form")
  const isStrange = role === "system" && blocks.some((it) => it.type !== "text")
  const doubt = isStrange ? "a system turn has a block that is not known" : null
  return { role, blocks, value, doubt }
}

function unknownTurn(value: JsonRecord, doubt: string): Turn {
  return { role: "unknown", blocks: [], value, doubt }
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

export function callIds({ role, blocks }: Turn): readonly unknown[] {
  if (role !== "assistant") return []
  return blocks.filter((it) => it.type === "tool_use").map((it) => it.id)
}
