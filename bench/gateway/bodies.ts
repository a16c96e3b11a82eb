import { createHash } from "node:crypto"
import { foldReceipt, openReceipt } from "#choose/fold"

type Turn = { readonly role: "user" | "assistant"; readonly content: readonly object[] }

/**
 * A request of a conversation: rounds of the same conversation differ in their last message only, as
 * the requests of a host do.
 */
type BodyOptions = {
  readonly bytes: number
  readonly round: number
  readonly conversation?: number
}

export function plainBody({ bytes, round, conversation = 0 }: BodyOptions): Buffer {
  return bodyOf([...readsOf(bytes, conversation), lastTurn(round)])
}

/** The same work inside a returned branch, so that nearly all of it can be folded. */
export function branchBody({ bytes, round, conversation = 0 }: BodyOptions, key: string): Buffer {
  const branchId = `br_${"0a".repeat(16)}`
  const opening = { id: "toolu_open", name: "mcp__qm__branch" }
  const closing = { id: "toolu_fold", name: "mcp__qm__return" }
  const open = { branchId, receipt: openReceipt(key, branchId) }
  const fold = { branchId, message: "Both files round.", receipt: foldReceipt(key, branchId) }
  return bodyOf([
    ...callOf({ ...opening, input: { task: "find it" } }, JSON.stringify(open)),
    ...readsOf(bytes, conversation),
    ...callOf({ ...closing, input: { branch_id: branchId } }, JSON.stringify(fold)),
    lastTurn(round),
  ])
}

const SECRETS = 20

/** The same work, with keys in some results; longer than their placeholders. */
export function secretBody({ bytes, round, conversation = 0 }: BodyOptions): Buffer {
  const keys = Array.from({ length: SECRETS }, (_, at) => {
    const key = createHash("sha512").update(`key ${at}`).digest("hex").slice(0, 93)
    return callOf({ id: `toolu_key_${at}`, name: "Read", input: {} }, `API=sk-ant-api03-${key}AA`)
  })
  return bodyOf([...readsOf(bytes, conversation), ...keys.flat(), lastTurn(round)])
}

function bodyOf(turns: readonly Turn[]): Buffer {
  const body = {
    model: "claude-bench",
    messages: [textTurn("user", "Find where cents are lost."), ...turns],
    system: [{ type: "text", text: "You are an agent. ".repeat(200) }],
    tools: ["Read", "mcp__qm__branch", "mcp__qm__return"].map((name) => ({
      name,
      description: "What it does, in words. ".repeat(20),
      input_schema: { type: "object", properties: {} },
    })),
    max_tokens: 32_000,
    stream: true,
  }
  return Buffer.from(JSON.stringify(body))
}

const FILE_BYTES = 16_000

/** Each file has different lines, because identical text would be counted once. */
function readsOf(bytes: number, conversation: number): readonly Turn[] {
  const count = Math.max(1, Math.round((bytes - 8_000) / FILE_BYTES))
  return Array.from({ length: count }, (_, at) => {
    const name = conversation === 0 ? "cents" : `cents${conversation}`
    const line = (row: number) =>
      `${row}\tconst ${name}_${at}_${row} = round(bill[${row}] * ${at})\n`
    const read = { id: `toolu_${at}`, name: "Read", input: { file_path: `/p/${at}.ts` } }
    const text = Array.from({ length: 400 }, (__, row) => line(row)).join("")
    return callOf(read, text.slice(0, FILE_BYTES))
  }).flat()
}

type Call = { readonly id: string; readonly name: string; readonly input: object }

function callOf({ id, name, input }: Call, content: string): readonly Turn[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ]
}

function lastTurn(round: number): Turn {
  return textTurn("user", `Now go on with part ${round}.`)
}

function textTurn(role: Turn["role"], text: string): Turn {
  return { role, content: [{ type: "text", text }] }
}
