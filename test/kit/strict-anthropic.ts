import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import {
  type Block,
  blocksOf,
  createBinding,
  createCache,
  type MessagesBody,
  mismatchesOf,
  type SimulatedUsage,
  signatureOf,
  textOfResult,
  violationsOf,
} from "./strict-wire.ts"

export type ModelTurn = string | readonly Call[]

/**
 * One tool call. `as` names it, and `$name` in the input of a later call is replaced by the id of
 * the branch that the named call opened; `$secret` by the first placeholder of a secret, `$handle` by
 * the first handle.
 */
export type Call = {
  readonly use: string
  readonly input: object
  readonly as?: string
  /** The call waits until the story that begins with this text has ended. */
  readonly after?: string
}

/** Turns that follow a text of the user; the newest text in a conversation selects its story. */
export type ScriptedStory = { readonly hears: string; readonly says: readonly ModelTurn[] }

export type StrictRequest = {
  readonly session: string
  readonly agent: string | null
  readonly headers: IncomingHttpHeaders
  readonly body: MessagesBody
  readonly bytes: number
  readonly usage: SimulatedUsage
  readonly violations: readonly string[]
  readonly mismatches: readonly string[]
  readonly status: number
}

export type StrictOptions = {
  readonly stories: readonly ScriptedStory[]
  /**
   * Answers thinking of another conversation with 400, like the provider does for newer accounts.
   */
  readonly enforce?: boolean
  readonly refuses?: (body: MessagesBody) => boolean
  /** Whether the provider has dropped its cache before this request. */
  readonly evicts?: (body: MessagesBody) => boolean
  /** This number of requests is answered with 529 before the first good answer. */
  readonly overloaded?: number
  readonly gzip?: boolean
}

type Conversation = {
  story: ScriptedStory | undefined
  readonly answered: Map<ScriptedStory, number>
  awaited: string | undefined
  /** Its thinking was refused once, so the host may have dropped it. */
  mayStrip: boolean
  model: string
  readonly callByName: Map<string, string>
  readonly branchByCall: Map<string, string>
  readonly hadThinking: Set<string>
}

const NO_STORY = "I have nothing to do."
const SUMMARY = "<summary>What was done so far, in short: SUMMARY-1.</summary>"

/**
 * A Messages API as strict as the provider: it checks each request by the rules, binds thinking to its conversation, counts tokens with a cache, and records every request. A story advances with
 * each answered request, independent of what is left of it in the request.
 */
