import { createHash } from "node:crypto"
import { foldReceipt, openReceipt } from "#choose/fold"

type Turn = { readonly role: "user" | "assistant"; readonly content: readonly object[] }

/** Followed by five digits: the request of a conversation, and the conversation. */
const ROUND = "round#"
const CONVERSATION = "conversation#"
const DIGITS = 5

/**
 * Numbers a body in place: requests of one conversation differ in their last message only, as those of
 * a host do. A new body for each request would make the client collect garbage in measured time.
 */
export function renumber(
  body: Buffer,
  { round, conversation }: { readonly round: number; readonly conversation?: number },
): Buffer {
  writeNumber(body, ROUND, round)
  if (conversation !== undefined) writeNumber(body, CONVERSATION, conversation)
  return body
}

function writeNumber(body: Buffer, mark: string, value: number): void {
  const digits = String(value).padStart(DIGITS, "0")
  let at = body.indexOf(mark)
  while (at !== -1) {
    body.write(digits, at + mark.length)
    at = body.indexOf(mark, at + mark.length)
  }
}

export function plainBody(bytes: number): Buffer {
  return bodyOf([...readsOf(bytes), lastTurn()])
}

/** The same work inside a returned branch, so that nearly all of it can be folded. */
export function branchBody(bytes: number, key: string): Buffer {
  const branchId = `br_${"0a".repeat(16)}`
  const opening = { id: "toolu_open", name: "mcp__qm__branch" }
  const closing = { id: "toolu_fold", name: "mcp__qm__return" }
  const open = { branchId, receipt: openReceipt(key, branchId) }
  const fold = { branchId, message: "Both files round.", receipt: foldReceipt(key, branchId) }
  return bodyOf([
    ...callOf({ ...opening, input: { task: "find it" } }, JSON.stringify(open)),
    ...readsOf(bytes),
    ...callOf({ ...closing, input: { branch_id: branchId } }, JSON.stringify(fold)),
    lastTurn(),
  ])
}

const SECRETS = 20

/** The same work, with keys in some results; longer than their placeholders. */
export function secretBody(bytes: number): Buffer {
  const keys = Array.from({ length: SECRETS }, (_, at) => {
    const key = createHash("sha512").update(`key ${at}`).digest("hex").slice(0, 93)
    return callOf({ id: `toolu_key_${at}`, name: "Read", input: {} }, `API=sk-ant-api03-${key}AA`)
  })
  return bodyOf([...readsOf(bytes), ...keys.flat(), lastTurn()])
}

function bodyOf(turns: readonly Turn[]): Buffer {
  const body = {
    model: "claude-bench",
    messages: [textTurn("user", `Find where cents are lost, ${CONVERSATION}00000.`), ...turns],
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
function readsOf(bytes: number): readonly Turn[] {
  const count = Math.max(1, Math.round((bytes - 8_000) / FILE_BYTES))
  return Array.from({ length: count }, (_, at) => {
    const line = (row: number) => `${row}\tconst cents_${at}_${row} = round(bill[${row}] * ${at})\n`
    const read = { id: `toolu_${at}`, name: "Read", input: { file_path: `/p/${at}.ts` } }
    const text = Array.from({ length: 400 }, (__, row) => line(row)).join("")
    return callOf(read, `// ${CONVERSATION}00000\n${text}`.slice(0, FILE_BYTES))
  }).flat()
}

type Call = { readonly id: string; readonly name: string; readonly input: object }

function callOf({ id, name, input }: Call, content: string): readonly Turn[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
  ]
}

function lastTurn(): Turn {
  return textTurn("user", `Now go on: ${ROUND}00000.`)
}

function textTurn(role: Turn["role"], text: string): Turn {
  return { role, content: [{ type: "text", text }] }
}
