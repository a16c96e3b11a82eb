import fc from "fast-check"
import { foldReceipt, openReceipt } from "#choose/fold"
import { LEAST_FOLDED_BYTES, wireStateOf } from "./fold-body.ts"

export const KEY = "k".repeat(64)
export const ANTHROPIC = { wire: "anthropic", key: KEY } as const

type Json = Record<string, unknown>
export type Message = { role: string; content: string | Json[] } & Json

type ToldCall =
  | {
      readonly tool: "Read" | "ToolSearch" | "AskUserQuestion" | "Screenshot"
      readonly size: number
    }
  | { readonly tool: "branch"; readonly how: "ours" | "foreign" | "failed" }
  | {
      readonly tool: "return"
      readonly of: number
      readonly how: "good" | "failed" | "silent"
      readonly names: boolean
    }

type Step = {
  readonly calls: readonly ToldCall[]
  readonly thinks: boolean
  readonly beside: readonly ("lazy" | "skill" | "typed" | "reminder" | "picture")[]
  readonly system: "hook" | "style" | "nag" | "config" | "none"
  readonly strange: UnknownMessageKind
}

/** Whether `return` always gives a receipt, or only when the branch is eligible. */
export type Server = "careless" | "honest"

export type Answer = {
  readonly callId: string
  readonly tool: ToldCall["tool"]
  readonly at: number
  readonly mark: string
  readonly branchId?: string
  readonly isGood?: boolean
}

type Receipt = { readonly branchId: string; readonly callId: string; readonly at: number }

export type WireStory = {
  readonly messages: readonly Message[]
  readonly requests: readonly number[]
  readonly answers: readonly Answer[]
  readonly typed: readonly { readonly at: number; readonly mark: string }[]
  readonly receipts: readonly Receipt[]
}

type StoryBuilder = {
  messages: Message[]
  requests: number[]
  answers: Answer[]
  typed: { at: number; mark: string }[]
  receipts: Receipt[]
  branches: string[]
  count: number
  readonly server: Server
}

const NOTHING_OPEN: ReturnType<typeof wireStateOf> = { branches: [], doubt: null }
const LAZY = "<system-reminder>\nContents of /repo/sub/CLAUDE.md:\n\n"

export function tell(steps: readonly Step[], server: Server = "careless"): WireStory {
  const telling: StoryBuilder = {
    messages: [
      { role: "user", content: [{ type: "text", text: "go" }] },
      { role: "system", content: "# Environment", output_config: { effort: "medium" } },
    ],
    requests: [],
    answers: [],
    typed: [],
    receipts: [],
    branches: [],
    count: 0,
    server,
  }
  for (const step of steps) tellStep(telling, step)
  telling.requests.push(telling.messages.length)
  return telling
}

function tellStep(telling: StoryBuilder, step: Step): void {
  const { messages, requests } = telling
  requests.push(messages.length)
  const number = ++telling.count
  const thinking = { type: "thinking", thinking: "", signature: `s${number}` }
  const ids = step.calls.map((_, place) => `toolu_${number}_${place}`)
  // The model can name only branches that it has seen.
  const openBranches = [...telling.branches]
  const uses = step.calls.map((it, place) => ({
    type: "tool_use",
    id: ids[place],
    name: toolName(it),
    input: inputOf(it, openBranches),
  }))
  const content = uses.length === 0 ? [{ type: "text", text: `said ${number}` }] : uses
  messages.push({ role: "assistant", content: step.thinks ? [thinking, ...content] : content })
  const at = messages.length
  const hasReturn = telling.server === "honest" && step.calls.some((it) => it.tool === "return")
  const state = hasReturn ? wireStateOf(requestOf(telling, at - 1), ANTHROPIC) : NOTHING_OPEN
  const results = step.calls.map((it, place) => {
    const answer = { call: it, callId: ids[place] ?? "", at, known: openBranches, state }
    return resultOf(telling, answer)
  })
  const beside = step.beside.map((it) => besideOf(telling, it, at))
  const next = uses.length === 0 ? [typedBlock(telling, at)] : []
  messages.push({ role: "user", content: [...results, ...beside, ...next] })
  const system = systemOf(step.system, number)
  if (system !== undefined) messages.push(system)
  if (step.strange === "none") return
  requests.push(messages.length)
  const place = { number, last: messages.at(-1), callId: `toolu_${Math.ceil(number / 2)}_0` }
  messages.push(...strangeMessages(step.strange, place))
}

