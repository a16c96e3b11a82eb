import {
  piecesOf,
  type Wire,
  type WireAnswer,
  type WireCall,
  type WireRequest,
} from "./wires-script.ts"

/** Chat Completions as a stream, at OpenAI's own path and at Azure's. */
export const openaiWire: Wire = {
  refusal(call) {
    const denied = keyRefusal(call)
    if (denied !== undefined) return denied
    const message = problemOf(call)
    return message === undefined
      ? undefined
      : { status: 400, type: "invalid_request_error", message }
  },
  read(call) {
    const body = call.body as Body
    const textsOf = (role: string) =>
      (body.messages ?? []).filter((it) => it.role === role).map((it) => textOf(it.content))
    return {
      model: modelOf(call),
      instructions: textsOf("system").join("\n"),
      prompt: textsOf("user").join("\n"),
      schema: body.response_format?.json_schema?.schema,
      texts: [],
    }
  },
  refuse: ({ type, message }) => ({ error: { message, type, param: null, code: type } }),
  events: (request, answer) => ({
    contentType: "text/event-stream",
    before: [
      ...(request.wire === "azure" ? [azureFilters()] : []),
      chunk(request, { choices: [choice({ role: "assistant", content: "" })] }),
      ...thinkingOf(request, answer),
    ],
    pieces: piecesOf(answer).map((piece) =>
      chunk(request, { choices: [choice({ content: piece })] }),
    ),
    after: "failAfter" in answer ? [failure(answer)] : endOf(request, answer),
  }),
}

type Schema = Readonly<Record<string, unknown>>
type Body = {
  readonly model?: unknown
  readonly max_tokens?: unknown
  readonly reasoning_effort?: unknown
  readonly stream?: unknown
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
  readonly response_format?: Format
}
type Format = {
  readonly type?: string
  readonly json_schema?: {
    readonly name?: string
    readonly schema?: Schema
    readonly strict?: boolean
    readonly description?: string
  }
}

function keyRefusal(call: WireCall) {
  const { headers, url, key, wire } = call
  if (wire !== "azure") {
    const isKnown = headers.authorization === `Bearer ${key}` && !headers["api-key"]
    const message = "Incorrect API key provided."
    return isKnown ? undefined : { status: 401, type: "invalid_api_key", message }
  }
  const isKnown = headers["api-key"] === key && !headers.authorization
  if (!isKnown) return { status: 401, type: "401", message: "Access denied due to invalid key." }
  const version = url.searchParams.get("api-version") ?? ""
  const isVersion = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/.test(version)
  return isVersion ? undefined : { status: 404, type: "404", message: "Resource not found" }
}

function modelOf(call: WireCall): string {
  const [, deployment] = /\/deployments\/([^/]+)\//.exec(call.url.pathname) ?? []
  return deployment === undefined ? String(call.body["model"]) : decodeURIComponent(deployment)
}

const FIELDS = new Set(
  `model messages max_tokens max_completion_tokens response_format stream stream_options temperature
  top_p seed stop user reasoning_effort verbosity frequency_penalty presence_penalty tools
  tool_choice`.split(/\s+/),
)
const ROLES = new Set(["system", "developer", "user", "assistant"])

function problemOf(call: WireCall): string | undefined {
  const body = call.body as Body
  const extra = Object.keys(body).find((it) => !FIELDS.has(it))
  if (extra !== undefined) return `Unrecognized request argument supplied: ${extra}`
  if (typeof body.model !== "string" || body.model === "")
    return "you must provide a model parameter"
  const { messages = [] } = body
  if (messages.length === 0) return "Missing required parameter: 'messages'."
  if (!messages.every((it) => ROLES.has(it.role))) return "Invalid value for 'messages[].role'."
  if (body.stream_options !== undefined && body.stream !== true) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
  }
  return thinkingProblem(body, modelOf(call)) ?? formatProblem(body)
}

function thinkingProblem(body: Body, model: string): string | undefined {
  const isThinker = /^(?:o\d|gpt-[5-9])/.test(model)
  if (isThinker && body.max_tokens !== undefined) {
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  }
  const hasEffort = body.reasoning_effort !== undefined
  return !isThinker && hasEffort
    ? "Unrecognized request argument supplied: reasoning_effort"
    : undefined
}

