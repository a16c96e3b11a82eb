import { type Clock, type ExitOutcome, oneLine, type RunningChild, run, start } from "#ground/base"
import type { CompleteOptions, StartOptions } from "../agent.ts"
import { AgentEnded, AgentNotStarted, AgentNotUnderstood, AgentSilent } from "../errors.ts"
import type { EventEmitter } from "./event-emitter.ts"
import { readLines, readTail } from "./read-lines.ts"
import { quote } from "./tool-text.ts"

/** Between SIGTERM and SIGKILL; hosts save their transcript meanwhile. */
export const STOP_GRACE_MS = 2_000

/** Until a session starts: hosts need one to three seconds, slow MCP servers a minute. */
export const MAX_START_MS = 120_000

/** For a host that does not read: twice the longest prompt in UTF-8. */
const MAX_PENDING_INPUT_BYTES = 8 * 1024 * 1024

export type HostProcess = {
  readonly identity: RunningChild["identity"]
  write(message: object): void
  endInput(text: string): void
  readonly ended: Promise<HostExit>
  end(): Promise<void>
}

export type HostExit = {
  readonly exit: ExitOutcome
  readonly complaint: string
}

type HostProcessOptions = {
  readonly start: Pick<StartOptions, "program" | "cwd" | "environment" | "signal" | "onStarted">
  readonly args: readonly string[]
  readonly emitter: EventEmitter
  readonly clock: Clock
  onLine(line: string): void
}

/**
 * Starts a host by argv only, in its own process group and with the given environment only. Returns
 * undefined when it could not be started; the emitter then has the reason.
 */
export async function startHostProcess(
  options: HostProcessOptions,
): Promise<HostProcess | undefined> {
  const { emitter } = options
  const { program, cwd, environment, signal } = options.start
  const started = await start(program, options.args, {
    cwd,
    env: environment,
    stdin: "pipe",
    signal,
    graceMs: STOP_GRACE_MS,
  })
  if (started.kind === "aborted") emitter.end("stopped")
  else if (started.kind !== "started") {
    const reason = started.kind === "not-found" ? "program not found" : started.reason
    emitter.fail(AgentNotStarted({ title: emitter.title, reason }))
  }
  if (started.kind !== "started") return undefined
  const { child } = started
  await noteStart(child, options.start)
  const tail = { text: "" }
  void readTail(child.stderr, tail, 8 * 1024)
  const ended = pumpLines(child, options).then((exit) => ({
    exit,
    complaint: summarizeStderr(emitter.redact(tail.text)),
  }))
  void watchStart(child, ended, options)
  return {
    identity: child.identity,
    ended,
    ...inputOf(child, emitter),
    async end() {
      emitter.removeLimit()
      await child.end()
    },
  }
}

/**
 * Called before the host gets input: a host without input ends with us, a working one outlives us.
 */
async function noteStart(
  child: RunningChild,
  { onStarted }: HostProcessOptions["start"],
): Promise<void> {
  try {
    await onStarted?.(child.identity)
  } catch (error) {
    await child.end()
    throw error
  }
}

async function pumpLines(child: RunningChild, options: HostProcessOptions): Promise<ExitOutcome> {
  const { emitter, clock } = options
  for await (const line of readLines(child.stdout)) {
    if (emitter.hasEnded()) break
    if (line.kind === "line") handleLine(options, line.text)
    else emitter.emit(tooLong(emitter, line.sizeBytes, line.text))
    await emitter.waitForRoom()
  }
  // Most hosts exit when their output ends; none may stay longer than two seconds.
  const hurry = new AbortController()
  await Promise.race([child.exited, sleep(clock, 2_000, hurry.signal)])
  hurry.abort()
  return child.end()
}

function handleLine({ emitter, onLine }: HostProcessOptions, line: string): void {
  try {
    onLine(line)
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    emitter.fail(AgentNotUnderstood({ title: emitter.title, what: quote(emitter.redact(what)) }))
  }
}

function tooLong({ title, redact }: EventEmitter, sizeBytes: number, text: string) {
  const message = `A line of ${title} had ${sizeBytes} bytes and was truncated: ${quote(redact(text))}`
  return { event: "error", message, code: AgentNotUnderstood.code, isFatal: false } as const
}

/** Ends a host that never starts a session; a working host may be silent for hours. */
async function watchStart(
  child: RunningChild,
  ended: Promise<HostExit>,
  { emitter, clock }: HostProcessOptions,
): Promise<void> {
  const over = new AbortController()
  void ended.then(() => over.abort())
  await sleep(clock, MAX_START_MS, over.signal)
  if (emitter.hasStarted() || emitter.hasEnded() || over.signal.aborted) return
  emitter.fail(AgentSilent({ title: emitter.title, seconds: MAX_START_MS / 1_000 }))
  await child.end()
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => {})
}

function inputOf(
  child: RunningChild,
  emitter: EventEmitter,
): Pick<HostProcess, "write" | "endInput"> {
  function put(text: string): void {
    const { stdin } = child
    if (stdin === null || !stdin.writable) return
    stdin.write(text)
    if (stdin.writableLength <= MAX_PENDING_INPUT_BYTES) return
    emitter.fail(AgentNotUnderstood({ title: emitter.title, what: "it does not read its input" }))
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

export function describeExit(exit: ExitOutcome): string {
  return exit.kind === "exited" ? `with exit code ${exit.code}` : `with signal ${exit.signal}`
}

/** On one line; the reason is in the first or the last lines. */
function summarizeStderr(text: string): string {
  const lines = text.split("\n").filter((it) => it.trim() !== "")
  const shown = lines.length <= 5 ? lines : [...lines.slice(0, 2), "…", ...lines.slice(-2)]
  return oneLine(shown.join(" / "), 1_000)
}

/** Ends the session after its host has ended; a requested turn may not have started yet. */
export function endSession(
  emitter: EventEmitter,
  { exit, complaint }: HostExit,
  state: { readonly isStopped: boolean; readonly isBusy: boolean },
): void {
  const { title } = emitter
  const isClean = exit.kind === "exited" && exit.code === 0
  const isQuiet = emitter.hasStarted() && !state.isBusy && isClean
  if (state.isStopped || isQuiet) emitter.end("stopped")
  else emitter.fail(AgentEnded({ title, how: describeExit(exit), words: complaint }))
}

/**
 * Returns what a host prints for one prompt, which goes to stdin so that no part of it is parsed as
 * a switch. undefined unless it exits with 0 within 30 s and 64 kB.
 */
export async function completeOnce(
  options: CompleteOptions,
  args: readonly string[],
): Promise<string | undefined> {
  const { program, cwd, environment, signal, prompt } = options
  const outcome = await run(program, args, {
    cwd,
    env: environment,
    signal,
    input: prompt,
    timeoutMs: 30_000,
    maxOutputBytes: 64 * 1024,
    graceMs: STOP_GRACE_MS,
  })
  const isWhole = outcome.kind === "exited" && outcome.code === 0 && !outcome.truncated
  return isWhole ? outcome.stdout.toString("utf8") : undefined
}