function toolName(call: ToldCall): string {
  if (call.tool === "branch" && call.how === "foreign") return "mcp__other__branch"
  return call.tool === "branch" || call.tool === "return" ? `mcp__qm__${call.tool}` : call.tool
}

function inputOf(call: ToldCall, branchIds: readonly string[]): Json {
  if (call.tool !== "return") return { what: call.tool }
  const branchId = branchIds[call.of % Math.max(1, branchIds.length)]
  return call.names && branchId !== undefined ? { branch_id: branchId } : { message: "m" }
}

type FoldCall = {
  readonly call: ToldCall
  readonly callId: string
  readonly at: number
  readonly known: readonly string[]
  readonly state: ReturnType<typeof wireStateOf>
}

function resultOf(telling: StoryBuilder, foldCall: FoldCall): Json {
  const { call, callId, at } = foldCall
  const mark = `mark-${callId}-`
  if (call.tool === "branch") return branchResult(telling, foldCall, mark)
  if (call.tool === "return") return returnResult(telling, foldCall, mark)
  telling.answers.push({ callId, tool: call.tool, at, mark })
  const text = { type: "text", text: `${mark}${"x".repeat(call.size)}` }
  const extra = {
    Read: [],
    AskUserQuestion: [],
    ToolSearch: [{ type: "tool_reference", tool_name: "Late" }],
    Screenshot: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
    ],
  }[call.tool]
  const content = extra.length === 0 ? text.text : [text, ...extra]
  return { tool_use_id: callId, type: "tool_result", content }
}

function branchResult(telling: StoryBuilder, { call, callId, at }: FoldCall, mark: string): Json {
  const how = call.tool === "branch" ? call.how : "failed"
  if (how === "failed") {
    return { tool_use_id: callId, type: "tool_result", content: "refused", is_error: true }
  }
  const branchId = `br_${telling.branches.length.toString(16).padStart(32, "0")}`
  telling.branches.push(branchId)
  const key = how === "ours" ? KEY : "another key"
  telling.answers.push({ callId, tool: "branch", at, mark, branchId })
  const content = JSON.stringify({ branch_id: branchId, mark, receipt: openReceipt(key, branchId) })
  return { tool_use_id: callId, type: "tool_result", content }
}

function returnResult(telling: StoryBuilder, foldCall: FoldCall, mark: string): Json {
  const { call, callId, at, known, state } = foldCall
  const branchId = call.tool === "return" ? known[call.of % Math.max(1, known.length)] : undefined
  const how = call.tool === "return" ? call.how : "failed"
  if (branchId === undefined || how === "failed") {
    return { tool_use_id: callId, type: "tool_result", content: "no", is_error: true }
  }
  telling.answers.push({ callId, tool: "return", at, mark, branchId, isGood: true })
  const open = state.branches.find((it) => it.branchId === branchId)
  const isEligible = open !== undefined && open.bytesAfter >= LEAST_FOLDED_BYTES
  const hasReceipt = telling.receipts.some((it) => it.branchId === branchId)
  const gives = how === "good" && (telling.server === "careless" || (isEligible && !hasReceipt))
  if (gives) telling.receipts.push({ branchId, callId, at })
  const receipt = gives ? foldReceipt(KEY, branchId) : "none"
  const content = [
    { type: "text", text: `Branch ${branchId} returned: ${mark}` },
    { type: "text", text: receipt },
  ]
  return { tool_use_id: callId, type: "tool_result", content }
}

function typedBlock(telling: StoryBuilder, at: number): Json {
  const mark = `typed-${telling.typed.length}-`
  telling.typed.push({ at, mark })
  return { type: "text", text: `please ${mark}` }
}

function besideOf(telling: StoryBuilder, kind: Step["beside"][number], at: number): Json {
  const marked = (before: string, after: string) => {
    const mark = `${kind}-${telling.typed.length}-`
    telling.typed.push({ at, mark })
    return { type: "text", text: `${before}${mark}${after}` }
  }
  switch (kind) {
    case "typed":
      return typedBlock(telling, at)
    case "lazy":
      return marked(LAZY, "\n</system-reminder>")
    case "skill":
      return marked("Base directory for this skill: /s\n\n", "")
    case "picture":
      return {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: marked("", "").text },
      }
    case "reminder":
      return { type: "text", text: "<system-reminder>\nremember the list\n</system-reminder>" }
    default:
      return kind satisfies never
  }
}

