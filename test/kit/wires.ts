import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { anthropicWire } from "./wires-anthropic.ts"
import { embeddingsWire } from "./wires-embeddings.ts"
import { openaiWire } from "./wires-openai.ts"
import type { Wire, WireAnswer, WireName, WireRequest, WireScript } from "./wires-script.ts"

export type { WireAnswer, WireRequest, WireScript } from "./wires-script.ts"

export type ModelWires = AsyncDisposable & {
  /** For anthropic and azure unchanged; openai and custom append `/v1`. */
  readonly url: string
  readonly key: string
  readonly requests: readonly WireRequest[]
  /** Refusals by the wire format, not by the script. */
  readonly refusals: readonly string[]
}

/**
 * A loopback server with the wire formats of Anthropic, OpenAI and Azure that refuses what they
 * would refuse: `await using wires = await modelWires((request) => ({ text: "…" }))`.
 */
export async function modelWires(script: WireScript = understood): Promise<ModelWires> {
  const key = `wire-${crypto.randomUUID()}`
  const requests: WireRequest[] = []
  const refusals: string[] = []
  const server = createServer((incoming, response) => {
    void readBody(incoming).then(async (body) => {
      const url = new URL(incoming.url ?? "/", "http://model")
      const wire = wireAt(incoming.method ?? "", url)
      if (wire === undefined) return sendJson(response, 404, { error: { message: "Not found" } })
      const call = { wire, url, headers: incoming.headers, body, key }
      const protocol = WIRES[wire]
      const refusal = protocol.refusal(call)
      if (refusal !== undefined) {
        refusals.push(refusal.message)
        return sendJson(response, refusal.status, protocol.refuse(refusal))
      }
      const request = { ...call, ...protocol.read(call), ended: endOf(response) }
      requests.push(request)
      await answer(response, protocol, { request, answer: await script(request) })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    requests,
    refusals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const understood: WireScript = () => ({ text: "understood" })

const WIRES: Readonly<Record<WireName, Wire>> = {
  anthropic: anthropicWire,
  openai: openaiWire,
  azure: openaiWire,
  embeddings: embeddingsWire,
}

function wireAt(method: string, url: URL): WireName | undefined {
  const path = url.pathname
  if (method !== "POST") return undefined
  if (path === "/v1/messages") return "anthropic"
  if (path === "/v1/chat/completions" || path === "/openai/v1/chat/completions") return "openai"
  if (/^\/openai\/deployments\/[^/]+\/chat\/completions$/.test(path)) return "azure"
  if (path === "/v1/embeddings") return "embeddings"
  return /^\/openai\/deployments\/[^/]+\/embeddings$/.test(path) ? "embeddings" : undefined
}

async function readBody(incoming: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
  } catch {
    return {}
  }
}

function endOf(response: ServerResponse): WireRequest["ended"] {
  return new Promise((resolve) => {
    response.on("close", () => resolve(response.writableFinished ? "finished" : "left"))
  })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

async function answer(
  response: ServerResponse,
  wire: Wire,
  call: { readonly request: WireRequest; readonly answer: WireAnswer },
): Promise<void> {
  const answer = call.answer
  if ("silent" in answer) return
  if ("status" in answer) {
    const refusal = { type: "invalid_request_error", ...answer }
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      response.setHeader(name, value)
    return sendJson(response, answer.status, wire.refuse(refusal))
  }
  if ("raw" in answer) {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(answer.raw)
    return
  }
  const events = wire.events(call.request, answer)
  response.writeHead(200, { "content-type": events.contentType })
  for (const event of events.before) response.write(event)
  if ("endless" in answer) return repeat(response, events.pieces.join(""))
  await sendPieces(response, events.pieces, "hold" in answer ? answer.hold : undefined)
  if ("cutAfter" in answer) return void setImmediate(() => response.destroy())
  response.end(events.after.join(""))
}

async function sendPieces(
  response: ServerResponse,
  pieces: readonly string[],
  hold: Promise<unknown> | undefined,
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index === 1) await hold
    // Each piece is sent separately, like the words of a model.
    await new Promise((resolve) => response.write(piece, resolve))
  }
}

function repeat(response: ServerResponse, piece: string): void {
  const more = () => {
    while (!response.destroyed && response.write(piece)) continue
    if (!response.destroyed) response.once("drain", more)
  }
  more()
}
