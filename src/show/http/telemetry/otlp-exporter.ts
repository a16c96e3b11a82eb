import type { Clock, Log } from "#ground/base"
import { otlpBody, type Span } from "./spans.ts"

/** Spans that wait for a collector; older ones are dropped, because telemetry never holds work up. */
const MAX_WAITING_SPANS = 2_048
const MAX_SPANS_PER_REQUEST = 512
const REQUEST_TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5_000
const MAX_ATTEMPTS = 3

type ExporterDeps = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  readonly clock: Clock
  readonly log: Log
}

export type OtlpExporter = ReturnType<typeof createOtlpExporter>

/**
 * Sends spans by OTLP over HTTP in JSON. Redirects are not followed, because the headers may have a
 * key.
 */
export function createOtlpExporter(deps: ExporterDeps) {
  const base = deps.endpoint.endsWith("/") ? deps.endpoint : `${deps.endpoint}/`
  const url = new URL("v1/traces", base).href
  const waiting: Span[] = []
  const over = new AbortController()
  let isSending = false
  let dropped = 0
  let exported = 0

  async function post(spans: readonly Span[]): Promise<"sent" | "retry" | "refused"> {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...deps.headers, "content-type": "application/json" },
        body: JSON.stringify(otlpBody(spans, deps.version)),
        redirect: "error",
        signal: AbortSignal.any([over.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      })
      await response.body?.cancel()
      if (response.ok) return "sent"
      return [429, 502, 503, 504].includes(response.status) ? "retry" : "refused"
    } catch {
      return "retry"
    }
  }
  async function send(spans: readonly Span[]): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && !over.signal.aborted; attempt++) {
      const outcome = await post(spans)
      if (outcome === "sent") {
        exported += spans.length
        return
      }
      if (outcome === "refused") break
      if (attempt < MAX_ATTEMPTS) {
        await deps.clock.sleep(RETRY_AFTER_MS * attempt, over.signal).catch(() => {})
      }
    }
    dropped += spans.length
    deps.log.warn("telemetry was not accepted by the collector", { spans: spans.length })
  }
  async function drain(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.length > 0 && !over.signal.aborted) {
      await send(waiting.splice(0, MAX_SPANS_PER_REQUEST))
    }
    isSending = false
  }
  return {
    add(spans: readonly Span[]): void {
      waiting.push(...spans)
      const surplus = Math.max(0, waiting.length - MAX_WAITING_SPANS)
      dropped += waiting.splice(0, surplus).length
      void drain()
    },
    counts: () => ({ exported, dropped, waiting: waiting.length }),
    close(): void {
      over.abort()
    },
  }
}

/** The format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, percent-encoded. */
export function parseHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    const name = pair.slice(0, Math.max(at, 0)).trim()
    const value = decoded(pair.slice(at + 1).trim())
    const isUsable = /^[\w-]+$/.test(name) && value !== undefined && /^[\x20-\x7e]*$/.test(value)
    return isUsable ? [[name, value] as const] : []
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