export async function strictAnthropic(options: StrictOptions) {
  const state: State = {
    options,
    cache: await createCache(),
    conversations: new Map(),
    requests: [],
    counted: { requests: 0 },
    told: new Set(),
    waiting: [],
    overloaded: options.overloaded ?? 0,
    calls: 0,
  }
  const server = createServer((request, response) => {
    const whole = buffer(request).catch(() => Buffer.alloc(0))
    void whole.then((bytes) => {
      const path = new URL(request.url ?? "/", "http://model").pathname
      const body: unknown = parsed(bytes)
      if (request.method !== "POST" || body === undefined) return sendError(response, 404, "no")
      if (path.endsWith("/count_tokens")) return count(state, bytes, response)
      if (!path.endsWith("/messages")) return sendError(response, 404, "only messages")
      const received = { headers: request.headers, body: body as MessagesBody, bytes: bytes.length }
      return answer(state, received, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    counted: state.counted,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type State = {
  readonly options: StrictOptions
  readonly cache: Awaited<ReturnType<typeof createCache>>
  readonly conversations: Map<string, Conversation>
  readonly requests: StrictRequest[]
  readonly counted: { requests: number }
  readonly told: Set<string>
  readonly waiting: { readonly hears: string; ready(): void }[]
  overloaded: number
  calls: number
}

type MessagesRequest = {
  readonly headers: IncomingHttpHeaders
  readonly body: MessagesBody
  readonly bytes: number
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function count(state: State, bytes: Buffer, response: ServerResponse): void {
  state.counted.requests += 1
  sendJson(response, 200, { input_tokens: state.cache.count(bytes.toString()) })
}

function answer(state: State, request: MessagesRequest, response: ServerResponse): void {
  const { body } = request
  const session = String(request.headers["x-claude-code-session-id"] ?? "")
  const agent = request.headers["x-claude-code-agent-id"]?.toString() ?? null
  const conversation = conversationOf(state, `${session} ${agent}`, body)
  learnBranches(conversation, body)
  const mismatches = mismatchesOf(body)
  const violations = [...violationsOf(body), ...lostThinking(conversation, body)]
  const refusal = refusalOf(state, { body, mismatches, violations })
  if (state.options.evicts?.(body) === true) state.cache.evict()
  const usage = state.cache.use(body)
  const status = refusal?.status ?? 200
  conversation.mayStrip ||= refusal !== undefined && mismatches.length > 0
  state.requests.push({ ...request, session, agent, usage, violations, mismatches, status })
  if (refusal !== undefined) return sendError(response, refusal.status, refusal.message)
  const content = [...thinkingFor(body), ...saidNext(state, { conversation, body })]
  const ready = (): void => send(state, { conversation, body, usage, content }, response)
  const { story } = conversation
  if (story !== undefined && conversation.answered.get(story) === story.says.length) {
    response.on("close", () => endStory(state, story.hears))
  }
  const awaited = conversation.awaited
  if (awaited === undefined || state.told.has(awaited)) return ready()
  state.waiting.push({ hears: awaited, ready })
}

function endStory(state: State, hears: string): void {
  state.told.add(hears)
  for (const waiting of state.waiting.splice(0)) {
    if (waiting.hears === hears) waiting.ready()
    else state.waiting.push(waiting)
  }
}

type JudgedRequest = {
  readonly body: MessagesBody
  readonly mismatches: readonly string[]
  readonly violations: readonly string[]
}

function refusalOf(
  state: State,
  judged: JudgedRequest,
): { status: number; message: string } | undefined {
  if (state.overloaded > 0) {
    state.overloaded -= 1
    return { status: 529, message: "Overloaded" }
  }
  const [mismatch] = judged.mismatches
  if (judged.violations.length > 0) return { status: 400, message: judged.violations.join("; ") }
  if (state.options.refuses?.(judged.body) === true) {
    return { status: 400, message: "this request is not wanted" }
  }
  if (mismatch === undefined || state.options.enforce !== true) return undefined
  const reply =
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation."
  return { status: 400, message: `${mismatch}: ${reply}` }
}

/**
 * The newest text that begins a story selects it; a summary may have removed it from the request
 * since.
 */
function conversationOf(state: State, key: string, body: MessagesBody): Conversation {
  const current = state.conversations.get(key)
  const conversation = current ?? {
    story: undefined,
    answered: new Map<ScriptedStory, number>(),
    awaited: undefined,
    mayStrip: false,
    model: body.model,
    callByName: new Map<string, string>(),
    branchByCall: new Map<string, string>(),
    hadThinking: new Set<string>(),
  }
  state.conversations.set(key, conversation)
  // Thinking belongs to a model, so the host drops it when the model changes.
  conversation.mayStrip ||= conversation.model !== body.model
  conversation.model = body.model
  conversation.story = newestStory(state.options.stories, heardIn(body)) ?? conversation.story
  return conversation
}

function heardIn(body: MessagesBody): string {
  return body.messages
    .filter((it) => it.role === "user")
    .flatMap((it) => blocksOf(it.content).map((block) => block.text ?? ""))
    .join("\n")
}

export function newestStory(
  stories: readonly ScriptedStory[],
  text: string,
): ScriptedStory | undefined {
  return stories
    .map((story) => ({ story, at: text.lastIndexOf(story.hears) }))
    .filter((it) => it.at !== -1)
    .toSorted((a, b) => b.at - a.at)[0]?.story
}

/** Reads the id of a branch when its call is first answered; a fold may remove it later. */
function learnBranches(conversation: Conversation, body: MessagesBody): void {
  for (const block of body.messages.flatMap((it) => blocksOf(it.content))) {
    const call = block.tool_use_id ?? ""
    if (block.type !== "tool_result" || conversation.branchByCall.has(call)) continue
    const id = /br_[0-9a-f]{32}/.exec(textOfResult(block))?.[0]
    if (id !== undefined) conversation.branchByCall.set(call, id)
  }
}

/**
 * A turn of the open tool loop must not come back without its thinking, unless it was refused. Of
 * finished turns it may be left out; that it is missing between other blocks shows in the signatures
 * of those.
 */
function lostThinking(conversation: Conversation, body: MessagesBody): readonly string[] {
  const hasThinking = (blocks: readonly Block[]): boolean =>
    blocks.some((it) => it.type === "thinking")
  const turns = body.messages
    .filter((it) => it.role === "assistant")
    .map((it) => blocksOf(it.content))
  const finished = turns.findLastIndex((it) => it.every((block) => block.type !== "tool_use"))
  if (conversation.mayStrip || !turns.some(hasThinking)) return []
  return turns.slice(finished + 1).flatMap((blocks) => {
    const call = blocks.find((it) => it.type === "tool_use")?.id ?? ""
    const isLost = conversation.hadThinking.has(call) && !hasThinking(blocks)
    return isLost ? [`the turn of ${call} lost its thinking`] : []
  })
}

type MessagesResponse = {
  readonly conversation: Conversation
  readonly body: MessagesBody
  readonly usage: SimulatedUsage
  readonly content: readonly Block[]
}

function send(state: State, answering: MessagesResponse, response: ServerResponse): void {
  const { body, usage, conversation, content } = answering
  for (const block of content) {
    const isCall = block.type === "tool_use" && content[0]?.type === "thinking"
    if (isCall) conversation.hadThinking.add(block.id ?? "")
  }
  const message = {
    id: `msg_${state.requests.length}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: content.some((it) => it.type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: 20,
    },
  }
  const events = body.stream === true ? eventsOf(message) : JSON.stringify(message)
  const type = body.stream === true ? "text/event-stream" : "application/json"
  const isPacked = state.options.gzip === true
  response.writeHead(200, {
    "content-type": type,
    "request-id": `req_${state.requests.length}`,
    ...(isPacked && { "content-encoding": "gzip" }),
  })
  response.end(isPacked ? gzipSync(events) : events)
}

function thinkingFor(body: MessagesBody): readonly Block[] {
  const isOn = body.thinking !== undefined && !JSON.stringify(body.thinking).includes("disabled")
  if (!isOn) return []
  const signature = signatureOf(createBinding(body).whole)
  return [{ type: "thinking", thinking: "I think about it.", signature }]
}

function saidNext(
  state: State,
  { conversation, body }: Pick<MessagesResponse, "conversation" | "body">,
): readonly Block[] {
  const last = body.messages.findLast((it) => it.role === "user")
  const asksSummary = JSON.stringify(last?.content ?? "").includes("summary of the conversation")
  if (asksSummary) return [{ type: "text", text: SUMMARY }]
  const reply = tell(conversation) ?? NO_STORY
  conversation.awaited = undefined
  if (typeof reply === "string") return [{ type: "text", text: reply }]
  conversation.awaited = reply.find((it) => it.after !== undefined)?.after
  return reply.map((call) => {
    const id = `toolu_${String(state.calls).padStart(4, "0")}`
    state.calls += 1
    if (call.as !== undefined) conversation.callByName.set(call.as, id)
    return { type: "tool_use", id, name: call.use, input: inputOf(conversation, call, body) }
  })
}

function tell({ story, answered }: Conversation): ModelTurn | undefined {
  if (story === undefined) return undefined
  const turn = answered.get(story) ?? 0
  answered.set(story, turn + 1)
  return story.says[turn]
}

function inputOf(conversation: Conversation, call: Call, body: MessagesBody): unknown {
  const filled = JSON.stringify(call.input).replace(/\$(\w+)/g, (whole, name: string) => {
    if (name === "handle") return /rh_[0-9a-f]{32}/.exec(JSON.stringify(body))?.[0] ?? "none"
    if (name === "secret") return /QMSECRET_\w+/.exec(JSON.stringify(body))?.[0] ?? "no secret"
    const id = conversation.callByName.get(name)
    return id === undefined ? whole : (conversation.branchByCall.get(id) ?? "br_unknown")
  })
  return JSON.parse(filled)
}

type SentMessage = {
  readonly content: readonly Block[]
  readonly stop_reason: string
  readonly usage: object
}

function eventsOf(message: SentMessage): string {
  const events: string[] = []
  const say = (type: string, rest: object): void =>
    void events.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  say("message_start", { message: { ...message, content: [], stop_reason: null } })
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = partsOf(block)
    say("content_block_start", { index, content_block: start })
    for (const delta of deltas) say("content_block_delta", { index, delta })
    say("content_block_stop", { index })
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null }
  say("message_delta", { delta, usage: message.usage })
  say("message_stop", {})
  return events.join("")
}

function partsOf(block: Block): { readonly start: Block; readonly deltas: readonly Block[] } {
  if (block.type === "thinking") {
    const { thinking, signature } = block
    const deltas = [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ]
    return { start: { ...block, thinking: "", signature: "" }, deltas }
  }
  if (block.type === "text") {
    return {
      start: { ...block, text: "" },
      deltas: [{ type: "text_delta", text: block.text ?? "" }],
    }
  }
  const parts = JSON.stringify(block["input"]).match(/[\s\S]{1,7}/g) ?? []
  const deltas = parts.map((partial_json) => ({ type: "input_json_delta", partial_json }))
  return { start: { ...block, input: {} }, deltas }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status === 529 ? "overloaded_error" : "invalid_request_error"
  sendJson(response, status, { type: "error", error: { type, message } })
}
