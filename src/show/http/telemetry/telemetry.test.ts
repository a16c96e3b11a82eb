import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { expect, test } from "vitest"
import { silentLog, systemClock } from "#ground/base"
import { GatewayRequest } from "#ground/contract"
import { newServer } from "#test/server"
import { formatMetrics } from "./metrics.ts"
import { createOtlpExporter, parseHeaders } from "./otlp-exporter.ts"
import { SCHEMA_URL, type Span, spanOfRequest } from "./spans.ts"

type Received = {
  readonly headers: Readonly<Record<string, unknown>>
  readonly spans: readonly {
    readonly name: string
    readonly traceId: string
    readonly spanId: string
    readonly parentSpanId?: string
    readonly attributes: readonly { readonly key: string; readonly value: object }[]
  }[]
  readonly text: string
}

/** A collector on loopback; `answers` are its statuses, then 200. */
async function collector(...answers: number[]) {
  const received: Received[] = []
  let wake = () => {}
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as {
        resourceSpans: { schemaUrl: string; scopeSpans: { spans: Received["spans"] }[] }[]
      }
      const status = answers.shift() ?? 200
      if (status === 200) {
        const spans = resourceSpans.flatMap((it) => it.scopeSpans.flatMap((scope) => scope.spans))
        expect(resourceSpans[0]?.schemaUrl).toBe(SCHEMA_URL)
        received.push({ headers: request.headers, spans, text: JSON.stringify(body) })
      }
      response.writeHead(status).end("{}")
      wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async until(isDone: () => boolean): Promise<void> {
      while (!isDone()) await new Promise<void>((resolve) => (wake = resolve))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test("[HTTP-70] turns and tools of a run are exported as spans, without any text", async () => {
  await using target = await collector()
  await using server = await newServer({
    environment: { QM_TELEMETRY_OTLP: `${target.url}/`, QM_TELEMETRY_HEADERS: "x-key=k%20ey" },
  })
  const agents = await server.app().agents()
  const canary = "canary-of-the-prompt"
  const script = [
    '{"event":"activity.started","activityId":"a","kind":"command","tool":"Bash","title":"canary-title","input":"canary-input"}',
    '{"event":"activity.ended","activityId":"a","outcome":"failed","output":"canary-output"}',
    '{"event":"activity.started","activityId":"b","kind":"other","tool":"canary with spaces","title":"x"}',
    '{"event":"activity.ended","activityId":"b","outcome":"done"}',
    '{"event":"message","type":"assistant","text":"canary-answer"}',
  ].join("\n")
  const run = await agents.start({
    type: "synthetic",
    prompt: canary,
    configuration: { mode: "auto", script },
  })
  const names = () => target.received.flatMap((it) => it.spans.map((span) => span.name))
  await target.until(() => names().includes("invoke_agent synthetic"))
  expect(names().toSorted()).toEqual([
    "execute_tool Bash",
    "execute_tool other",
    "invoke_agent synthetic",
  ])
  const spans = target.received.flatMap((it) => it.spans)
  const turn = spans.find((it) => it.name.startsWith("invoke_agent"))
  const tool = spans.find((it) => it.name === "execute_tool Bash")
  expect(tool).toMatchObject({ traceId: turn?.traceId, parentSpanId: turn?.spanId })
  expect(tool?.attributes).toContainEqual({
    key: "gen_ai.operation.name",
    value: { stringValue: "execute_tool" },
  })
  expect(tool?.attributes).toContainEqual({ key: "error.type", value: { stringValue: "failed" } })
  expect(turn?.attributes).toContainEqual({
    key: "gen_ai.agent.id",
    value: { stringValue: run.id },
  })
  expect(target.received.map((it) => it.text).join("")).not.toContain("canary")
  expect(target.received[0]?.headers).toMatchObject({ "x-key": "k ey" })
})

test("[HTTP-71] /metrics needs the token, and counts runs by agent and status", async () => {
  await using server = await newServer()
  expect((await server.ask({ path: "/metrics", token: "none" })).status).toBe(401)
  const { status, headers, text } = await server.ask({ path: "/metrics" })
  expect(status).toBe(200)
  expect(headers["content-type"]).toContain("text/plain; version=0.0.4")
  expect(text).toContain("# TYPE qm_approvals_waiting gauge\nqm_approvals_waiting 0\n")
  expect(text).toMatch(/^qm_build_info\{version="[^"]+"\} 1$/m)
})

test("[HTTP-72] a collector that is away is retried and then dropped, and waiting spans are bounded", async () => {
  const clock = { ...systemClock, sleep: () => Promise.resolve() }
  await using busy = await collector(503, 429)
  const exporter = createOtlpExporter({
    endpoint: busy.url,
    headers: {},
    version: "1",
    clock,
    log: silentLog,
  })
  exporter.add([span(1)])
  await busy.until(() => busy.received.length === 1)
  await using refusing = await collector(400)
  const refused = createOtlpExporter({
    endpoint: refusing.url,
    headers: {},
    version: "1",
    clock,
    log: silentLog,
  })
  refused.add([span(1)])
  await refusing.until(() => true)
  const away = createOtlpExporter({
    endpoint: "http://127.0.0.1:1",
    headers: {},
    version: "1",
    clock: { ...clock, sleep: () => new Promise(() => {}) },
    log: silentLog,
  })
  away.add(Array.from({ length: 5_000 }, (_, at) => span(at)))
  expect(away.counts()).toMatchObject({ exported: 0, dropped: 5_000 - 2_048 })
  for (const it of [exporter, refused, away]) it.close()
})

test("[HTTP-70] a gateway request is a client span with its usage and status", () => {
  const request = GatewayRequest.parse({
    proxiedSession: "gw_1",
    seq: 3,
    run: "run_1",
    at: 1_000,
    route: "messages",
    session: "s-1",
    agent: null,
    model: "claude-x",
    status: 529,
    outcome: "refused",
    firstByteMs: 5,
    durationMs: 20.4,
    sentBytes: 10,
    forwardedBytes: 9,
    tokens: 2,
    kinds: [],
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    costUsd: null,
    added: [],
    gone: 0,
    folded: [],
    fallback: "canary of a reason",
    problem: null,
  })
  const exported = spanOfRequest(request, "anthropic")
  expect(exported).toMatchObject({
    name: "chat claude-x",
    kind: 3,
    startMs: 1_000,
    endMs: 1_020,
    isError: true,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.usage.input_tokens": 8,
      "gen_ai.usage.output_tokens": 2,
      "http.response.status_code": 529,
      "error.type": "529",
    },
  })
  expect(JSON.stringify(exported)).not.toContain("canary")
})

test("headers of the collector are parsed, and unusable ones left out", () => {
  expect(parseHeaders("a=1, b-c=x%3Dy,=z,bad name=1,n=%zz,d=\u00e9")).toEqual({
    a: "1",
    "b-c": "x=y",
  })
})

test("labels are escaped in the text format", () => {
  const samples = [{ labels: { a: 'x"\\\n' }, value: 2 }]
  const text = formatMetrics([{ name: "m", help: "H", type: "gauge", samples }])
  expect(text).toBe('# HELP m H\n# TYPE m gauge\nm{a="x\\"\\\\\\n"} 2\n')
})

function span(at: number): Span {
  return {
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    name: "chat",
    kind: 3,
    startMs: at,
    endMs: at + 1,
    isError: false,
    attributes: {},
  }
}
