import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import type { Script } from "../kit/model-anthropic.ts"

type Move =
  | { readonly text: string }
  | { readonly tool: string; readonly input: object; readonly namespace?: string }

function nextMove(lastText: string, isAfterTool: boolean, tools: Tools): Move {
  if (isAfterTool) return { text: "understood, and done" }
  if (lastText.includes("please edit")) return tools.edit
  if (lastText.includes("please outside")) return tools.outside
  if (lastText.includes("please command")) return tools.command
  if (lastText.includes("please wait")) return tools.wait
  if (lastText.includes("please look")) return tools.look
  if (lastText.includes("please serve")) return tools.serve
  return { text: "understood" }
}

type Tools = Readonly<Record<"edit" | "outside" | "command" | "wait" | "look" | "serve", Move>>

/** Loops because Claude Code refuses a plain sleep. */
const FOREVER = "touch waiting.txt; until false; do sleep 0.2; done"
const MAKE = "touch made.txt && echo made"

export function claudeScript(cwd: string): Script {
  const tools = {
    edit: { tool: "Write", input: { file_path: `${cwd}/note.txt`, content: "remember\n" } },
    outside: {
      tool: "Write",
      input: { file_path: `${cwd}/../outside.txt`, content: "remember\n" },
    },
    command: { tool: "Bash", input: { command: MAKE, description: "make a file" } },
    wait: { tool: "Bash", input: { command: FOREVER, description: "wait" } },
    look: { tool: "Read", input: { file_path: `${cwd}/note.txt` } },
    serve: { tool: "mcp__kept__echo", input: {} },
  }
  return (request, turn) => {
    const { messages } = request.body as { messages: { role: string; content: unknown }[] }
    const said = messages.filter((it) => it.role === "user").at(-1)
    const text = JSON.stringify(said)
    const move = nextMove(text, text.includes("tool_result"), tools)
    return "text" in move
      ? [{ type: "text", text: move.text }]
      : [{ type: "tool_use", id: `toolu_${turn}`, name: move.tool, input: move.input }]
  }
}

const patch = (file: string) => `apply_patch <<'EOF'
*** Begin Patch
*** Add File: ${file}
+remember
*** End Patch
EOF
`

const CODEX_TOOLS: Tools = {
  edit: { tool: "exec_command", input: { cmd: patch("note.txt") } },
  outside: { tool: "exec_command", input: { cmd: patch("../outside.txt") } },
  command: { tool: "exec_command", input: { cmd: MAKE } },
  wait: { tool: "exec_command", input: { cmd: FOREVER } },
  look: { tool: "exec_command", input: { cmd: "cat note.txt" } },
  serve: { tool: "echo", namespace: "mcp__kept", input: {} },
}

function copilotTools(cwd: string): Tools {
  const bash = (command: string, description: string) => ({
    tool: "bash",
    input: { command, description, mode: "sync" },
  })
  return {
    edit: { tool: "create", input: { path: `${cwd}/note.txt`, file_text: "remember\n" } },
    outside: { tool: "create", input: { path: `${cwd}/../outside.txt`, file_text: "remember\n" } },
    command: bash(MAKE, "make a file"),
    wait: bash(FOREVER, "wait"),
    look: { tool: "view", input: { path: `${cwd}/note.txt` } },
    serve: { tool: "kept-echo", input: {} },
  }
}

function opencodeTools(cwd: string): Tools {
  const bash = (command: string) => ({
    tool: "bash",
    input: { command, description: "run a command" },
  })
  const write = (filePath: string) => ({
    tool: "write",
    input: { filePath, content: "remember\n" },
  })
  return {
    edit: write(`${cwd}/note.txt`),
    outside: write(`${cwd}/../outside.txt`),
    command: bash(MAKE),
    wait: bash(FOREVER),
    look: { tool: "read", input: { filePath: `${cwd}/note.txt` } },
    serve: { tool: "kept_echo", input: {} },
  }
}

