import { type Clock, type ExitOutcome, type RunningChild, start } from "#ground/base"
import type { StartOptions } from "../agent.ts"
import { AgentEnded, AgentNotStarted, AgentNotUnderstood, AgentSilent } from "./errors.ts"
import {
  KEPT_STDERR_BYTES,
  LONGEST_GOODBYE_MS,
  LONGEST_LAST_WORDS_CHARACTERS,
  LONGEST_START_MS,
  MOST_WAITING_INPUT_BYTES,
  STOP_GRACE_MS,
} from "./limits.ts"
import { keepTail, readLines } from "./lines.ts"
import type { Telling } from "./telling.ts"
import { oneLine, quote } from "./text.ts"

export type HostChild = {
  readonly identity: RunningChild["identity"]
  /** One JSON line to its input. */
  write(message: object): void
  /** The last input, as it is; the host hears that nothing more comes. */
  endInput(text: string): void
  /** Resolves when the program is gone and its last line was heard. */
  readonly gone: Promise<Gone>
  end(): Promise<void>
}

export type Gone = { readonly exit: ExitOutcome; readonly lastWords: string }

export type HostChildOptions = {
  readonly start: Pick<StartOptions, "program" | "cwd" | "environment" | "signal" | "onStarted">
  readonly args: readonly string[]
  readonly telling: Telling
  readonly clock: Clock
  /** Each line of its output, in order; the next is read when this one was taken. */
  hear(line: string): void
}

/**
 * Starts a host by argv alone, in a process group of its own, with the environment it was given
 * and nothing else. undefined when it could not be started; the telling has said why.
 */
export async function startHostChild(options: HostChildOptions): Promise<HostChild | undefined> {
  const { telling, clock } = options
  const { program, cwd, environment, signal } = options.start
  const started = await start(program, options.args, {
    cwd,
    env: environment,
    stdin: "pipe",
    signal,
    graceMs: STOP_GRACE_MS,
  })
  if (started.kind === "aborted") telling.end("stopped")
  else if (started.kind !== "started") {
    const reason = started.kind === "not-found" ? "the program is not there" : started.reason
    telling.fail(AgentNotStarted({ title: telling.title, reason }))
  }
  if (started.kind !== "started") return undefined
  const { child } = started
  await noted(child, options.start)
  const tail = { text: "" }
  void keepTail(child.stderr, tail, KEPT_STDERR_BYTES)
  const gone = listen(child, options).then((exit) => ({
    exit,
    lastWords: complaintIn(telling.redact(tail.text)),
  }))
  void watchStart(child, { telling, clock, gone })
  return {
    identity: child.identity,
    gone,
    ...inputOf(child, telling),
    end: () => endChild(child, telling),
  }
}

/** A host without a word ends with its input; one that has begun outlives us, and must be known. */
async function noted(child: RunningChild, { onStarted }: HostChildOptions["start"]): Promise<void> {
  try {
    await onStarted?.(child.identity)
  } catch (error) {
    await child.end()
    throw error
  }
}

async function listen(child: RunningChild, options: HostChildOptions): Promise<ExitOutcome> {
  const { telling, clock } = options
  for await (const line of readLines(child.stdout)) {
    if (telling.isOver()) break
    if (line.kind === "line") hearSafely(options, line.text)
    else telling.say(tooLong(telling, line.sizeBytes, line.text))
    await telling.room()
  }
  // Its output has ended; most hosts are gone at the same moment, and none may stay.
  const hurry = new AbortController()
  await Promise.race([child.exited, sleep(clock, LONGEST_GOODBYE_MS, hurry.signal)])
  hurry.abort()
  return child.end()
}

/** Whatever a line does to us, it ends its own session and nothing else. */
function hearSafely({ telling, hear }: HostChildOptions, line: string): void {
  try {
    hear(line)
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    telling.fail(AgentNotUnderstood({ title: telling.title, what: quote(telling.redact(what)) }))
  }
}

function tooLong({ title, redact }: Telling, sizeBytes: number, text: string) {
  const message = `A line of ${title} had ${sizeBytes} bytes and was cut: ${quote(redact(text))}`
  return { event: "error", message, code: AgentNotUnderstood.code, isFatal: false } as const
}

/** A host that never begins a session is ended; one that works may be silent for hours. */
async function watchStart(
  child: RunningChild,
  deps: { readonly telling: Telling; readonly clock: Clock; readonly gone: Promise<Gone> },
): Promise<void> {
  const { telling, clock } = deps
  const over = new AbortController()
  void deps.gone.then(() => over.abort())
  await sleep(clock, LONGEST_START_MS, over.signal)
  if (telling.hasStarted() || telling.isOver() || over.signal.aborted) return
  telling.fail(AgentSilent({ title: telling.title, seconds: LONGEST_START_MS / 1_000 }))
  await child.end()
}

/** Resolves when the time has passed or is not needed any more. */
async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => {})
}

function inputOf(child: RunningChild, telling: Telling): Pick<HostChild, "write" | "endInput"> {
  function put(text: string): void {
    const { stdin } = child
    if (stdin === null || !stdin.writable) return
    stdin.write(text)
    if (stdin.writableLength <= MOST_WAITING_INPUT_BYTES) return
    telling.fail(AgentNotUnderstood({ title: telling.title, what: "it does not read its input" }))
    void child.end()
  }
  return {
    write: (message) => put(`${JSON.stringify(message)}\n`),
    endInput(text) {
      put(text)
      child.stdin?.end()
    },
  }
}

async function endChild(child: RunningChild, telling: Telling): Promise<void> {
  telling.unlimit()
  await child.end()
}

/** How a program ended, as part of a sentence. */
export function howEnded(exit: ExitOutcome): string {
  return exit.kind === "exited" ? `with exit code ${exit.code}` : `by ${exit.signal}`
}

/** What a host complained of, on one line: the reason stands first or last. */
function complaintIn(text: string): string {
  const lines = text.split("\n").filter((it) => it.trim() !== "")
  const shown = lines.length <= 5 ? lines : [...lines.slice(0, 2), "…", ...lines.slice(-2)]
  return oneLine(shown.join(" / "), LONGEST_LAST_WORDS_CHARACTERS)
}

/** What the end of a host means for its session; a turn may be asked for and not yet begun. */
export function concludeSession(
  telling: Telling,
  gone: Gone,
  state: { readonly isStopped: boolean; readonly isBusy: boolean },
): void {
  const { title } = telling
  const hasLeft = gone.exit.kind === "exited" && gone.exit.code === 0
  const isQuiet = telling.hasStarted() && !state.isBusy && hasLeft
  if (state.isStopped || isQuiet) telling.end("stopped")
  else telling.fail(AgentEnded({ title, how: howEnded(gone.exit), words: gone.lastWords }))
}
