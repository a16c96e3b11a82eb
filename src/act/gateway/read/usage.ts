import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import type { GatewayRequest, TokenUsage } from "#ground/contract"
import { countOf, listOf, recordOf, textOf } from "./json.ts"

type ToldUsage = { readonly usage: TokenUsage | null; readonly stopReason: string | null }

const NOTHING: ToldUsage = { usage: null, stopReason: null }

/**
 * The provider's own numbers. For a truncated stream, those reported so far; null without a report,
 * never an estimate.
 */
export function usageOf(route: GatewayRequest["route"], answer: string): ToldUsage {
  const messages = messagesIn(answer)
  switch (route) {
    case "messages":
      return anthropicUsage(messages)
    case "responses":
      return responsesUsage(messages)
    case "chat":
      return chatUsage(messages)
    case "generate":
      return geminiUsage(messages)
    case "count":
    case "other":
      return NOTHING
    default:
      return route satisfies never
  }
}

/** Server-sent events, or one JSON answer; Gemini also streams a JSON list. */
function messagesIn(answer: string): readonly JsonRecord[] {
  const whole = /^\s{0,100}[[{]/.test(answer) ? parseJson(answer) : undefined
  if (Array.isArray(whole)) return whole.filter(isRecord)
  if (isRecord(whole)) return [whole]
  return eventsIn(answer)
}

function eventsIn(stream: string): readonly JsonRecord[] {
  const events: JsonRecord[] = []
  for (const line of stream.split(/\r\n|\n|\r/)) {
    // Skips deltas, which are most of a stream.
    if (!line.startsWith("data:") || !MENTIONS_COST.test(line)) continue
    const event = parseJson(line.slice("data:".length))
    if (isRecord(event)) events.push(event)
  }
  return events
}

const MENTIONS_COST = /"usage|stop_reason|finish_?[rR]eason|"response\.(?:comp|inc|fail)/

function anthropicUsage(messages: readonly JsonRecord[]): ToldUsage {
  let usage: TokenUsage | null = null
  let stopReason: string | null = null
  for (const message of messages) {
    const holder = message["type"] === "message_start" ? recordOf(message["message"]) : message
    if (message["type"] === "error") continue
    usage = laterUsage(usage, recordOf(holder["usage"]))
    const reason = recordOf(message["delta"])["stop_reason"] ?? holder["stop_reason"]
    stopReason = textOf(reason) || stopReason
  }
  return { usage, stopReason }
}

/** Counts grow during a stream; a later event without one, or with 0, does not know it. */
function laterUsage(before: TokenUsage | null, reported: JsonRecord): TokenUsage | null {
  const input = countOf(reported["input_tokens"])
  const output = countOf(reported["output_tokens"])
  if (before === null && (input === undefined || output === undefined)) return null
  const later = (value: unknown, earlier: number | undefined) => countOf(value) || (earlier ?? 0)
  return {
    input: later(input, before?.input),
    output: later(output, before?.output),
    cacheRead: later(reported["cache_read_input_tokens"], before?.cacheRead),
    cacheWrite: later(reported["cache_creation_input_tokens"], before?.cacheWrite),
  }
}

function responsesUsage(messages: readonly JsonRecord[]): ToldUsage {
  const ends = messages.map((it) => (isRecord(it["response"]) ? it["response"] : it))
  const reported = ends.findLast((it) => isRecord(it["usage"]))
  const usage = recordOf(reported?.["usage"])
  const details = recordOf(usage["input_tokens_details"])
  const reason = textOf(recordOf(ends.at(-1)?.["incomplete_details"])["reason"])
  return {
    usage: splitUsage({
      all: countOf(usage["input_tokens"]),
      output: countOf(usage["output_tokens"]),
      cacheRead: countOf(details["cached_tokens"]),
      cacheWrite: countOf(details["cache_write_tokens"]),
    }),
    stopReason: reason || textOf(ends.at(-1)?.["status"]) || null,
  }
}

function chatUsage(messages: readonly JsonRecord[]): ToldUsage {
  const usage = recordOf(messages.findLast((it) => isRecord(it["usage"]))?.["usage"])
  const details = recordOf(usage["prompt_tokens_details"])
  const reasons = messages.flatMap((it) => listOf(it["choices"]).map((one) => recordOf(one)))
  return {
    usage: splitUsage({
      all: countOf(usage["prompt_tokens"]),
      output: countOf(usage["completion_tokens"]),
      cacheRead: countOf(details["cached_tokens"]),
      cacheWrite: undefined,
    }),
    stopReason: lastReason(reasons, "finish_reason"),
  }
}

function geminiUsage(messages: readonly JsonRecord[]): ToldUsage {
  const reported = messages.findLast((it) => isRecord(it["usageMetadata"]))
  const usage = recordOf(reported?.["usageMetadata"])
  const prompt = countOf(usage["promptTokenCount"])
  const answered = countOf(usage["candidatesTokenCount"])
  const thought = countOf(usage["thoughtsTokenCount"])
  const isReported = answered !== undefined || thought !== undefined
  const candidates = messages.flatMap((it) => listOf(it["candidates"]).map((one) => recordOf(one)))
  return {
    usage: splitUsage({
      all: prompt === undefined ? undefined : prompt + toolTokens(usage),
      output: isReported ? (answered ?? 0) + (thought ?? 0) : undefined,
      cacheRead: countOf(usage["cachedContentTokenCount"]),
      cacheWrite: undefined,
    }),
    stopReason: lastReason(candidates, "finishReason"),
  }
}

function toolTokens(usage: JsonRecord): number {
  return countOf(usage["toolUsePromptTokenCount"]) ?? 0
}

function lastReason(records: readonly JsonRecord[], key: string): string | null {
  return textOf(records.findLast((it) => textOf(it[key]) !== "")?.[key]) || null
}

/** These providers include cached tokens in the input. */
function splitUsage(it: {
  readonly all: number | undefined
  readonly output: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
}): TokenUsage | null {
  if (it.all === undefined || it.output === undefined) return null
  const cacheRead = Math.min(it.cacheRead ?? 0, it.all)
  const cacheWrite = Math.min(it.cacheWrite ?? 0, it.all - cacheRead)
  return { input: it.all - cacheRead - cacheWrite, output: it.output, cacheRead, cacheWrite }
}