function geminiTools(cwd: string): Tools {
  const shell = (command: string) => ({
    tool: "run_shell_command",
    input: { command, description: "run a command" },
  })
  const write = (file_path: string) => ({
    tool: "write_file",
    input: { file_path, content: "remember\n" },
  })
  return {
    edit: write(`${cwd}/note.txt`),
    outside: write(`${cwd}/../outside.txt`),
    command: shell(MAKE),
    wait: shell(FOREVER),
    look: { tool: "read_file", input: { file_path: `${cwd}/note.txt` } },
    serve: { tool: "mcp_kept_echo", input: {} },
  }
}

type Body = {
  readonly input?: readonly WireMessage[]
  readonly messages?: readonly WireMessage[]
  readonly contents?: readonly unknown[]
}
type WireMessage = { readonly type?: string; readonly role?: string }

/**
 * A scripted model on a loopback port: Responses for Codex, Chat Completions for Copilot and
 * opencode, and the wire of Gemini.
 */
export async function scriptedOpenAi(cwd: string, host: "copilot" | "opencode" = "copilot") {
  const tools = host === "copilot" ? copilotTools(cwd) : opencodeTools(cwd)
  let answered = 0
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const path = new URL(request.url ?? "/", "http://model").pathname
      answered += 1
      if (path.endsWith("/responses")) sendResponses(response, body, answered)
      else if (path.endsWith("/chat/completions")) sendChat(response, { body, tools, answered })
      else if (path.includes("enerateContent")) sendGemini(response, { path, body, cwd })
      else response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
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

function sendResponses(response: ServerResponse, body: Body, answered: number): void {
  const said = body.input?.at(-1)
  const isAfterTool = said?.type?.endsWith("_output") ?? false
  const move = nextMove(JSON.stringify(said ?? ""), isAfterTool, CODEX_TOOLS)
  const id = `resp_${answered}`
  const item =
    "text" in move
      ? {
          type: "message",
          id: `msg_${answered}`,
          role: "assistant",
          content: [{ type: "output_text", text: move.text }],
        }
      : {
          type: "function_call",
          id: `fc_${answered}`,
          call_id: `call_${answered}`,
          name: move.tool,
          ...(move.namespace !== undefined && { namespace: move.namespace }),
          arguments: JSON.stringify(move.input),
        }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 10 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  }
  const delta = { output_index: 0, item_id: item.id, content_index: 0 }
  sendEvents(response, [
    { type: "response.created", response: { id } },
    { type: "response.output_item.added", output_index: 0, item },
    ...("text" in move ? [{ type: "response.output_text.delta", ...delta, delta: move.text }] : []),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, output: [item], usage } },
  ])
}

function sendChat(
  response: ServerResponse,
  it: { readonly body: Body; readonly tools: Tools; readonly answered: number },
): void {
  const said = it.body.messages?.at(-1)
  const move = nextMove(JSON.stringify(said ?? ""), said?.role === "tool", it.tools)
  const call = "tool" in move && {
    index: 0,
    id: `call_${it.answered}`,
    type: "function",
    function: { name: move.tool, arguments: JSON.stringify(move.input) },
  }
  const content = "text" in move ? { content: move.text } : { tool_calls: [call] }
  const end = "text" in move ? "stop" : "tool_calls"
  const chunk = { id: "c", object: "chat.completion.chunk", model: "mock" }
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  const delta = { role: "assistant", ...content }
  sendEvents(response, [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: end }], usage },
    "[DONE]",
  ])
}

function sendGemini(
  response: ServerResponse,
  it: { readonly path: string; readonly body: Body; readonly cwd: string },
): void {
  const said = JSON.stringify(it.body.contents?.at(-1) ?? "")
  const move = nextMove(said, said.includes("functionResponse"), geminiTools(it.cwd))
  const part =
    "text" in move ? { text: move.text } : { functionCall: { name: move.tool, args: move.input } }
  const answer = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  }
  if (it.path.includes("stream")) return sendEvents(response, [answer])
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
}

function sendEvents(response: ServerResponse, events: readonly unknown[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) {
    const hasName = typeof event === "object" && event !== null && "type" in event
    const name = hasName ? `event: ${String(event.type)}\n` : ""
    const text = event === "[DONE]" ? event : JSON.stringify(event)
    response.write(`${name}data: ${text}\n\n`)
  }
  response.end()
}
