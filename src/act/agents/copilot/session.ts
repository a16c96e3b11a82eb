import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import {
  type Clock,
  parseJsonRecord,
  type Random,
  readTextBounded,
  removeFile,
  run,
} from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentEnded, AgentRefused, QuestionUnknown, SessionOver, TurnRunning } from "../errors.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import {
  describeExit,
  type HostExit,
  type HostProcess,
  STOP_GRACE_MS,
  startHostProcess,
} from "../wire/host-process.ts"
import { type ParserState, parseEvent } from "./parse-stream.ts"
import { ruleSwitches } from "./rules.ts"
import { Line, Result, UsageFile } from "./schema.ts"

const TITLE = "Copilot"

export type Deps = { readonly clock: Clock; readonly random: Random }

type Session = {
  mode: AgentMode
  isStopped: boolean
  isInterrupted: boolean
  isBusy: boolean
  isStored: boolean
  child: HostProcess | undefined
  result: z.infer<typeof Result> | undefined
  readonly options: StartOptions
  readonly deps: Deps
  readonly sessionId: string
  readonly emitter: EventEmitter
  readonly parser: ParserState
  readonly rules: ReturnType<typeof ruleSwitches>
  readonly servers: readonly string[]
}

/**
 * One `copilot` process per turn: it reads the prompt from stdin, works and ends. We choose the
 * session id, and each turn resumes it.
 */
export async function startSession(options: StartOptions, deps: Deps): Promise<AgentSession> {
  const emitter = createEventEmitter(TITLE, options.redact)
  const rules = ruleSwitches(options)
  const session: Session = {
    mode: options.mode,
    isStopped: false,
    isInterrupted: false,
    isBusy: false,
    isStored: options.resume !== undefined,
    child: undefined,
    result: undefined,
    options,
    deps,
    sessionId: options.resume ?? newUuid(deps.random),
    emitter,
    parser: { emitter, lastText: "", lastError: undefined, denials: 0 },
    rules,
    servers: await serverSwitches(options),
  }
  if (!rules.isWhole) emitter.emit({ event: "message", type: "system", text: NOT_ALL_RULES })
  options.signal.addEventListener("abort", () => void stop(session), { once: true })
  await startTurn(session, options.prompt)
  return agentSessionOf(session)
}

const NOT_ALL_RULES =
  "Copilot has no flag for some rules and cannot ask during a turn, so it may only read."

function newUuid(random: Random): string {
  const bytes = random.bytes(16)
  const marked = bytes.map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40
    return index === 8 ? (byte & 0x3f) | 0x80 : byte
  })
  const digits = Buffer.from(marked).toString("hex")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

async function startTurn(session: Session, text: string): Promise<void> {
  const { options, deps, emitter, parser } = session
  session.isBusy = true
  session.isInterrupted = false
  session.result = undefined
  parser.lastText = ""
  parser.lastError = undefined
  parser.denials = 0
  // The host writes its token usage only into a file, so each turn gets a temporary one.
  const folder = options.environment["TMPDIR"] ?? tmpdir()
  const usageFile = join(folder, `qm-usage-${newUuid(deps.random)}.json`)
  const child = await startHostProcess({
    start: { ...options, environment: environmentFor(session) },
    args: [...argumentsFor(session), `--usage-output-file=${usageFile}`],
    emitter,
    clock: deps.clock,
    onLine: (line) => handleLine(session, line),
  })
  session.child = child
  if (child === undefined) return
  child.endInput(text)
  void child.ended.then((exit) => endTurn(session, exit, usageFile))
}

/** No text of a user or model may be on the command line. */
function argumentsFor(session: Session): readonly string[] {
  const { options, sessionId, mode, isStored, rules, servers } = session
  return [
    "--output-format=json",
    "--no-color",
    "--no-auto-update",
    "--no-ask-user",
    `${isStored ? "--resume" : "--session-id"}=${sessionId}`,
    ...(options.model === undefined ? [] : [`--model=${options.model}`]),
    ...servers,
    ...rules.switches,
    // If a rule has no switch, allow no more than mode ask, which allows nothing by itself.
    ...MODE_SWITCHES[rules.isWhole || mode === "plan" ? mode : "ask"],
  ]
}

/** The host denies everything it would ask for, because it cannot ask; so `ask` only reads. */
const MODE_SWITCHES: Readonly<Record<AgentMode, readonly string[]>> = {
  plan: ["--mode=plan"],
  ask: [],
  edits: ["--allow-tool=write"],
  auto: ["--allow-all-tools"],
}

/** The user's own switch to allow everything must not override the mode of the session. */
function environmentFor({ options }: Session): Readonly<Record<string, string>> {
  const {
    COPILOT_ALLOW_ALL: _all,
    COPILOT_ASSISTED_APPROVAL: _assisted,
    ...rest
  } = options.environment
  return rest
}

