import type { Verdict } from "#choose/guard"
import type { Dialect, HookAnswer, HostCall, HostEvent } from "./hosts/dialect.ts"
import { dialectOf } from "./hosts/hosts.ts"
import { JUDGES_DEADLINE_MS, LARGEST_ANSWER_BYTES } from "./limits.ts"
import { type ByteSource, type Later, readPayload } from "./payload.ts"

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
    return dialect.say(deps.asked.eventName, SILENT)
  }
  const { payload } = read
  const named = payload["hook_event_name"]
  const eventName = typeof named === "string" ? named : deps.asked.eventName
  const call: HostCall = { payload, eventName, directory: deps.directory, at: deps.now() }
  const event = dialect.hear(call)
  const verdict = event === undefined ? SILENT : await judgeInTime(event, deps)
  return dialect.say(eventName, verdict)
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
