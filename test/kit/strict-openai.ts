import { hash } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { zstdDecompressSync } from "node:zlib"
import { createTokens } from "#ground/tokens"
import { type Call, newestStory, type ScriptedStory } from "./strict-anthropic.ts"

export type InputItem = {
  readonly type: string
  readonly call_id?: string
  readonly name?: string
} & Readonly<Record<string, unknown>>
export type ResponsesBody = {
  readonly model: string
  readonly instructions?: string
  readonly tools?: readonly unknown[]
  readonly input: readonly InputItem[]
}

export type StrictResponse = {
  readonly thread: string
  readonly body: ResponsesBody
  readonly bytes: number
  readonly tokens: number
  readonly cached: number
  readonly violations: readonly string[]
  readonly mismatches: readonly string[]
  readonly status: number
}

export type StrictOpenAiOptions = {
  readonly stories: readonly ScriptedStory[]
  readonly enforce?: boolean
  readonly refuses?: (body: ResponsesBody) => boolean
}

/**
 * A Responses API as Codex uses it: calls and outputs must be pairs, reasoning is sealed for its
 * conversation, and a story advances with each answer. A server's tool is named with its namespace:
 * `mcp__qm/branch`.
 */
export async function strictOpenAi(options: StrictOpenAiOptions) {
  const counter = await createTokens({ encoding: "o200k" }).counter()
  const state: State = {
    options,
    count: counter.count,
    conversations: new Map(),
    requests: [],
    kept: new Set(),
    calls: 0,
  }
  const server = createServer((request, response) => {
    const whole = buffer(request).catch(() => Buffer.alloc(0))
    void whole.then((sent) => {
      const isPacked = request.headers["content-encoding"] === "zstd"
      const bytes = isPacked ? zstdDecompressSync(sent) : sent
      const path = new URL(request.url ?? "/", "http://model").pathname
      const isQuestion =
        request.method === "POST" && path.endsWith("/responses") && bytes.length > 0
      if (!isQuestion) {
        return sendError(response, 404, "only responses")
      }
      const body: ResponsesBody = JSON.parse(bytes.toString())
      return answer(state, { headers: request.headers, body, bytes: bytes.length }, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Conversation = {
  readonly story: ScriptedStory | undefined
  answered: number
  readonly callByName: Map<string, string>
  readonly branchByCall: Map<string, string>
}

type State = {
  readonly options: StrictOpenAiOptions
  count(text: string): number
  readonly conversations: Map<string, Conversation>
  readonly requests: StrictResponse[]
  readonly kept: Set<string>
  calls: number
}

type ResponsesRequest = {
  readonly headers: IncomingHttpHeaders
  readonly body: ResponsesBody
  readonly bytes: number
}

function answer(
  state: State,
  { headers, body, bytes }: ResponsesRequest,
  response: ServerResponse,
): void {
  const thread = String(headers["thread-id"] ?? headers["session-id"] ?? "")
  const conversation = conversationOf(state, thread, body)
  learnBranches(conversation, body)
  const prefixes = prefixesOf(body)
  const violations = violationsOf(body)
  const mismatches = body.input.flatMap((item, index) => {
    const isBound = item.type !== "reasoning" || item["encrypted_content"] === seal(prefixes[index])
    return isBound ? [] : [`input.${index}`]
  })
  const { tokens, cached } = use(state, body, prefixes)
  const refusal = refusalOf(state, { body, violations, mismatches })
  const status = refusal === undefined ? 200 : 400
  state.requests.push({ thread, body, bytes, tokens, cached, violations, mismatches, status })
  if (refusal !== undefined) return sendError(response, 400, refusal)
  const whole = prefixes.at(-1)
  return send(response, {
    id: `resp_${state.requests.length}`,
    output: saidNext(state, conversation, whole),
    usage: {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: tokens + 20,
    },
  })
}

function conversationOf(state: State, key: string, body: ResponsesBody): Conversation {
  const current = state.conversations.get(key)
  if (current !== undefined) return current
  const text = JSON.stringify(body.input)
  const conversation = {
    story: newestStory(state.options.stories, text),
    answered: 0,
    callByName: new Map<string, string>(),
    branchByCall: new Map<string, string>(),
  }
  state.conversations.set(key, conversation)
  return conversation
}

function learnBranches(conversation: Conversation, body: ResponsesBody): void {
  for (const item of body.input) {
    const call = item.call_id ?? ""
    const isNew = item.type === "function_call_output" && !conversation.branchByCall.has(call)
    const id = isNew ? /br_[0-9a-f]{32}/.exec(JSON.stringify(item["output"]))?.[0] : undefined
    if (id !== undefined) conversation.branchByCall.set(call, id)
  }
}

function prefixesOf(body: ResponsesBody): readonly string[] {
  const base = JSON.stringify([body.instructions ?? "", body.tools ?? []])
  const prefixes = [hash("sha256", base)]
  for (const item of body.input) {
    // Fields that the host adds to returned reasoning are not part of the original.
    const content = item.type === "reasoning" ? item["encrypted_content"] : item
    prefixes.push(hash("sha256", `${prefixes.at(-1)}${JSON.stringify(content)}`))
  }
  return prefixes
}

function seal(prefix: string | undefined): string {
  return `sealed-${prefix ?? ""}`
}

function violationsOf(body: ResponsesBody): readonly string[] {
  const problems: string[] = []
  const callsOf = (isCall: boolean): readonly (string | undefined)[] =>
    body.input
      .filter((it) => /_call(_output)?$/.test(it.type) && it.type.endsWith("_call") === isCall)
      .map((it) => it.call_id)
  const calls = callsOf(true)
  const outputs = callsOf(false)
  for (const id of calls) if (!outputs.includes(id)) problems.push(`no output for ${id}`)
  for (const id of outputs) if (!calls.includes(id)) problems.push(`no call for ${id}`)
  for (const ids of [calls, outputs]) {
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) !== index) problems.push(`${id} is there twice`)
    }
  }
  for (const [index, item] of body.input.entries()) {
    const next = body.input[index + 1]?.type ?? "message"
    const isLoose = item.type === "reasoning" && next.endsWith("_output")
    if (isLoose) problems.push(`input.${index}: reasoning without the item that it belongs to`)
    const before = body.input.slice(0, index).map((it) => it.call_id)
    const isEarly = item.type.endsWith("_output") && !before.includes(item.call_id)
    if (isEarly) problems.push(`input.${index}: an output before its call`)
  }
  if (Reflect.has(body, "previous_response_id")) problems.push("previous_response_id is not known")
  return problems
}

function use(state: State, body: ResponsesBody, prefixes: readonly string[]) {
  const sizes = [JSON.stringify([body.instructions ?? "", body.tools ?? []])]
    .concat(body.input.map((it) => JSON.stringify(it)))
    .map(state.count)
  let tokens = 0
  let cached = 0
  for (const [index, size] of sizes.entries()) {
    tokens += size
    if (state.kept.has(prefixes[index] ?? "")) cached = tokens
  }
  for (const prefix of prefixes) state.kept.add(prefix)
  return { tokens, cached }
}

type JudgedRequest = Pick<StrictResponse, "body" | "violations" | "mismatches">

function refusalOf(
  state: State,
  { body, violations, mismatches }: JudgedRequest,
): string | undefined {
  if (violations.length > 0) return violations.join("; ")
  if (state.options.refuses?.(body) === true) return "this request is not wanted"
  const isWrong = mismatches.length > 0 && state.options.enforce === true
  return isWrong ? `${mismatches[0]}: encrypted content could not be verified` : undefined
}

function saidNext(
  state: State,
  conversation: Conversation,
  prefix: string | undefined,
): readonly InputItem[] {
  const reply = conversation.story?.says[conversation.answered] ?? "I have nothing to do."
  conversation.answered += 1
  const id = String(state.requests.length)
  const reasoning = {
    type: "reasoning",
    id: `rs_${id}`,
    summary: [],
    encrypted_content: seal(prefix),
  }
  if (typeof reply === "string") {
    const content = [{ type: "output_text", text: reply }]
    return [reasoning, { type: "message", id: `msg_${id}`, role: "assistant", content }]
  }
  return [reasoning, ...reply.map((call) => callItem(state, conversation, call))]
}

function callItem(state: State, conversation: Conversation, call: Call): InputItem {
  const number = String(state.calls).padStart(4, "0")
  state.calls += 1
  const call_id = `call_${number}`
  if (call.as !== undefined) conversation.callByName.set(call.as, call_id)
  const filled = JSON.stringify(call.input).replace(/\$(\w+)/g, (whole, name: string) => {
    const id = conversation.callByName.get(name)
    return id === undefined ? whole : (conversation.branchByCall.get(id) ?? "br_unknown")
  })
  const [tool = "", namespace] = call.use.split("/").toReversed()
  return {
    type: "function_call",
    id: `fc_${number}`,
    call_id,
    name: tool,
    ...(namespace !== undefined && { namespace }),
    arguments: filled,
  }
}

type Response = {
  readonly id: string
  readonly output: readonly InputItem[]
  readonly usage: object
}

function send(response: ServerResponse, whole: Response): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const say = (type: string, rest: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  say("response.created", { response: { id: whole.id } })
  for (const [output_index, item] of whole.output.entries()) {
    say("response.output_item.added", { output_index, item })
    say("response.output_item.done", { output_index, item })
  }
  say("response.completed", { response: whole })
  response.end()
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const error = { message, type: "invalid_request_error", param: null, code: null }
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }))
}
