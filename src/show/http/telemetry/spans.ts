import { createHash } from "node:crypto"
import { AgentEvent, type GatewayRequest, type Message, type Run } from "#ground/contract"

/**
 * Spans by the semantic conventions for generative AI. Only names, numbers, ids and outcomes are
 * exported, never a text of a user, an agent or a tool.
 */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.38.0"

type Value = string | number | undefined

export type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 is internal, 3 is a client of another service. */
  readonly kind: 1 | 3
  readonly startMs: number
  readonly endMs: number
  readonly isError: boolean
  readonly attributes: Readonly<Record<string, Value>>
}

export type TurnSpans = {
  readonly spans: readonly Span[]
  /** The number of the last message that is part of an exported turn. */
  readonly lastSeq: number
}

type OpenTurn = { readonly seq: number; readonly at: number; readonly tools: OpenTool[] }
type OpenTool = {
  readonly activity: Extract<AgentEvent, { event: "activity.started" }>
  readonly seq: number
  readonly at: number
}

/** The spans of the turns that ended in these messages; an open turn is left for the next call. */
export function spansOfTurns(run: Run, messages: readonly Message[]): TurnSpans {
  const spans: Span[] = []
  let lastSeq = (messages[0]?.seq ?? 1) - 1
  let turn: OpenTurn | undefined
  let usage: Extract<AgentEvent, { event: "cost" }> | undefined
  for (const message of messages) {
    const event = AgentEvent.safeParse(message.metadata["event"]).data
    if (event === undefined) continue
    const { seq, timestamp: at } = message
    if (event.event === "turn.started") turn = { seq, at, tools: [] }
    if (event.event === "cost") usage = event
    if (event.event === "activity.started") turn?.tools.push({ activity: event, seq, at })
    if (event.event === "activity.ended" && turn !== undefined) {
      const tool = turn.tools.find((it) => it.activity.activityId === event.activityId)
      if (tool !== undefined)
        spans.push(toolSpan({ run, turn, tool, outcome: event.outcome, endMs: at }))
    }
    if (event.event === "turn.ended" && turn !== undefined) {
      spans.push(turnSpan(run, turn, { outcome: event.outcome, at, usage }))
      lastSeq = seq
      turn = undefined
      usage = undefined
    }
  }
  return { spans: spans.filter((it) => it.endMs >= it.startMs), lastSeq }
}

function turnSpan(
  run: Run,
  turn: OpenTurn,
  end: {
    readonly outcome: string
    readonly at: number
    readonly usage: Extract<AgentEvent, { event: "cost" }> | undefined
  },
): Span {
  const isTotal = end.usage?.isTotal === true
  const used = isTotal ? undefined : end.usage?.usage
  return {
    traceId: traceOf(run.id),
    spanId: spanOf(run.id, turn.seq),
    name: `invoke_agent ${run.type}`,
    kind: 1,
    startMs: turn.at,
    endMs: end.at,
    isError: end.outcome === "failed",
    attributes: {
      ...commonOf(run),
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.usage.input_tokens": used && used.input + used.cacheRead + used.cacheWrite,
      "gen_ai.usage.output_tokens": used?.output,
      "qm.turn.outcome": end.outcome,
      "error.type": end.outcome === "failed" ? "failed" : undefined,
    },
  }
}

function toolSpan(it: {
  readonly run: Run
  readonly turn: OpenTurn
  readonly tool: OpenTool
  readonly outcome: string
  readonly endMs: number
}): Span {
  const { run, turn, outcome, endMs } = it
  const { activity, seq, at } = it.tool
  const tool = nameOf(activity.tool)
  const isError = outcome === "failed"
  return {
    traceId: traceOf(run.id),
    spanId: spanOf(run.id, seq),
    parentSpanId: spanOf(run.id, turn.seq),
    name: `execute_tool ${tool}`,
    kind: 1,
    startMs: at,
    endMs,
    isError,
    attributes: {
      ...commonOf(run),
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": activity.kind === "mcp" ? "extension" : "function",
      "qm.tool.kind": activity.kind,
      "qm.tool.outcome": outcome,
      "error.type": isError ? "failed" : undefined,
    },
  }
}

export function spanOfRequest(request: GatewayRequest, wire: string): Span {
  const { at, durationMs, status, outcome, usage } = request
  const trace = request.run ?? request.proxiedSession
  const isError = status === null || status >= 400
  const model = request.model === null ? undefined : nameOf(request.model)
  return {
    traceId: traceOf(trace),
    spanId: spanOf(request.proxiedSession, request.seq),
    name: model === undefined ? "chat" : `chat ${model}`,
    kind: 3,
    startMs: at,
    endMs: at + Math.round(durationMs),
    isError,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": PROVIDERS[wire] ?? wire,
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": request.session === null ? undefined : nameOf(request.session),
      "gen_ai.usage.input_tokens": usage
        ? usage.input + usage.cacheRead + usage.cacheWrite
        : undefined,
      "gen_ai.usage.output_tokens": usage?.output,
      "http.response.status_code": status ?? undefined,
      "error.type": isError ? String(status ?? outcome) : undefined,
      "qm.gateway.forwarded_bytes": request.forwardedBytes,
    },
  }
}

const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  gemini: "gcp.gemini",
}

function commonOf(run: Run): Readonly<Record<string, Value>> {
  return {
    "gen_ai.agent.name": run.type,
    "gen_ai.agent.id": run.id,
    "gen_ai.conversation.id": run.sessionId === null ? undefined : nameOf(run.sessionId),
    "gen_ai.request.model": run.model === null ? undefined : nameOf(run.model),
  }
}

/** Hosts fall back to a title for the name of a tool, and a title may have a command in it. */
function nameOf(text: string): string {
  return /^[\w.:@/+[\]-]{1,120}$/.test(text) ? text : "other"
}

/** The same thing has the same ids, so an export that is repeated adds nothing. */
function traceOf(id: string): string {
  return createHash("sha256").update(`trace of ${id}`).digest("hex").slice(0, 32)
}

function spanOf(id: string, seq: number): string {
  return createHash("sha256").update(`span of ${id} ${seq}`).digest("hex").slice(0, 16)
}

/** The body of an OTLP request in JSON; 64-bit numbers are texts there. */
export function otlpBody(spans: readonly Span[], version: string): object {
  const resource = { "service.name": "quartermaster", "service.version": version }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        schemaUrl: SCHEMA_URL,
        scopeSpans: [
          {
            scope: { name: "quartermaster", version },
            schemaUrl: SCHEMA_URL,
            spans: spans.map(otlpSpan),
          },
        ],
      },
    ],
  }
}

function otlpSpan({ startMs, endMs, isError, attributes, ...span }: Span): object {
  return {
    ...span,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${endMs}000000`,
    status: isError ? { code: 2 } : {},
    attributes: attributesOf(attributes),
  }
}

function attributesOf(attributes: Readonly<Record<string, Value>>): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]): readonly object[] => {
    if (value === undefined) return []
    if (typeof value === "string") return [{ key, value: { stringValue: value } }]
    const isWhole = Number.isInteger(value)
    return [{ key, value: isWhole ? { intValue: String(value) } : { doubleValue: value } }]
  })
}
