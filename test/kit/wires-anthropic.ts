import {
  piecesOf,
  type Wire,
  type WireAnswer,
  type WireCall,
  type WireRequest,
} from "./wires-script.ts"

/** The Messages API of version 2023-06-01, as a stream. */
export const anthropicWire: Wire = {
  refusal(call) {
    const isKnown = call.headers["x-api-key"] === call.key && !call.headers.authorization
    if (!isKnown) {
      return { status: 401, type: "authentication_error", message: "invalid x-api-key" }
    }
    const message = problemOf(call)
    return message === undefined
      ? undefined
      : { status: 400, type: "invalid_request_error", message }
  },
  read(call) {
    const body = call.body as Body
    const [json] = body.tools ?? []
    return {
      model: String(body.model),
      instructions: textOf(body.system),
      prompt: (body.messages ?? []).map((it) => textOf(it.content)).join("\n"),
      schema: body.output_config?.format?.schema ?? json?.input_schema,
      texts: [],
    }
  },
  refuse: ({ type, message }) => ({ type: "error", error: { type, message } }),
  events: (request, answer) => ({
    contentType: "text/event-stream",
    before: [
      event("message_start", { message: messageOf(request, usageOf(answer)) }),
      ...thinkingOf(answer),
      event("content_block_start", { index: 1, content_block: blockOf(request) }),
    ],
    pieces: piecesOf(answer).map((piece) =>
      event("content_block_delta", { index: 1, delta: deltaOf(request, piece) }),
    ),
    after: "failAfter" in answer ? [failure(answer)] : endOf(request, answer),
  }),
}

type Block = { readonly type: string; readonly text?: string }
type Body = {
  readonly model?: unknown
  readonly max_tokens?: unknown
  readonly stream?: unknown
  readonly system?: unknown
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: number }
  readonly output_config?: {
    readonly effort?: string
    readonly format?: { readonly type?: string; readonly schema?: Schema }
  }
  readonly tools?: readonly { readonly name: string; readonly input_schema?: Schema }[]
}
type Schema = Readonly<Record<string, unknown>>

const FIELDS = new Set(
  `model max_tokens messages system stream temperature top_p top_k stop_sequences thinking
  output_config tools tool_choice metadata service_tier`.split(/\s+/),
)

function problemOf(call: WireCall): string | undefined {
  const body = call.body as Body
  if (call.headers["anthropic-version"] !== "2023-06-01")
    return "anthropic-version: header is required"
  if (!call.headers["content-type"]?.startsWith("application/json")) return "content-type: not JSON"
  const extra = Object.keys(body).find((it) => !FIELDS.has(it))
  if (extra !== undefined) return `${extra}: Extra inputs are not permitted`
  if (typeof body.model !== "string" || body.model === "") return "model: Field required"
  const most = body.max_tokens
  if (!Number.isInteger(most) || Number(most) < 1) return "max_tokens: Field required"
  return messagesProblem(body) ?? thinkingProblem(body) ?? formatProblem(body)
}

function messagesProblem(body: Body): string | undefined {
  const { messages = [] } = body
  if (messages.length === 0) return "messages: at least one message is required"
  const isRoleKnown = messages.every((it) => it.role === "user" || it.role === "assistant")
  if (!isRoleKnown) return "messages: Input should be 'user' or 'assistant'"
  const blocks = messages.flatMap((it) =>
    Array.isArray(it.content) ? (it.content as Block[]) : [],
  )
  const isEmpty = blocks.some((it) => it.type === "text" && it.text === "")
  return isEmpty ? "messages: text content blocks must be non-empty" : undefined
}

function thinkingProblem(body: Body): string | undefined {
  const { thinking } = body
  if (thinking === undefined) return undefined
  const isKnown = /^(?:adaptive|disabled|enabled|between_tools)$/.test(thinking.type ?? "")
  if (!isKnown) return "thinking.type: unknown"
  const budget = thinking.budget_tokens ?? 0
  const isBudgetBad =
    thinking.type === "enabled" && (budget < 1_024 || budget >= Number(body.max_tokens))
  return isBudgetBad
    ? "thinking.budget_tokens: must be at least 1024 and below max_tokens"
    : undefined
}

const EFFORTS = new Set([undefined, "low", "medium", "high", "xhigh", "max"])

function formatProblem(body: Body): string | undefined {
  const { effort, format, ...rest } = body.output_config ?? {}
  if (Object.keys(rest).length > 0) return "output_config: Extra inputs are not permitted"
  if (!EFFORTS.has(effort)) return "output_config.effort: unknown"
  if (format === undefined) return undefined
  if (format.type !== "json_schema") return "output_config.format.type: unknown"
  return schemaProblem(format.schema)
}

const REFUSED_KEYWORDS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"]

function schemaProblem(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined
  const keywords = schema as Schema
  const refused = REFUSED_KEYWORDS.find((it) => it in keywords)
  if (refused !== undefined) return `output_config.format.schema: '${refused}' is not supported`
  const isOpen = keywords["type"] === "object" && keywords["additionalProperties"] !== false
  if (isOpen) return "output_config.format.schema: 'additionalProperties' must be set to false"
  const children = [keywords["items"], ...Object.values((keywords["properties"] ?? {}) as object)]
  return children.map(schemaProblem).find((it) => it !== undefined)
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? (content as Block[]).map((it) => it.text ?? "").join("\n") : ""
}

/** Older models get a schema as the input of a tool and answer by calling it. */
function isTool(request: WireRequest): boolean {
  return ((request.body as Body).tools ?? []).length > 0
}

function blockOf(request: WireRequest): object {
  const tool = { type: "tool_use", id: "toolu_1", name: "json", input: {} }
  return isTool(request) ? tool : { type: "text", text: "" }
}

function deltaOf(request: WireRequest, piece: string): object {
  const input = { type: "input_json_delta", partial_json: piece }
  return isTool(request) ? input : { type: "text_delta", text: piece }
}

function thinkingOf(answer: WireAnswer): readonly string[] {
  const thinking = "text" in answer ? answer.thinking : undefined
  if (thinking === undefined) return []
  return [
    event("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking } }),
    event("content_block_stop", { index: 0 }),
  ]
}

function usageOf(answer: WireAnswer) {
  const usage = "text" in answer && answer.usage !== "none" ? answer.usage : undefined
  return {
    input_tokens: usage?.input ?? 100,
    output_tokens: usage?.output ?? 20,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
  }
}

function messageOf(request: WireRequest, usage: object): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
}

const STOPS = { complete: "end_turn", length: "max_tokens", refused: "refusal" } as const

function endOf(request: WireRequest, answer: WireAnswer): readonly string[] {
  const stop = "text" in answer ? (answer.stop ?? "complete") : "complete"
  const stop_reason = isTool(request) && stop === "complete" ? "tool_use" : STOPS[stop]
  return [
    event("content_block_stop", { index: 1 }),
    event("message_delta", {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usageOf(answer).output_tokens },
    }),
    event("message_stop", {}),
  ]
}

function failure(answer: { readonly type: string; readonly message: string }): string {
  return event("error", { error: { type: answer.type, message: answer.message } })
}

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
}
