import { writeFileSync } from "node:fs"
import { createInterface } from "node:readline"

/** An MCP server with one tool; it writes the given file when it starts. */
const [, , note = ""] = process.argv
writeFileSync(note, "started")

type Request = { readonly id?: number; readonly method?: string }

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "probe", version: "1" },
  },
  "tools/list": {
    tools: [{ name: "echo", description: "says it", inputSchema: { type: "object" } }],
  },
  "tools/call": { content: [{ type: "text", text: "echoed" }] },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method = "" } = JSON.parse(line) as Request
  if (id === undefined) continue
  const result = RESULTS[method]
  const answer =
    result === undefined ? { error: { code: -32_601, message: "unknown" } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`)
}
