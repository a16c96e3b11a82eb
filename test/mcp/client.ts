import { Agent, request } from "node:http"

const REVISION = "2026-07-28"

export type ToolAnswer = {
  readonly isError: boolean
  /** The code of an error and, when a retry helps, its delay. */
  readonly failure?: { readonly code: string; readonly retry_after_seconds?: number }
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

export type WireAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: {
    readonly id?: number | string | null
    readonly result?: Readonly<Record<string, unknown>>
    readonly error?: { readonly code: number; readonly message: string }
  }
}

export type McpClient = ReturnType<typeof mcpClient>

/**
 * A stateless MCP client over HTTP that sends single frames: `using client = mcpClient({ port,
 * token, name })`. The official clients would choose the id of every frame themselves.
 */
export function mcpClient(options: {
  readonly port: number
  readonly token: string
  readonly name: string
  /** Maximum number of connections; further calls wait for one. */
  readonly most?: number
}) {
  const agent = new Agent({ keepAlive: true, maxSockets: options.most ?? 4 })
  const meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: options.name, version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  let lastId = 0

  async function ask(method: string, params: object, id: number | string): Promise<WireAnswer> {
    const named = "name" in params ? { "mcp-name": String(params.name) } : {}
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } })
    return await send(body, { "mcp-method": method, ...named })
  }

  function send(body: string, headers: Readonly<Record<string, string>>): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: options.port,
          path: "/mcp",
          method: "POST",
          agent,
          headers: {
            accept: "application/json, text/event-stream",
            authorization: `Bearer ${options.token}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            "mcp-protocol-version": REVISION,
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", reject)
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString()
            const status = response.statusCode ?? 0
            resolve({ status, headers: response.headers, body: readFrame(text) })
          })
        },
      )
      sent.on("error", reject)
      sent.end(body)
    })
  }

  return {
    ask,
    async call(name: string, given: object, id: number | string = ++lastId): Promise<ToolAnswer> {
      const answer = await ask("tools/call", { name, arguments: given }, id)
      const { result, error } = answer.body
      if (result === undefined) {
        throw new Error(`${name}: ${answer.status} ${JSON.stringify(error ?? answer.body)}`)
      }
      return readTool(result)
    },
    [Symbol.dispose]() {
      agent.destroy()
    },
  }
}

export function readTool(result: NonNullable<WireAnswer["body"]["result"]>): ToolAnswer {
  const content = result["content"] as readonly { readonly text?: string }[]
  const meta = (result["_meta"] ?? {}) as Readonly<Record<string, unknown>>
  const failure = meta["quartermaster/error"] as ToolAnswer["failure"]
  return {
    isError: result["isError"] === true,
    ...(failure === undefined ? {} : { failure }),
    text: content.map((it) => it.text ?? "").join("\n"),
    fields: (result["structuredContent"] ?? {}) as Readonly<Record<string, unknown>>,
  }
}

/** One frame, alone or as the last event of a stream. */
function readFrame(text: string): WireAnswer["body"] {
  const events = [...text.matchAll(/^data: (.+)$/gm)].map((it) => it[1])
  return JSON.parse(events.at(-1) ?? text)
}
