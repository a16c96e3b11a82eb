import { foldReceipt, openReceipt } from "#choose/fold"
import { parseJson } from "#ground/base"
import { listOf, recordOf } from "../read/json.ts"
import { foldBody } from "./fold-body.ts"
import { KEY } from "./story.fixture.ts"

export const OPENAI = { wire: "openai", key: KEY } as const
export const LONG = "x".repeat(3_000)

export type Item = Record<string, unknown>

export const call = (id: string, name: string, input = {}): Item => ({
  type: "function_call",
  namespace: "mcp__qm",
  name,
  arguments: JSON.stringify(input),
  call_id: id,
})
export const output = (id: string, text: string): Item => ({
  type: "function_call_output",
  call_id: id,
  output: [
    { type: "input_text", text: "Wall time: 0.1 seconds\nOutput:" },
    { type: "input_text", text },
  ],
})
export const message = (role: string, text: string): Item => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
})
export const reasoning = (id: string): Item => ({
  type: "reasoning",
  id,
  summary: [],
  encrypted_content: "e",
})
export const opened = (id: string, branchId: string) =>
  output(id, `open ${openReceipt(KEY, branchId)}`)
export const returned = (id: string, branchId: string) =>
  output(id, `end ${foldReceipt(KEY, branchId)}`)

export function bodyOf(input: readonly Item[], more: Item = {}): Buffer {
  return Buffer.from(JSON.stringify({ model: "m", input, store: false, ...more }))
}

export function sent(input: readonly Item[], more: Item = {}): readonly Item[] {
  const body = bodyOf(input, more)
  const outcome = foldBody(body, OPENAI)
  const read = parseJson((outcome.kind === "folded" ? outcome.body : body).toString())
  return listOf(recordOf(read).input).map(recordOf)
}