function handleLine(session: Session, raw: string): void {
  const { emitter, parser, options, sessionId, mode } = session
  const record = parseJsonRecord(raw)
  const line = Line.safeParse(record)
  if (!line.success) return emitter.reportNoise(raw)
  const result = Result.safeParse(record)
  if (result.success) {
    session.result = result.data
    return
  }
  const { cwd, model } = options
  const { type, data } = line.data
  if (!emitter.hasStarted() && /^(?:session|user|assistant|tool|model)\./.test(type)) {
    emitter.emit({ event: "session.started", sessionId, cwd, model, mode })
  }
  if (emitter.hasStarted()) emitter.emit({ event: "turn.started" })
  parseEvent(parser, type, { data, raw })
}

async function endTurn(session: Session, exit: HostExit, usageFile: string): Promise<void> {
  const { emitter, parser, options } = session
  await emitUsage(emitter, usageFile)
  session.child = undefined
  if (session.isStopped || options.signal.aborted) return emitter.end("stopped")
  session.isStored ||= emitter.hasStarted()
  const { lastText: text, denials } = parser
  const { result, isInterrupted } = session
  session.isBusy = false
  if (isInterrupted) return emitter.emit({ event: "turn.ended", outcome: "stopped", text, denials })
  if (result === undefined || !emitter.hasStarted()) {
    const how = result === undefined ? describeExit(exit.exit) : "without a session"
    return emitter.fail(AgentEnded({ title: TITLE, how, words: exit.complaint }))
  }
  const isDone = result.exitCode === 0
  const durationMs = Math.round(result.usage?.sessionDurationMs ?? 0)
  const outcome = isDone ? "completed" : "failed"
  const error = isDone ? undefined : (parser.lastError ?? exit.complaint)
  emitter.emit({ event: "turn.ended", outcome, text, error, durationMs, denials })
}

async function stop(session: Session): Promise<void> {
  const { emitter, child } = session
  session.isStopped = true
  emitter.setStopping("killed")
  await child?.end()
  await child?.ended
  emitter.end("stopped")
}

function agentSessionOf(session: Session): AgentSession {
  const { emitter } = session
  function checkOpen(): void {
    if (emitter.hasEnded()) throw SessionOver({ title: TITLE })
  }
  return {
    events: emitter.events,
    get process() {
      return session.child?.identity
    },
    canSteer: false,
    async send(text) {
      checkOpen()
      if (session.isBusy) throw TurnRunning({ title: TITLE })
      emitter.emit({ event: "turn.started" })
      await startTurn(session, text)
    },
    async answer(approvalId) {
      throw QuestionUnknown({ approvalId })
    },
    async setMode(mode) {
      checkOpen()
      session.mode = mode
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      if (!session.isBusy) return
      session.isInterrupted = true
      emitter.setStopping("killed")
      await session.child?.end()
    },
    stop: () => stop(session),
  }
}

const ServerList = z.object({ mcpServers: z.record(z.string(), z.unknown()) })

/** Servers built into the host; its list does not contain them. */
const BUILT_IN = ["github-mcp-server", "githubiq"] as const

async function serverSwitches(options: StartOptions): Promise<readonly string[]> {
  const { sources, program, cwd, environment, signal } = options
  if (sources === undefined) return []
  const outcome = await run(program, ["mcp", "list", "--json"], {
    cwd,
    env: environment,
    signal,
    timeoutMs: 30_000,
    maxOutputBytes: 1024 * 1024,
    graceMs: STOP_GRACE_MS,
  })
  const text = outcome.kind === "exited" && outcome.code === 0 ? outcome.stdout.toString() : ""
  const list = ServerList.safeParse(parseJsonRecord(text))
  if (!list.success) {
    throw AgentRefused({ title: TITLE, what: "the list of its MCP servers", reason: outcome.kind })
  }
  const others = [...Object.keys(list.data.mcpServers), ...BUILT_IN]
  return others.filter((it) => !sources.includes(it)).map((it) => `--disable-mcp-server=${it}`)
}

async function emitUsage(emitter: EventEmitter, file: string): Promise<void> {
  try {
    const read = await readTextBounded(file, { maxBytes: 1024 * 1024 })
    const usage = UsageFile.safeParse(read.kind === "read" ? parseJsonRecord(read.text) : undefined)
    await removeFile(file)
    if (!usage.success) return
    for (const [model, metrics] of Object.entries(usage.data.modelMetrics)) {
      const { inputTokens, outputTokens: output } = metrics.usage
      const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = metrics.usage
      const input = Math.max(0, inputTokens - cacheRead - cacheWrite)
      const tokens = { input, output, cacheRead, cacheWrite }
      emitter.emit({ event: "cost", model, usage: tokens, isTotal: false })
    }
  } catch {
    // Without the file the turn has no token counts.
  }
}
