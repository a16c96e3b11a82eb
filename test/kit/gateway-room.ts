import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { createGateway, type ProxiedHost, type ProxiedSessionRequest } from "#act/gateway"
import { createIds, silentLog, systemClock, systemRandom } from "#ground/base"
import type { GatewayRequest, TokenUsage } from "#ground/contract"
import { openStore } from "#ground/store"
import { tempDirectory } from "./temp.ts"

type GatewayDeps = Parameters<typeof createGateway>[0]

export const KEY = "ab".repeat(32)

type UpstreamRequest = {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  body: string
}

type ProviderScript = {
  status: number
  refusesFolded: boolean
  usage?: Readonly<Record<string, number>>
  /** The chunks of an event stream, in place of the usual answer. */
  stream?(body: string): readonly string[]
}

async function newProvider() {
  const requests: UpstreamRequest[] = []
  const say: ProviderScript = { status: 200, refusesFolded: false }
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const body = bytes.toString("utf8")
      requests.push({ path: request.url ?? "", headers: request.headers, body })
      const isRefused = say.refusesFolded && !body.includes("qm-open:")
      const status = isRefused ? 400 : say.status
      if (say.stream !== undefined) {
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (const chunk of say.stream(body)) response.write(chunk)
        response.end()
        return
      }
      response.writeHead(status, { "content-type": "application/json" })
      const usage = say.usage ?? USAGE
      response.end(JSON.stringify({ type: "message", model: "claude-opus-5-5", usage }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard: requests,
    say,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 7,
}

export const SETTINGS: ReturnType<GatewayDeps["settings"]> = {
  mode: "off",
  content: false,
  keep: 1_000,
  cacheAlertTokens: 50_000,
  secrets: "warn",
  autoFold: "off",
  autoFoldAt: 60,
}

export async function gatewayFixture(overrides: Partial<GatewayDeps> = {}) {
  const temp = await tempDirectory()
  const provider = await newProvider()
  const store = await openStore({
    location: { kind: "memory" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  const begun = await store.journal.head()
  const notices: string[] = []
  const unfolded: string[] = []
  const trails: { branchId: string; tools: (string | null)[] }[] = []
  const deps: GatewayDeps = {
    db: store.forRoom("gateway"),
    ids: createIds({ clock: systemClock, random: systemRandom }),
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    owner: { pid: process.pid, startedAt: "", machine: "here" },
    location: { home: temp.path, stateDirectory: temp.path },
    root: () => temp.path,
    settings: () => SETTINGS,
    secrets: async () => ({
      redact: (text) => ({ text: text.replaceAll("hunter2", "[redacted]"), findings: [] }),
      locate: () => [],
    }),
    receiptKey: async () => KEY,
    priceOf: (usage: TokenUsage) => usage.output / 100,
    chargeUsage: async () => {},
    noteCache: async () => {},
    async keepTrail(branchId, steps) {
      trails.push({ branchId, tools: steps.map((it) => it.tool) })
      return true
    },
    keepResults: async (_, results) =>
      results.map(({ label }, index) => ({ handle: `rh_${index}`, label })),
    unfold: async (branchIds) => void unfolded.push(...branchIds),
    isAlive: () => true,
    proxyEnvironment: () => ({}),
    ...overrides,
  }
  const gateway = createGateway(deps)
  const request: ProxiedSessionRequest = {
    run: null,
    title: "claude",
    host: "claude-code",
    wire: "anthropic",
    mode: "fold",
    hasContent: false,
    workingDirectory: temp.path,
    environment: { HOME: temp.path, ANTHROPIC_BASE_URL: provider.url },
    tell: (text) => void notices.push(text),
  }
  return {
    gateway,
    deps,
    provider,
    told: notices,
    trails,
    unfolded,
    place: deps.location,
    another: () => createGateway(deps),
    proxy: (more: Partial<ProxiedSessionRequest> = {}) =>
      gateway.proxySession({ ...request, ...more }),
    proxyBy: (other: typeof gateway, more: Partial<ProxiedSessionRequest> = {}) =>
      other.proxySession({ ...request, ...more }),
    async journal(filter: { readonly namePrefix: string }): Promise<readonly unknown[]> {
      const page = await store.journal.read({ after: begun, limit: 1_000, ...filter })
      return page.kind === "entries" ? page.entries.map((it) => it.body) : []
    },
    async requests(id: string): Promise<readonly GatewayRequest[]> {
      return (await gateway.show({ id, limit: 100 })).requests
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await provider.close()
      await store.close()
      await temp[Symbol.asyncDispose]()
    },
  }
}

export const TOOLS = [{ name: "Read" }, { name: "mcp__qm__branch" }, { name: "mcp__qm__return" }]

type RequestOptions = {
  readonly session?: string
  readonly headers?: Readonly<Record<string, string>>
}

export async function ask(
  proxied: ProxiedHost,
  messages: readonly unknown[],
  sent: RequestOptions = {},
) {
  const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
  const response = await fetch(`${base}/v1/messages?beta=true`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "hunter2",
      "x-claude-code-session-id": sent.session ?? "session-1",
      ...sent.headers,
    },
    body: JSON.stringify({ model: "claude-opus-5-5", messages, tools: TOOLS }),
  })
  return { status: response.status, text: await response.text() }
}
