import { z } from "zod"
import type { Answer, Dialect } from "./model.ts"

const Body = z.looseObject({ input: z.array(z.looseObject({ type: z.string().optional() })) })

export const responses: Dialect = {
  isQuestion: (path) => path.endsWith("/responses"),
  read(body, text) {
    const parsed = Body.safeParse(body)
    if (!parsed.success) return undefined
    return { text, turn: parsed.data.input.filter((it) => OUTPUTS.has(it.type ?? "")).length }
  },
  write(answer, number) {
    const response = { id: `resp_${number}` }
    const item = itemOf(answer, number)
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    }
    return [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...response, output: [item], usage } },
    ]
  },
}

const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output"])

function itemOf(answer: Answer, number: number): object {
  if (answer.kind === "say") {
    const content = [{ type: "output_text", text: answer.text }]
    return { type: "message", id: `msg_${number}`, role: "assistant", content }
  }
  const call = {
    call_id: `call_${number}`,
    name: answer.name,
    ...(answer.namespace === undefined ? {} : { namespace: answer.namespace }),
  }
  return answer.kind === "call"
    ? {
        type: "function_call",
        id: `fc_${number}`,
        ...call,
        arguments: JSON.stringify(answer.input),
      }
    : { type: "custom_tool_call", id: `ct_${number}`, ...call, input: answer.text }
}
