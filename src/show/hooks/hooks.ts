import type { Verdict } from "#choose/guard"
import { isRecord } from "#ground/base"
import { antigravity } from "./hosts/antigravity.ts"
import { claudeCode } from "./hosts/claude-code.ts"
import { codex } from "./hosts/codex.ts"
import type { Dialect, HookAnswer, HookPayload, HostCall, HostEvent } from "./hosts/dialect.ts"
import { opencode } from "./hosts/opencode.ts"

/**
 * With an edit, Claude Code sends the whole previous file; a larger file is not edited by people.
 */
export const LARGEST_PAYLOAD_BYTES = 8_000_000

/** A host has the payload ready; this guards against a hang. */
export const STDIN_DEADLINE_MS = 2_000

/** For all rules together. The agent's work waits for them. */
const JUDGES_DEADLINE_MS = 2_000

/**
 * Hosts truncate context silently at 10,000 characters, and a truncated line is not JSON; twice
 * that leaves room for escapes and fits a pipe buffer.
 */
export const LARGEST_ANSWER_BYTES = 20_000

const DIALECTS: readonly Dialect[] = [claudeCode, codex, antigravity, opencode]

export function dialectOf(host: string | undefined): Dialect | undefined {
  return DIALECTS.find((it) => it.host === host)
}

export type Judge = (
  event: HostEvent,
  context: { readonly signal: AbortSignal },
) => Promise<Verdict>

export type HookDeps = {
  readonly input: ByteSource | string
  readonly asked: { readonly host: string | undefined; readonly eventName: string | undefined }
  readonly directory: string
  readonly now: () => number
  readonly judge: Judge
  readonly later: Timer
  /** Replaces the deadline of 2 s; on a very slow machine rules may need longer. */
  readonly deadlineMs?: number | undefined
  readonly write: (line: string) => Promise<void>
  readonly debug: (sentence: string) => void
}

export async function runHook(deps: HookDeps): Promise<void> {
  try {
    const dialect = dialectOf(deps.asked.host)
    if (dialect === undefined) return deps.debug("unknown host")
    const answer = await answerOf(dialect, deps)
    if (answer !== undefined) await write(answer, deps)
  } catch (error) {
    deps.debug(`the hook failed: ${String(error)}`)
  }
}

const SILENT: Verdict = { kind: "silent" }

/** A host that treats silence as a denial gets an answer for it. */
async function answerOf(
  dialect: Dialect,
  deps: HookDeps,
): Promise<HookAnswer | string | undefined> {
  const read = await readPayload(deps.input, deps)
  if (read.kind === "unusable") {
    deps.debug(read.why)
    return dialect.format(deps.asked.eventName, SILENT)
  }
  const { payload } = read
  const named = payload["hook_event_name"]
  const eventName = typeof named === "string" ? named : deps.asked.eventName
  const call: HostCall = { payload, eventName, directory: deps.directory, at: deps.now() }
  const event = dialect.parse(call)
  const verdict = event === undefined ? SILENT : await judgeInTime(event, deps)
  return dialect.format(eventName, verdict)
}

/** At the deadline, or if the judge fails, the verdict is silence and the work continues. */
async function judgeInTime(event: HostEvent, deps: HookDeps): Promise<Verdict> {
  const ended = new AbortController()
  const late = Promise.withResolvers<Verdict>()
  // Aborted only here: aborting a signal without a listener also costs 2 ms.
  const deadlineMs = deps.deadlineMs ?? JUDGES_DEADLINE_MS
  const cancel = deps.later(deadlineMs, () => {
    deps.debug(`no verdict after ${deadlineMs} ms`)
    late.resolve(SILENT)
    ended.abort()
  })
  try {
    return await Promise.race([deps.judge(event, { signal: ended.signal }), late.promise])
  } catch (error) {
    deps.debug(`the judge failed: ${String(error)}`)
    return SILENT
  } finally {
    cancel()
  }
}

async function write(answer: HookAnswer | string, deps: HookDeps): Promise<void> {
  const line = `${typeof answer === "string" ? answer : JSON.stringify(answer)}\n`
  const sizeBytes = Buffer.byteLength(line)
  if (sizeBytes <= LARGEST_ANSWER_BYTES) return deps.write(line)
  deps.debug(`the answer has ${sizeBytes} bytes, more than ${LARGEST_ANSWER_BYTES}`)
}

type PayloadOutcome =
  | { readonly kind: "payload"; readonly payload: HookPayload }
  | { readonly kind: "unusable"; readonly why: string }

/** Events instead of iteration, which costs a hook 2 ms more. */
export type ByteSource = {
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown
  on(event: "end", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
}

/** Calls `act` after `ms`, unless the returned function is called first. */
export type Timer = (ms: number, act: () => void) => () => void

/**
 * Reads one JSON object within the size limit and the deadline. Excess input is read and dropped,
 * so that a host that is still writing gets no broken pipe.
 */
export async function readPayload(
  input: ByteSource | string,
  deps: { readonly later: Timer },
): Promise<PayloadOutcome> {
  if (typeof input === "string") return parsePayload(input)
  const { promise, resolve } = Promise.withResolvers<PayloadOutcome>()
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  input.on("data", (chunk) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    sizeBytes += bytes.length
    if (sizeBytes <= LARGEST_PAYLOAD_BYTES) chunks.push(bytes)
    else chunks.length = 0
  })
  input.on("end", () => resolve(whole(chunks, sizeBytes)))
  input.on("error", (error) => resolve(unusable(`the payload could not be read: ${error.message}`)))
  const cancel = deps.later(STDIN_DEADLINE_MS, () =>
    resolve(unusable(`the payload did not arrive within ${STDIN_DEADLINE_MS} ms`)),
  )
  return promise.finally(cancel)
}

function whole(chunks: readonly Uint8Array[], sizeBytes: number): PayloadOutcome {
  if (sizeBytes > LARGEST_PAYLOAD_BYTES) {
    return unusable(`the payload has ${sizeBytes} bytes, more than ${LARGEST_PAYLOAD_BYTES}`)
  }
  return parsePayload(Buffer.concat(chunks).toString("utf8"))
}

export function parsePayload(text: string): PayloadOutcome {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""))
    if (isRecord(value)) return { kind: "payload", payload: value }
    return unusable("the payload is JSON but not an object")
  } catch (error) {
    return unusable(`the payload is not JSON: ${String(error)}`)
  }
}

function unusable(why: string): PayloadOutcome {
  return { kind: "unusable", why }
}