function systemOf(kind: Step["system"], number: number): Message | undefined {
  switch (kind) {
    case "none":
      return undefined
    case "hook":
      return { role: "system", content: `PostToolUse:Read hook additional context: h${number}` }
    case "style":
      return { role: "system", content: "Brief output style is active. Be brief." }
    case "nag":
      return { role: "system", content: "The user hasn't heard from you in a while. Speak." }
    case "config":
      return { role: "system", content: `s${number}`, output_config: { effort: `e${number % 3}` } }
    default:
      return kind satisfies never
  }
}

/** As the host sends it: the last system turn in blocks, a cache marker on the last block. */
export function requestOf({ messages }: Pick<WireStory, "messages">, length: number): Buffer {
  const sent = structuredClone(messages.slice(0, length))
  const last = sent.at(-1)
  if (last?.role === "system" && typeof last.content === "string") {
    last.content = [{ type: "text", text: last.content }]
  }
  const user = sent.findLast((it) => it.role === "user")
  const block = Array.isArray(user?.content) ? user.content.at(-1) : undefined
  if (block !== undefined) block.cache_control = { type: "ephemeral" }
  return bodyOf(sent)
}

export function bodyOf(messages: readonly unknown[], more: Json = {}): Buffer {
  const system = [{ type: "text", text: "x-anthropic-billing-header: cc_version=2.1.325;" }]
  const tools = [{ name: "Read" }, { name: "Late", defer_loading: true }]
  return Buffer.from(JSON.stringify({ model: "m", messages, system, tools, stream: true, ...more }))
}

const size = fc.constantFrom(40, 900, 3_000)

const anyCall: fc.Arbitrary<ToldCall> = fc.oneof(
  fc.record({
    tool: fc.constantFrom("Read", "Read", "ToolSearch", "AskUserQuestion", "Screenshot"),
    size,
  }),
  fc.record({
    tool: fc.constant("branch" as const),
    how: fc.constantFrom("ours", "ours", "ours", "ours", "foreign", "failed"),
  }),
  fc.record({
    tool: fc.constant("return" as const),
    of: fc.constantFrom(0, 0, 1, 1, 2, 3),
    how: fc.constantFrom("good", "good", "good", "good", "failed", "silent"),
    names: fc.constantFrom(true, true, false),
  }),
)

const anyStep: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(anyCall, { maxLength: 3 }),
  thinks: fc.boolean(),
  beside: fc.array(fc.constantFrom("lazy", "skill", "typed", "reminder", "picture"), {
    maxLength: 2,
  }),
  system: fc.constantFrom("none", "none", "hook", "style", "nag", "config"),
  strange: fc.oneof(
    { weight: 9, arbitrary: fc.constant("none" as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom("system block", "system block", "user block", "role", "twice"),
    },
  ),
})

const OPENING: Step = {
  calls: [
    { tool: "branch", how: "ours" },
    { tool: "Read", size: 3_000 },
  ],
  thinks: true,
  beside: [],
  system: "none",
  strange: "none",
}
const WORK: Step = { ...OPENING, calls: [{ tool: "Read", size: 3_000 }] }

/** With branches that are nested, crossed, parallel, failed and never closed. */
export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(anyStep, { minLength: 3, maxLength: 12 })
  .map((steps) => [OPENING, WORK, ...steps])

/** Messages that we do not know, and some that no host should send. */
type UnknownMessageKind = "none" | "system block" | "user block" | "role" | "twice"

type TurnPosition = {
  readonly number: number
  readonly last: Message | undefined
  readonly callId: string
}

function strangeMessages(
  kind: UnknownMessageKind,
  { number, last, callId }: TurnPosition,
): Message[] {
  switch (kind) {
    case "none":
      return []
    case "system block": {
      const turn = { role: "system", content: [{ type: "tool_addition", tools: [number] }] }
      // Two system turns in a row are never legal.
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
