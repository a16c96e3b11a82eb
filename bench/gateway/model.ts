import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * The model of the benchmark in its own process. It reads a complete request, reports its length,
 * and streams an answer with `?words=` words, each with its send time. Ends when stdin closes.
 */
const WORD_EVERY_MS = 5

const stamp = (): number => performance.timeOrigin + performance.now()

const server = createServer((request, response) => void answer(request, response))

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of request) bytes += Buffer.from(chunk).length
  const words = Number(new URL(request.url ?? "/", "http://model").searchParams.get("words") ?? 1)
  response.writeHead(200, { "content-type": "text/event-stream", "x-bytes": `${bytes}` })
  say(response, "message_start", { message: { ...MESSAGE, usage: USAGE } })
  for (let word = 0; word < words; word++) {
    if (word > 0) await sleep(WORD_EVERY_MS)
    const delta = { type: "text_delta", text: `${stamp()} ` }
    say(response, "content_block_delta", { index: 0, delta })
  }
  const delta = { stop_reason: "end_turn", stop_sequence: null }
  say(response, "message_delta", { delta, usage: { output_tokens: words } })
  say(response, "message_stop", {})
  response.end()
}

const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "claude-bench" }
const USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
}

function say(response: ServerResponse, type: string, rest: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
}

server.keepAliveTimeout = 60_000
await once(server.listen(0, "127.0.0.1"), "listening")
const address = server.address()
const port = typeof address === "object" ? (address?.port ?? 0) : 0
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
await once(process.stdin.resume(), "end")
server.closeAllConnections()
server.close()
