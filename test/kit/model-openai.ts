import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync, zstdDecompressSync } from "node:zlib"

export type SentRequest = {
  readonly path: string
  readonly body: unknown
}

export type OpenAiModel = AsyncDisposable & {
  readonly port: number
  readonly requests: readonly SentRequest[]
}

/**
 * A model on a loopback port that records every request and answers each with one word, in the
 * caller's protocol: OpenAI Responses (Codex), Chat Completions (Copilot) or Gemini.
 */
export async function openAiModel(): Promise<OpenAiModel> {
  const requests: SentRequest[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = new URL(request.url ?? "/", "http://model").pathname
      requests.push({ path, body })
      answer(path, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const WORD = "understood"

function answer(path: string, response: ServerResponse): void {
  if (path.endsWith("/responses")) return streamEvents(response, responsesEvents())
  if (path.endsWith("/chat/completions")) return streamEvents(response, chatEvents())
  if (path.includes("streamGenerateContent")) return streamEvents(response, [geminiAnswer()])
  if (path.includes("generateContent")) return sendJson(response, geminiAnswer())
  if (path.includes("countTokens")) return sendJson(response, { totalTokens: 100 })
  if (path.endsWith("/models")) {
    return sendJson(response, {
      object: "list",
      data: [{ id: "mock", object: "model" }],
      models: [],
    })
  }
  response.writeHead(404).end("{}")
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const whole = decompress(Buffer.concat(parts), request.headers["content-encoding"])
  try {
    return JSON.parse(whole.toString("utf8"))
  } catch {
    return whole.toString("utf8")
  }
}

function decompress(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "zstd") return zstdDecompressSync(bytes)
  return encoding === "gzip" ? gunzipSync(bytes) : bytes
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
}

/**
 * An event with a `type` also has it as its SSE event name, which Responses requires; `[DONE]` is
 * sent without one.
 */
function streamEvents(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) {
    const name = hasType(event) ? `event: ${event.type}\n` : ""
    const text = event === "[DONE]" ? event : JSON.stringify(event)
    response.write(`${name}data: ${text}\n\n`)
  }
  response.end()
}

function hasType(event: unknown): event is { type: string } {
  return typeof event === "object" && event !== null && "type" in event
}

function responsesEvents(): readonly unknown[] {
  const item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text: WORD }],
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 101,
  }
  return [
    { type: "response.created", response: { id: "resp_1" } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "resp_1", output: [item], usage } },
  ]
}

function chatEvents(): readonly unknown[] {
  const chunk = (rest: object) => ({
    id: "c",
    object: "chat.completion.chunk",
    model: "mock",
    ...rest,
  })
  const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 }
  const delta = { role: "assistant", content: WORD }
  return [
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage }),
    "[DONE]",
  ]
}

function geminiAnswer(): unknown {
  return {
    candidates: [
      { content: { role: "model", parts: [{ text: WORD }] }, finishReason: "STOP", index: 0 },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 1, totalTokenCount: 101 },
    modelVersion: "mock",
  }
}