function formatProblem(body: Body): string | undefined {
  const format = body.response_format
  if (format === undefined || format.type === "text") return undefined
  if (format.type === "json_object") {
    const namesJson = /json/i.test(JSON.stringify(body.messages))
    return namesJson ? undefined : "'messages' must contain the word 'json' in some form."
  }
  if (format.type !== "json_schema") return "Invalid value for 'response_format.type'."
  const { name = "", schema, strict, description, ...rest } = format.json_schema ?? {}
  const [extra] = Object.keys(rest)
  if (extra !== undefined) return `Unknown parameter: 'response_format.json_schema.${extra}'.`
  if (description !== undefined && typeof description !== "string") return "Invalid description."
  if (!/^[\w-]{1,64}$/.test(name)) return "Invalid 'response_format.json_schema.name'."
  const wrong = strict === true ? strictProblem(schema) : undefined
  return wrong === undefined ? undefined : `Invalid schema for response_format '${name}': ${wrong}`
}

const STRICT_REFUSES = ["minLength", "maxLength", "default", "oneOf", "allOf", "not", "uniqueItems"]

function strictProblem(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined
  const keywords = schema as Schema
  const refused = STRICT_REFUSES.find((it) => it in keywords)
  if (refused !== undefined) return `'${refused}' is not permitted.`
  const properties = (keywords["properties"] ?? {}) as Schema
  if (keywords["type"] === "object") {
    if (keywords["additionalProperties"] !== false) {
      return "'additionalProperties' is required to be supplied and to be false."
    }
    const required = new Set((keywords["required"] ?? []) as string[])
    const isWhole = Object.keys(properties).every((it) => required.has(it))
    if (!isWhole) return "'required' is required to be an array including every key in properties."
  }
  const children = [keywords["items"], ...Object.values(properties)]
  return children.map(strictProblem).find((it) => it !== undefined)
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : []
  return parts.map((it) => it.text ?? "").join("\n")
}

function thinkingOf(request: WireRequest, answer: WireAnswer): readonly string[] {
  const thinking = "text" in answer ? answer.thinking : undefined
  if (thinking === undefined) return []
  return [chunk(request, { choices: [choice({ reasoning_content: thinking })] })]
}

const STOPS = { complete: "stop", length: "length", refused: "content_filter" } as const

function endOf(request: WireRequest, answer: WireAnswer): readonly string[] {
  const stop = "text" in answer ? (answer.stop ?? "complete") : "complete"
  const isCounted = (request.body as Body).stream_options?.include_usage === true
  const usage = "text" in answer ? answer.usage : undefined
  const counts = chunk(request, {
    choices: [],
    usage: usageOf(usage === "none" ? undefined : usage),
  })
  return [
    chunk(request, { choices: [choice({}, STOPS[stop])] }),
    ...(isCounted && usage !== "none" ? [counts] : []),
    "data: [DONE]\n\n",
  ]
}

/** Here the input tokens include those read from the cache. */
function usageOf(
  usage:
    | { readonly input: number; readonly output: number; readonly cacheRead?: number }
    | undefined,
) {
  const { input = 100, output = 20, cacheRead = 0 } = usage ?? {}
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  }
}

function choice(delta: object, finish_reason: string | null = null): object {
  return { index: 0, delta, finish_reason }
}

/** Azure sends its content filter results first, in a chunk without choices. */
function azureFilters(): string {
  const prompt_filter_results = [{ prompt_index: 0, content_filter_results: {} }]
  const empty = { id: "", object: "", created: 0, model: "", choices: [], prompt_filter_results }
  return `data: ${JSON.stringify(empty)}\n\n`
}

/** A deployment's responses name the model behind it. */
function chunk(request: WireRequest, rest: object): string {
  const model = request.wire === "azure" ? "gpt-5.4-2026-03-05" : request.model
  const whole = { id: "c-1", object: "chat.completion.chunk", created: 0, model, ...rest }
  return `data: ${JSON.stringify(whole)}\n\n`
}

function failure(answer: { readonly type: string; readonly message: string }): string {
  const error = { message: answer.message, type: answer.type, code: answer.type, param: null }
  return `data: ${JSON.stringify({ error })}\n\n`
}
