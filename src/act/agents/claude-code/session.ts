import { type Clock, type JsonRecord, parseJsonRecord } from "#ground/base"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentRefused, SessionOver, TurnRunning } from "../errors.ts"
import { createEventEmitter } from "../wire/event-emitter.ts"
import { endSession, type HostProcess, startHostProcess } from "../wire/host-process.ts"
import { quote } from "../wire/tool-text.ts"
import { createControl, permissionMode } from "./control.ts"
import { parseLine } from "./parse-stream.ts"
import { Result } from "./schema.ts"

const TITLE = "Claude Code"

/** A host that supports it responds within 50 ms. */
const USAGE_WAIT_MS = 2_000

export async function startSession(options: StartOptions, clock: Clock): Promise<AgentSession> {
  const emitter = createEventEmitter(TITLE, options.redact)
  let { mode } = options
  let isInterrupted = false
  let isStopped = false
  let isBusy = true
  let isUsageRequested = false
  let heldResult: { readonly line: JsonRecord; readonly raw: string } | undefined
  const host: { child?: HostProcess } = {}

  const parser = {
    emitter,
    mode: () => mode,
    isInterrupted: () => isInterrupted,
    tasks: new Map(),
    lastCall: { id: "" },
  }
  const control = createControl({
    emitter,
    cwd: options.cwd,
    verdict: options.verdict,
    mode: () => mode,
    write: (message) => host.child?.write(message),
    onUsage: emitHeldResult,
  })

  function emitHeldResult(): void {
    if (heldResult === undefined) return
    const { line, raw } = heldResult
    heldResult = undefined
    parseLine(parser, line, raw)
    isBusy = false
    isInterrupted = false
    isUsageRequested = false
  }
  function handleLine(raw: string): void {
    const line = parseJsonRecord(raw)
    if (line === undefined) return emitter.reportNoise(raw)
    if (control.handle(line, raw)) return
    if (line["type"] !== "result") {
      parseLine(parser, line, raw)
      if (line["type"] !== "assistant" || isUsageRequested) return
      isUsageRequested = true
      control.requestContextUsage()
      return
    }
    if (!emitter.hasStarted()) {
      const reason = quote(emitter.redact(reasonOf(line)))
      emitter.fail(AgentRefused({ title: TITLE, what: "the session start", reason }))
      void host.child?.end()
      return
    }
    // The end of a turn may end the session, so request the window before emitting it.
    heldResult = { line, raw }
    control.requestContextUsage()
    void clock.sleep(USAGE_WAIT_MS).then(emitHeldResult)
  }

  const child = await startHostProcess({
    start: options,
    args: argumentsFor(options),
    emitter,
    clock,
    onLine: handleLine,
  })
  if (child !== undefined) host.child = child
  control.registerHooks()
  child?.write(userMessage(options.prompt))
  void child?.ended.then((exit) => {
    emitHeldResult()
    endSession(emitter, exit, { isStopped: isStopped || options.signal.aborted, isBusy })
  })

  function checkOpen(): void {
    if (child === undefined || emitter.hasEnded()) throw SessionOver({ title: TITLE })
  }
  return {
    events: emitter.events,
    process: child?.identity,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (isBusy) throw TurnRunning({ title: TITLE })
      isBusy = true
      emitter.emit({ event: "turn.started" })
      child?.write(userMessage(text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      control.answer(approvalId, answer)
    },
    async setMode(newMode) {
      checkOpen()
      mode = newMode
      control.setMode(mode)
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      if (!isBusy) return
      isInterrupted = true
      emitter.setStopping("asked")
      control.interrupt()
    },
    async stop() {
      isStopped = true
      emitter.setStopping("killed")
      await child?.end()
      await child?.ended
    },
  }
}

/** No text of a user or model may be on the command line. */
function argumentsFor(options: StartOptions): readonly string[] {
  return [
    "-p",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool=stdio",
    `--permission-mode=${permissionMode(options.mode)}`,
    ...(options.model === undefined ? [] : [`--model=${options.model}`]),
    ...(options.resume === undefined ? [] : [`--resume=${options.resume}`]),
    ...(options.sources === undefined ? [] : [`--settings=${onlyServers(options.sources)}`]),
  ]
}

/**
 * Servers of every scope that are not listed are not started (seen on 2.1.325). Our own list with
 * `--strict-mcp-config` would need their secrets.
 */
function onlyServers(names: readonly string[]): string {
  return JSON.stringify({ allowedMcpServers: names.map((serverName) => ({ serverName })) })
}

function userMessage(text: string): object {
  const message = { role: "user", content: [{ type: "text", text }] }
  return { type: "user", message, parent_tool_use_id: null, session_id: "" }
}

function reasonOf(line: JsonRecord): string {
  const result = Result.safeParse(line)
  const words = result.success ? (result.data.errors?.join(" ") ?? result.data.result) : undefined
  return words ?? "no reason given"
}
