import { AISDKError, APICallError } from "@ai-sdk/provider"
import { z } from "zod"
import { truncate, visibleLine } from "#ground/base"
import { LONGEST_REASON_CHARACTERS } from "../limits.ts"
import type { Failure } from "../retry.ts"

/** An error message is a sentence; a longer body is not read further. */
const LARGEST_REFUSAL_BYTES = 1_000_000

/**
 * Limit for a whole stream. It wraps four characters of text in about 200 bytes, so the longest
 * response has about 50 MB.
 */
const LARGEST_STREAM_BYTES = 64_000_000

export type Listener = {
  readonly key: string | undefined
  /** Wall clock, for a Retry-After with a date. */
  now(): number
}

export function classify(error: unknown, listener: Listener): Failure | undefined {
  if (APICallError.isInstance(error)) return ofCall(error, listener)
  if (!(error instanceof Error)) return ofStream(error, listener)
  // The package's message would quote the stream, which may contain anything.
  return AISDKError.isInstance(error) ? BROKEN_OFF : undefined
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && (error instanceof StreamTooLarge || isTooLarge(error.cause))
}

export const BROKEN_OFF: Failure = {
  kind: "unreachable",
  reason: "the response broke off or could not be parsed",
}
const BUSY = new Set([408, 409, 429, 503, 529])

function ofCall(error: APICallError, listener: Listener): Failure {
  const { statusCode: status } = error
  const reason = reasonFrom(error.message.replace(/^Cannot connect to API: /, ""), listener.key)
  if (status === undefined) return { kind: "unreachable", reason }
  if (status < 300) return BROKEN_OFF
  if (status < 400) {
    return {
      kind: "refused",
      status,
      reason: "it redirects to another address; the key is not sent there",
    }
  }
  const isSpent = (error.responseBody ?? "").includes("insufficient_quota")
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, listener.now())
  if (BUSY.has(status) && !isSpent) return { kind: "busy", status, reason, retryAfterMs }
  if (status >= 500) return { kind: "failed", status, reason, retryAfterMs }
  return { kind: "refused", status, reason }
}

const ToldInStream = z.object({
  message: z.string(),
  statusCode: z.number().nullish(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
})

function ofStream(error: unknown, listener: Listener): Failure {
  const streamError = ToldInStream.safeParse(error).data
  if (streamError === undefined) return BROKEN_OFF
  const status = streamError.statusCode ?? statusIn(streamError.code) ?? 500
  const reason = reasonFrom(streamError.message, listener.key)
  const isBusy =
    BUSY.has(status) || /rate_limit|overloaded/.test(`${streamError.type} ${streamError.code}`)
  if (isBusy) return { kind: "busy", status, reason, retryAfterMs: undefined }
  if (status >= 500) return { kind: "failed", status, reason, retryAfterMs: undefined }
  return { kind: "refused", status, reason }
}

function statusIn(code: string | number | null | undefined): number | undefined {
  const status = Number(code)
  return status >= 400 && status < 600 ? status : undefined
}

/** Milliseconds, seconds or a date: providers use all three. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const inMs = Number.parseFloat(headers["retry-after-ms"] ?? "")
  if (inMs >= 0) return inMs
  const value = headers["retry-after"]?.trim() ?? ""
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000
  const moment = Date.parse(value)
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now)
}

const IN_PLACE_OF_THE_KEY = "[key]"

export function scrub(text: string, key: string | undefined): string {
  if (key === undefined || key === "") return text
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])
  return [...forms].reduce((rest, form) => rest.replaceAll(form, IN_PLACE_OF_THE_KEY), text)
}

export function reasonFrom(text: string, key: string | undefined): string {
  const line = visibleLine(scrub(text, key).trim())
  if (line === "") return "no reason was given"
  return truncate(line, LONGEST_REASON_CHARACTERS)
}

type Fetch = typeof globalThis.fetch

class StreamTooLarge extends Error {
  override readonly name = "StreamTooLarge"
}

/**
 * Follows no redirect, which would send the key to another address, and stops reading an endless
 * body.
 */
export const safeFetch: Fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" })
  const mostBytes = response.ok ? LARGEST_STREAM_BYTES : LARGEST_REFUSAL_BYTES
  const body = response.body?.pipeThrough(limited(mostBytes)) ?? null
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  })
}

function limited(mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > mostBytes)
        controller.error(new StreamTooLarge("the response exceeds the size limit"))
      else controller.enqueue(chunk)
    },
  })
}
