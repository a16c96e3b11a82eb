import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync, zstdDecompressSync } from "node:zlib"

export type ModelRequest = {
  readonly wire: Wire
  readonly last: string
  readonly isAfterTool: boolean
  readonly whole: string
}

type Wire = "messages" | "responses" | "chat"

export type Reply = {
  /** The model waits for `letGo` before each piece but the first. */
  readonly says: readonly string[]
  readonly tool?: { readonly name: string; readonly input: object }
}

export type Loopback = Awaited<ReturnType<typeof loopbackModel>>

/**
 * One scripted model on a loopback port for all three hosts: Messages for Claude Code, Responses
 * for Codex, Chat Completions for Copilot. It records its requests and streams its replies.
 */
export async function loopbackModel(story: (asked: ModelRequest) => Reply | Promise<Reply>) {
  const asked: ModelRequest[] = []
  const gate = createGate()
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const wire = wireOf(new URL(request.url ?? "/", "http://model").pathname)
      if (wire === undefined || request.method !== "POST") return sendNothing(response)
      const one = readAsked(wire, body)
      asked.push(one)
      const nth = asked.length
      await SEND[wire](openStream(response), await story(one), { gate, nth })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    letGo: gate.open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Gate = ReturnType<typeof createGate>

function createGate() {
  let free = 0
  const waiting: (() => void)[] = []
  return {
    open(): void {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
    passed(): Promise<void> {
      if (free > 0) {
        free -= 1
        return Promise.resolve()
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/messages")) return "messages"
  if (path.endsWith("/responses")) return "responses"
  return path.endsWith("/chat/completions") ? "chat" : undefined
}

function sendNothing(response: ServerResponse): void {
  const body = JSON.stringify({ input_tokens: 1_234, object: "list", data: [], models: [] })
  response.writeHead(200, { "content-type": "application/json" }).end(body)
}

type Body = { readonly input?: readonly WireMessage[]; readonly messages?: readonly WireMessage[] }
type WireMessage = { readonly type?: string; readonly role?: string; readonly content?: unknown }

function readAsked(wire: Wire, body: Body): ModelRequest {
  const said = (body.input ?? body.messages ?? []).filter((it) => it.role !== "system")
  const lastSaid = wire === "messages" ? said.findLast((it) => it.role === "user") : said.at(-1)
  const last = JSON.stringify(lastSaid ?? "")
  const isAfterTool = {
    messages: last.includes('"tool_result"'),
    responses: lastSaid?.type?.endsWith("_output") ?? false,
    chat: lastSaid?.role === "tool",
  }[wire]
  return { wire, last, isAfterTool, whole: JSON.stringify(body) }
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const bytes = Buffer.concat(parts)
  const encoding = request.headers["content-encoding"]
  const plain = encoding === "gzip" ? gunzipSync(bytes) : bytes
  const text = (encoding === "zstd" ? zstdDecompressSync(bytes) : plain).toString()
  return text === "" ? {} : (JSON.parse(text) as Body)
}

type Stream = { send(event: unknown): void; end(): void }
type GatedResponse = { readonly gate: Gate; readonly nth: number }
type Send = (stream: Stream, reply: Reply, sending: GatedResponse) => Promise<void>

/** An event with a `type` also has it as its SSE event name; `[DONE]` is sent without one. */
function openStream(response: ServerResponse): Stream {
  response.writeHead(200, { "content-type": "text/event-stream" })
  return {
    send(event) {
      const isNamed = typeof event === "object" && event !== null && "type" in event
      const name = isNamed ? `event: ${String(event.type)}\n` : ""
      response.write(`${name}data: ${event === "[DONE]" ? event : JSON.stringify(event)}\n\n`)
    },
    end: () => void response.end(),
  }
}

async function pieceByPiece(reply: Reply, gate: Gate, send: (text: string) => void): Promise<void> {
  for (const [index, text] of reply.says.entries()) {
    if (index > 0) await gate.passed()
    send(text)
  }
}

const SEND: Readonly<Record<Wire, Send>> = {
  async messages(stream, reply, { gate, nth }) {
    const usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const message = {
      id: `msg_${nth}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, input_tokens: 12_000, output_tokens: 1 },
    }
    stream.send({ type: "message_start", message })
    const start = (index: number, block: object) =>
      stream.send({ type: "content_block_start", index, content_block: block })
    const delta = (index: number, part: object) =>
      stream.send({ type: "content_block_delta", index, delta: part })
    start(0, { type: "text", text: "" })
    await pieceByPiece(reply, gate, (text) => delta(0, { type: "text_delta", text }))
    stream.send({ type: "content_block_stop", index: 0 })
    if (reply.tool !== undefined) {
      start(1, { type: "tool_use", id: `toolu_${nth}`, name: reply.tool.name, input: {} })
      delta(1, { type: "input_json_delta", partial_json: JSON.stringify(reply.tool.input) })
      stream.send({ type: "content_block_stop", index: 1 })
    }
    const stop_reason = reply.tool === undefined ? "end_turn" : "tool_use"
    const end = { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 240 } }
    stream.send({ type: "message_delta", ...end })
    stream.send({ type: "message_stop" })
    stream.end()
  },

  async responses(stream, reply, { gate, nth }) {
    const id = `resp_${nth}`
    const word = (text: string) => ({
      type: "message",
      id: `msg_${nth}`,
      role: "assistant",
      content: text === "" ? [] : [{ type: "output_text", text }],
    })
    stream.send({ type: "response.created", response: { id } })
    stream.send({ type: "response.output_item.added", output_index: 0, item: word("") })
    const delta = { output_index: 0, item_id: `msg_${nth}`, content_index: 0 }
    await pieceByPiece(reply, gate, (text) =>
      stream.send({ type: "response.output_text.delta", ...delta, delta: text }),
    )
    const said = word(reply.says.join(""))
    stream.send({ type: "response.output_item.done", output_index: 0, item: said })
    const call = reply.tool && {
      type: "function_call",
      id: `fc_${nth}`,
      call_id: `call_${nth}`,
      name: reply.tool.name,
      arguments: JSON.stringify(reply.tool.input),
    }
    if (call !== undefined) {
      stream.send({ type: "response.output_item.added", output_index: 1, item: call })
      stream.send({ type: "response.output_item.done", output_index: 1, item: call })
    }
    const output = call === undefined ? [said] : [said, call]
    stream.send({ type: "response.completed", response: { id, output, usage: RESPONSES_USAGE } })
    stream.end()
  },

  async chat(stream, reply, { gate, nth }) {
    const chunk = (choice: object, rest: object = {}) =>
      stream.send({
        id: `c_${nth}`,
        object: "chat.completion.chunk",
        model: "mock",
        choices: [{ index: 0, finish_reason: null, ...choice }],
        ...rest,
      })
    await pieceByPiece(reply, gate, (content) => chunk({ delta: { role: "assistant", content } }))
    if (reply.tool !== undefined) {
      const { name, input } = reply.tool
      const called = { name, arguments: JSON.stringify(input) }
      const call = { index: 0, id: `call_${nth}`, type: "function", function: called }
      chunk({ delta: { tool_calls: [call] } })
    }
    const finish_reason = reply.tool === undefined ? "stop" : "tool_calls"
    const usage = { prompt_tokens: 12_000, completion_tokens: 240, total_tokens: 12_240 }
    chunk({ delta: {}, finish_reason }, { usage })
    stream.send("[DONE]")
    stream.end()
  },
}

const RESPONSES_USAGE = {
  input_tokens: 12_000,
  input_tokens_details: { cached_tokens: 1_000 },
  output_tokens: 240,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 12_240,
}
