import type { Verdict } from "#choose/guard"
import { isRecord } from "#ground/base"
import { antigravity } from "./hosts/antigravity.ts"
import { claudeCode } from "./hosts/claude-code.ts"
import { codex } from "./hosts/codex.ts"
import type { Dialect, HookAnswer, HookPayload, HostCall, HostEvent } from "./hosts/dialect.ts"

/**
 * The largest payload that is read. With an edit Claude Code sends the whole file as it was before,
 * and a file of more than that is none that people edit.
 */
export const LARGEST_PAYLOAD_BYTES = 8_000_000

/** How long a host may take to write the payload. It has it ready: this guards against a hang. */
export const STDIN_DEADLINE_MS = 2_000

/** How long all rules together may think. The work waits for them, so they say less instead. */
const JUDGES_DEADLINE_MS = 2_000

/**
 * The largest line that is written. Hosts cut context silently at 10,000 characters and a line cut
 * in two is no JSON; twice that leaves room for escapes, and fits a pipe nobody reads from yet.
 */
export const LARGEST_ANSWER_BYTES = 20_000

const DIALECTS: readonly Dialect[] = [claudeCode, codex, antigravity]

export function dialectOf(host: string | undefined): Dialect | undefined {
  return DIALECTS.find((it) => it.host === host)
}

/** Looks at one event and says something or, most of the time, nothing. */
export type Judge = (
  event: HostEvent,
  context: { readonly signal: AbortSignal },
) => Promise<Verdict>

export type HookDeps = {
  /** A text is for whoever tries a hook by hand. */
  readonly input: ByteSource | string
  /** The host that started the process, and the event where its payload does not name it. */
  readonly asked: { readonly host: string | undefined; readonly eventName: string | undefined }
  readonly directory: string
  readonly now: () => number
  readonly judge: Judge
  readonly later: Later
  /** Resolves when the line is handed over. */
  readonly write: (line: string) => Promise<void>
  /** For whoever debugs a hook; silent otherwise. */
  readonly debug: (sentence: string) => void
}

/** One event: hear it, judge it, write one line if there is something to say. Never throws. */
export async function runHook(deps: HookDeps): Promise<void> {
  try {
    const dialect = dialectOf(deps.asked.host)
    if (dialect === undefined) return deps.debug("no host that is known was named")
    const answer = await answerOf(dialect, deps)
    if (answer !== undefined) await write(answer, deps)
  } catch (error) {
    deps.debug(`the hook failed: ${String(error)}`)
  }
}

const SILENT: Verdict = { kind: "silent" }

/** Silence is said too, by a host that takes none for a refusal. */
async function answerOf(dialect: Dialect, deps: HookDeps): Promise<HookAnswer | undefined> {
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

/** When the time is up, or the judge fails, the verdict is silence: the work goes on. */
async function judgeInTime(event: HostEvent, deps: HookDeps): Promise<Verdict> {
  const ended = new AbortController()
  const late = Promise.withResolvers<Verdict>()
  // Only then: ending a signal that nobody waits for costs two milliseconds, too.
  const cancel = deps.later(JUDGES_DEADLINE_MS, () => {
    deps.debug(`no verdict after ${JUDGES_DEADLINE_MS} ms`)
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

async function write(answer: HookAnswer, deps: HookDeps): Promise<void> {
  const line = `${JSON.stringify(answer)}\n`
  const sizeBytes = Buffer.byteLength(line)
  if (sizeBytes <= LARGEST_ANSWER_BYTES) return deps.write(line)
  deps.debug(`the answer has ${sizeBytes} bytes, more than ${LARGEST_ANSWER_BYTES}`)
}

type PayloadOutcome =
  | { readonly kind: "payload"; readonly payload: HookPayload }
  | { readonly kind: "unusable"; readonly why: string }

/** A stream by its events: iterating it costs a hook two milliseconds more. */
export type ByteSource = {
  on(event: "data", listener: (chunk: Uint8Array | string) => void): unknown
  on(event: "end", listener: () => void): unknown
  on(event: "error", listener: (error: Error) => void): unknown
}

/** Acts after a time, unless the function that it gives is called before. */
export type Later = (ms: number, act: () => void) => () => void

/**
 * Reads one JSON object, within the cap and the deadline. What is over the cap is read and dropped:
 * a host that is still writing gets no broken pipe.
 */
export async function readPayload(
  input: ByteSource | string,
  deps: { readonly later: Later },
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
    resolve(unusable(`the payload was not there after ${STDIN_DEADLINE_MS} ms`)),
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
