import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { foldReceipt, openReceipt } from "#choose/fold"
import type { ProxyFixture } from "../console-fixture.ts"

export type GatewayStory = Awaited<ReturnType<typeof seedGateway>>

export const BRANCH = "br_0123456789abcdef0123456789abcdef"
const LONG = `# Findings\n${"A quote and its invoice differ by half a cent on quay-19.\n".repeat(300)}`

async function startProvider() {
  const say = { refusesFolded: false }
  const heard: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(body)
      const isRefused = say.refusesFolded && body.includes(BRANCH) && !body.includes("qm-open:")
      const isCount = request.url?.includes("count_tokens") === true
      response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" })
      const usage = {
        input_tokens: 12,
        output_tokens: 140,
        cache_read_input_tokens: Math.round(body.length / 8),
        cache_creation_input_tokens: 1_000,
      }
      const answer = isCount ? { input_tokens: 7 } : { type: "message", usage }
      response.end(JSON.stringify(isRefused ? REFUSAL : answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    say,
    heard,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const REFUSAL = { type: "error", error: { type: "invalid_request_error", message: "no" } }

type ProxyOptions = Partial<Parameters<ProxyFixture["proxySession"]>[0]>
type SeedRequest = {
  readonly messages: readonly object[]
  readonly tools?: readonly object[]
  readonly model?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A run whose host opens a branch, returns from it and continues. */
export async function seedGateway(fixture: ProxyFixture, run: string) {
  const provider = await startProvider()
  const startProxy = async (given: ProxyOptions = {}) => {
    const proxied = await fixture.proxySession({
      run: null,
      title: "claude",
      host: "claude-code",
      mode: "record",
      hasContent: true,
      workingDirectory: fixture.project,
      environment: { HOME: fixture.home, ANTHROPIC_BASE_URL: provider.url },
      tell: () => {},
      ...given,
    })
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    return {
      id: proxied.id,
      end: () => proxied.end(),
      async count(said: string) {
        const response = await fetch(`${base}/v1/messages/count_tokens`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": "any" },
          body: JSON.stringify({ model: "claude-opus-5-5", messages: [user(said)] }),
        })
        await response.text()
      },
      async ask({ messages, tools = [], model = "claude-opus-5-5", headers = {} }: SeedRequest) {
        const response = await fetch(`${base}/v1/messages?beta=true`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            // Only requests with an API key are folded.
            "x-api-key": "any",
            "x-claude-code-session-id": "session-1",
            ...headers,
          },
          body: JSON.stringify({ model, messages, tools }),
        })
        await response.text()
        return response.status
      },
    }
  }
  const folding = await startProxy({ run, mode: "fold", title: "claude-code" })
  const turns = turnsWith(await receiptKey(fixture))
  for (const messages of [turns.opened, turns.worked, turns.returned, turns.later]) {
    await folding.ask({ messages, tools: TOOLS })
  }
  return {
    startProxy,
    provider,
    folding,
    turns,
    async [Symbol.asyncDispose]() {
      await folding.end()
      await provider.close()
    },
  }
}

/** The key that the server derived from the user's salt when it started to fold. */
async function receiptKey(fixture: ProxyFixture): Promise<string> {
  const salt = await readFile(path.join(fixture.home, ".qm", "redaction-salt"), "utf8")
  return hash("sha256", `fold-receipts:${salt.trim()}`)
}

export const user = (said: string) => ({ role: "user", content: [{ type: "text", text: said }] })
export const call = (id: string, name: string, input: object = {}) => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input }],
})
export const result = (id: string, content: string) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
})

const TOOLS = [
  { name: "Read", description: "Reads a file", input_schema: { type: "object" } },
  { name: "mcp__qm__branch", description: "Opens a branch", input_schema: { type: "object" } },
]

function turnsWith(key: string) {
  const opened = [
    user("Why do quote and invoice differ?"),
    call("t1", "mcp__qm__branch"),
    result("t1", JSON.stringify({ branch_id: BRANCH, receipt: openReceipt(key, BRANCH) })),
  ]
  const worked = [...opened, call("t2", "Read"), result("t2", LONG)]
  const returned = [
    ...worked,
    call("t3", "mcp__qm__return", { branch_id: BRANCH }),
    result("t3", JSON.stringify({ message: "Rounded twice.", receipt: foldReceipt(key, BRANCH) })),
  ]
  return { opened, worked, returned, later: [...returned, user("And the other quay?")] }
}
