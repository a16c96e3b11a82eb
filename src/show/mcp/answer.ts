import type { CallToolResult } from "@modelcontextprotocol/server"
import { isAppError, type Log } from "#ground/base"
import type { ToolAnswer } from "./tools/tool.ts"

export function answered({ text, fields }: ToolAnswer): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: fields }
}

type Failure = {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly retry_after_seconds?: number
}

/** See `failed` for why it is not in the structured content. */
const ERROR_META_KEY = "quartermaster/error"

type FailedDeps = { readonly log: Log; redact(text: string): Promise<string> }

/**
 * An error as a tool result with text that a model can act on. Its fields are in `_meta`: clients
 * of the 2025 package validate structured content against the tool's output schema even for errors,
 * and would drop the text.
 */
export async function failed(error: unknown, deps: FailedDeps): Promise<CallToolResult> {
  const failure = await explain(error, deps)
  return {
    isError: true,
    content: [{ type: "text", text: failureText(failure) }],
    _meta: { [ERROR_META_KEY]: failure },
  }
}

/** The part of an error that may be sent; the rest goes to the log. */
export async function explain(error: unknown, deps: FailedDeps): Promise<Failure> {
  if (!isAppError(error)) await logScrubbed(error, deps)
  return await scrubbed(describe(error), deps)
}

export function failureText({ code, message, hint }: Failure): string {
  return `${code}: ${message} ${hint}`
}

function describe(error: unknown): Failure {
  if (isAppError(error)) {
    const { code, message, hint, data } = error
    return { code, message, hint, ...retryOf(data) }
  }
  // A bug: its message may contain anything.
  return {
    code: "BUG",
    message: "Internal error in Quartermaster.",
    hint: "Continue without this tool; the user finds the cause in the log.",
  }
}

function retryOf(data: unknown): { readonly retry_after_seconds?: number } {
  if (typeof data !== "object" || data === null || !("retryAfterSeconds" in data)) return {}
  const { retryAfterSeconds } = data
  return typeof retryAfterSeconds === "number" ? { retry_after_seconds: retryAfterSeconds } : {}
}

/** Messages quote the caller's input. If redaction fails, only the code is sent. */
async function scrubbed(failure: Failure, deps: FailedDeps): Promise<Failure> {
  try {
    const message = await deps.redact(failure.message)
    return { ...failure, message, hint: await deps.redact(failure.hint) }
  } catch {
    return {
      code: failure.code,
      message: "The error cannot be shown, because it could not be checked for secrets.",
      hint: "Try again. If it happens again, the user should look at the log.",
    }
  }
}

/** An exception may contain the caller's input, so it is redacted for the log too. */
async function logScrubbed(thrown: unknown, { log, redact }: FailedDeps): Promise<void> {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  const error = await redact(text).catch(() => "withheld: could not be checked for secrets")
  log.error("mcp request failed", { error })
}
