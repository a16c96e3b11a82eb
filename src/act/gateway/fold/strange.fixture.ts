import type { Message } from "./story.fixture.ts"

/** What a host or a provider may bring one day that we do not know, and what none should bring. */
export type Strange = "none" | "system block" | "user block" | "role" | "twice"

type Place = {
  readonly number: number
  readonly last: Message | undefined
  /** Of a call long ago. */
  readonly callId: string
}

export function strangeMessages(kind: Strange, { number, last, callId }: Place): Message[] {
  switch (kind) {
    case "none":
      return []
    case "system block": {
      const turn = { role: "system", content: [{ type: "tool_addition", tools: [number] }] }
      // Two system turns in a row are legal nowhere.
      return last?.role === "system" ? [{ role: "user", content: "go on" }, turn] : [turn]
    }
    case "user block":
      return [{ role: "user", content: [{ type: "strange", number }] }]
    case "role":
      return [{ role: "developer", content: `strange ${number}` }]
    case "twice": {
      const call = { type: "tool_use", id: callId, name: "Read", input: { again: number } }
      const result = { type: "tool_result", tool_use_id: callId, content: "again" }
      return [
        { role: "assistant", content: [call] },
        { role: "user", content: [result] },
      ]
    }
    default:
      return kind satisfies never
  }
}
