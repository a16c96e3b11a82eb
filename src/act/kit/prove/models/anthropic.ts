import { z } from "zod"
import type { Answer, Dialect, StreamedEvent } from "./model.ts"

const Body = z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })) })

export const anthropic: Dialect = {
  isQuestion: (path) => path.endsWith("/messages"),
  read(body, text) {
    const parsed = Body.safeParse(body)
    if (!parsed.success) return undefined
    return { text, turn: parsed.data.messages.filter((it) => it.role === "assistant").length }
  },
  write(answer, number) {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: "qm-proof",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    }
    const stop_reason = answer.kind === "say" ? "end_turn" : "tool_use"
    return [
      { type: "message_start", message },
      ...block(answer, number),
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]
  },
}

function block(answer: Answer, number: number): readonly StreamedEvent[] {
  const { start, delta } = partsOf(answer, number)
  return [
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
  ]
}

function partsOf(answer: Answer, number: number): { start: object; delta: object } {
  if (answer.kind === "say") {
    const delta = { type: "text_delta", text: answer.text }
    return { start: { type: "text", text: "" }, delta }
  }
  const input = answer.kind === "call" ? answer.input : { text: answer.text }
  return {
    start: { type: "tool_use", id: `toolu_${number}`, name: answer.name, input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  }
}
