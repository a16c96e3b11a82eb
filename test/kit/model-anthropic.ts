import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type ModelRequest = {
  readonly method: string
  readonly url: string
  readonly body: unknown
}

export type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly input: object
    }

/** The model's answer; `turn` is the number of its own messages in the request. */
export type Script = (request: ModelRequest, turn: number) => readonly AnswerBlock[]

/**
 * A scripted Messages API on a loopback port that records every request: `await using model = await
 * scriptedAnthropic()`.
 */
export async function scriptedAnthropic(script: Script = sayDone) {
  const requests: ModelRequest[] = []
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const request = { method: incoming.method ?? "", url: incoming.url ?? "", body }
      requests.push(request)
      answer(request, response, script)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    messages: () => requests.filter((it) => isMessages(it.url)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const sayDone: Script = () => [{ type: "text", text: "Done." }]

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isMessages(url: string): boolean {
  return new URL(url, "http://model").pathname.endsWith("/messages")
}

function answer(request: ModelRequest, response: ServerResponse, script: Script): void {
  if (new URL(request.url, "http://model").pathname.endsWith("/count_tokens")) {
    sendJson(response, 200, { input_tokens: 1_234 })
  } else if (request.method === "POST" && isMessages(request.url)) {
    sendMessage(request, response, script)
  } else {
    const error = { type: "not_found_error", message: "this model only answers messages" }
    sendJson(response, 404, { type: "error", error })
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

function sendMessage(request: ModelRequest, response: ServerResponse, script: Script): void {
  const sent = request.body as {
    model?: string
    stream?: boolean
    messages?: readonly { role: string }[]
  }
  const turn = (sent.messages ?? []).filter((it) => it.role === "assistant").length
  const content = script(request, turn)
  const message = {
    id: `msg_scripted_${turn}`,
    type: "message",
    role: "assistant",
    model: sent.model ?? "scripted",
    content,
    stop_reason: content.some((it) => it.type === "tool_use") ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
    },
  }
  if (sent.stream === true) streamMessage(response, message)
  else sendJson(response, 200, message)
}

type Message = {
  readonly content: readonly AnswerBlock[]
  readonly stop_reason: string
  readonly usage: object
}

function streamMessage(response: ServerResponse, message: Message): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (type: string, rest: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  send("message_start", { message: { ...message, content: [], stop_reason: null } })
  for (const [index, block] of message.content.entries()) {
    const isText = block.type === "text"
    const start = isText ? { ...block, text: "" } : { ...block, input: {} }
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    send("content_block_start", { index, content_block: start })
    send("content_block_delta", { index, delta })
    send("content_block_stop", { index })
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null }
  send("message_delta", { delta, usage: { output_tokens: 20 } })
  send("message_stop", {})
  response.end()
}
