import type { FastifyInstance } from "fastify"
import { GatewayList, type Run } from "#ground/contract"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import type { OtlpExporter } from "./otlp-exporter.ts"

/** The newest runs are counted; a scrape every 15 s must stay cheap. */
const COUNTED_RUNS = 500

type Sample = {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

type Metric = {
  readonly name: string
  readonly help: string
  readonly type: "counter" | "gauge"
  readonly samples: readonly Sample[]
}

type MetricsDeps = {
  readonly app: App
  readonly store: Store
  readonly version: string
  readonly telemetry?: (() => ReturnType<OtlpExporter["counts"]> | undefined) | undefined
}

/** For Prometheus, behind the token like every route of the API. */
export function addMetrics(fastify: FastifyInstance, deps: MetricsDeps): void {
  fastify.get("/metrics", async (_, reply) => {
    const text = formatMetrics(await collectMetrics(deps))
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(text)
  })
}

async function collectMetrics({
  app,
  store,
  version,
  telemetry,
}: MetricsDeps): Promise<readonly Metric[]> {
  const agents = await app.agents()
  const { signal } = new AbortController()
  const [runs, approvals, head, gateway] = await Promise.all([
    agents.list({ limit: COUNTED_RUNS, archived: false }),
    agents.approvals(),
    store.journal.head(),
    app.call("gateway.list", {}, { signal }),
  ])
  const { sessions } = GatewayList.parse(gateway)
  const counts = telemetry?.()
  return [
    gauge("qm_build_info", "Version of Quartermaster", [{ labels: { version }, value: 1 }]),
    ...metricsOfRuns(runs),
    gauge("qm_approvals_waiting", "Approvals that wait for an answer", [
      { value: approvals.length },
    ]),
    gauge("qm_gateway_sessions", "Proxied sessions that are recorded", [
      { value: sessions.length },
    ]),
    gauge(
      "qm_gateway_requests",
      "Recorded requests of proxied sessions, by API format",
      sums(
        sessions,
        (it) => ({ wire: it.wire }),
        (it) => it.requests,
      ),
    ),
    counter("qm_journal_events_total", "Events in the journal", [{ value: head.seq }]),
    ...(counts === undefined
      ? []
      : [
          counter("qm_telemetry_spans_exported_total", "Spans that a collector accepted", [
            { value: counts.exported },
          ]),
          counter("qm_telemetry_spans_dropped_total", "Spans that were dropped", [
            { value: counts.dropped },
          ]),
        ]),
    gauge("process_resident_memory_bytes", "Resident memory", [
      { value: process.memoryUsage().rss },
    ]),
    counter("process_cpu_seconds_total", "CPU time", [{ value: cpuSeconds() }]),
  ]
}

function metricsOfRuns(runs: readonly Run[]): readonly Metric[] {
  const agent = (run: Run) => ({ agent: run.type })
  const kinds = ["input", "output", "cacheRead", "cacheWrite"] as const
  return [
    gauge(
      "qm_runs",
      `Runs by agent and status, of the newest ${COUNTED_RUNS}`,
      sums(
        runs,
        (run) => ({ agent: run.type, status: run.status }),
        () => 1,
      ),
    ),
    gauge(
      "qm_run_turns",
      "Turns of these runs",
      sums(runs, agent, (run) => run.turns),
    ),
    gauge(
      "qm_run_tokens",
      "Tokens of these runs by kind",
      kinds.flatMap((kind) =>
        sums(
          runs,
          (run) => ({ agent: run.type, kind }),
          (run) => run.cost.usage[kind],
        ),
      ),
    ),
    gauge(
      "qm_run_cost_usd",
      "Cost of these runs in US dollars, where it is known",
      sums(runs, agent, (run) => run.cost.reportedUsd ?? run.cost.computedUsd ?? 0),
    ),
  ]
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: "gauge", samples }
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: "counter", samples }
}

function sums<Item>(
  items: readonly Item[],
  labelsOf: (item: Item) => Readonly<Record<string, string>>,
  valueOf: (item: Item) => number,
): readonly Sample[] {
  const byLabels = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>()
  for (const item of items) {
    const labels = labelsOf(item)
    const key = JSON.stringify(labels)
    const value = (byLabels.get(key)?.value ?? 0) + valueOf(item)
    byLabels.set(key, { labels, value })
  }
  return [...byLabels.values()]
}

/** The text format of Prometheus. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter((it) => it.samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`)
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n")
    })
    .join("")
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}
