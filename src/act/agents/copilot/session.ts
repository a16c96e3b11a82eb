import type { Clock, Random } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentEnded, QuestionUnknown, SessionOver, TurnRunning } from "../wire/errors.ts"
import { type Gone, type HostChild, howEnded, startHostChild } from "../wire/host-child.ts"
import { createTelling, type Telling } from "../wire/telling.ts"
import { parseRecord } from "../wire/text.ts"
import { type Hearing, hear } from "./hear.ts"
import { ruleSwitches } from "./rules.ts"
import { serverSwitches } from "./servers.ts"
import { Line, Result } from "./shapes.ts"
import { tellUsage, usageFileFor } from "./usage.ts"

const TITLE = "Copilot"

export type Deps = { readonly clock: Clock; readonly random: Random }

type State = {
  mode: AgentMode
  isStopped: boolean
  isInterrupted: boolean
  isBusy: boolean
  /** Whether the host knows the session, so that a turn resumes it. */
  isKnown: boolean
  child: HostChild | undefined
  result: ReturnType<typeof Result.parse> | undefined
}

type World = {
  readonly options: StartOptions
  readonly deps: Deps
  readonly sessionId: string
  readonly state: State
  readonly telling: Telling
  readonly hearing: Hearing
  readonly rules: ReturnType<typeof ruleSwitches>
  /** The switches that leave only the servers that were asked for. */
  readonly servers: readonly string[]
}

/**
 * One `copilot` a turn: it reads the prompt from its stdin, works and ends. The session is one
 * because its id is ours and each turn resumes it.
 */
export async function startSession(options: StartOptions, deps: Deps): Promise<AgentSession> {
  const telling = createTelling(TITLE, options.redact)
  const state: State = {
    mode: options.mode,
    isStopped: false,
    isInterrupted: false,
    isBusy: false,
    isKnown: options.resume !== undefined,
    child: undefined,
    result: undefined,
  }
  const hearing = { telling, lastText: "", lastError: undefined, denials: 0 }
  const sessionId = options.resume ?? newUuid(deps.random)
  const servers = await serverSwitches(options)
  const rules = ruleSwitches(options)
  const world = { options, deps, sessionId, state, telling, hearing, rules, servers }
  if (!rules.isWhole) telling.say({ event: "message", type: "system", text: NOT_ALL_RULES })
  options.signal.addEventListener("abort", () => void stop(world), { once: true })
  await startTurn(world, options.prompt)
  return sessionOf(world)
}

const NOT_ALL_RULES =
  "Copilot has no switch for some rules, and nobody can be asked while it works: it only reads."

function newUuid(random: Random): string {
  const bytes = random.bytes(16)
  const marked = bytes.map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40
    return index === 8 ? (byte & 0x3f) | 0x80 : byte
  })
  const digits = Buffer.from(marked).toString("hex")
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

async function startTurn(world: World, text: string): Promise<void> {
  const { options, deps, state, telling, hearing } = world
  Object.assign(state, { isBusy: true, isInterrupted: false, result: undefined })
  Object.assign(hearing, { lastText: "", lastError: undefined, denials: 0 })
  const usageFile = usageFileFor(options.environment, newUuid(deps.random))
  const child = await startHostChild({
    start: { ...options, environment: environmentFor(world) },
    args: [...argumentsFor(world), `--usage-output-file=${usageFile}`],
    telling,
    clock: deps.clock,
    hear: (line) => hearLine(world, line),
  })
  state.child = child
  if (child === undefined) return
  child.endInput(text)
  void child.gone.then((gone) => concludeTurn(world, gone, usageFile))
}

/** No text of a person or a model stands on the command line. */
function argumentsFor({ options, sessionId, state, rules, servers }: World): readonly string[] {
  return [
    "--output-format=json",
    "--no-color",
    "--no-auto-update",
    "--no-ask-user",
    `${state.isKnown ? "--resume" : "--session-id"}=${sessionId}`,
    ...(options.model === undefined ? [] : [`--model=${options.model}`]),
    ...servers,
    ...rules.switches,
    // Without all rules nothing more than in mode ask, which allows nothing by itself.
    ...switchesOf(rules.isWhole || state.mode === "plan" ? state.mode : "ask"),
  ]
}

/**
 * Nobody can be asked in this way of running: what would be asked is denied by the host. `ask`
 * therefore reads only, and the transcript shows what was denied.
 */
function switchesOf(mode: AgentMode): readonly string[] {
  switch (mode) {
    case "plan":
      return ["--mode=plan"]
    case "ask":
      return []
    case "edits":
      return ["--allow-tool=write"]
    case "auto":
      return ["--allow-all-tools"]
    default:
      return mode satisfies never
  }
}

/** A person's own switch to allow everything must not be stronger than the mode of the session. */
function environmentFor({ options }: World): Readonly<Record<string, string>> {
  const isPassed = (name: string) =>
    name !== "COPILOT_ALLOW_ALL" && name !== "COPILOT_ASSISTED_APPROVAL"
  return Object.fromEntries(Object.entries(options.environment).filter(([name]) => isPassed(name)))
}

function hearLine(world: World, raw: string): void {
  const { telling, hearing, state, options, sessionId } = world
  const record = parseRecord(raw)
  const line = Line.safeParse(record)
  if (!line.success) return telling.noise(raw)
  const result = Result.safeParse(record)
  if (result.success) {
    state.result = result.data
    return
  }
  const { cwd, model } = options
  const { mode } = state
  if (!telling.hasStarted() && isOfSession(line.data.type)) {
    telling.say({ event: "session.started", sessionId, cwd, model, mode })
  }
  if (telling.hasStarted()) telling.say({ event: "turn.started" })
  hear(hearing, line.data.type, { data: line.data.data, raw })
}

/** Only what a session says shows that there is one. */
function isOfSession(type: string): boolean {
  return /^(?:session|user|assistant|tool|model)\./.test(type)
}

async function concludeTurn(world: World, gone: Gone, usageFile: string): Promise<void> {
  const { telling, hearing, state, options } = world
  await tellUsage(telling, usageFile)
  state.child = undefined
  const isOver = state.isStopped || options.signal.aborted
  if (isOver) return telling.end("stopped")
  state.isKnown = state.isKnown || telling.hasStarted()
  const { lastText: text, denials } = hearing
  const { result, isInterrupted } = state
  state.isBusy = false
  if (isInterrupted) return telling.say({ event: "turn.ended", outcome: "stopped", text, denials })
  if (result === undefined || !telling.hasStarted()) {
    const how = result === undefined ? howEnded(gone.exit) : "without a session"
    return telling.fail(AgentEnded({ title: TITLE, how, words: gone.lastWords }))
  }
  const isDone = result.exitCode === 0
  const durationMs = Math.round(result.usage?.sessionDurationMs ?? 0)
  const outcome = isDone ? "completed" : "failed"
  const error = isDone ? undefined : (hearing.lastError ?? gone.lastWords)
  telling.say({ event: "turn.ended", outcome, text, error, durationMs, denials })
}

async function stop(world: World): Promise<void> {
  const { state, telling } = world
  state.isStopped = true
  telling.stopping("killed")
  const { child } = state
  await child?.end()
  await child?.gone
  telling.end("stopped")
}

function sessionOf(world: World): AgentSession {
  const { state, telling } = world
  function checkOpen(): void {
    if (telling.isOver()) throw SessionOver({ title: TITLE })
  }
  return {
    events: telling.events,
    get process() {
      return state.child?.identity
    },
    canSteer: false,
    async send(text) {
      checkOpen()
      if (state.isBusy) throw TurnRunning({ title: TITLE })
      telling.say({ event: "turn.started" })
      await startTurn(world, text)
    },
    async answer(approvalId) {
      throw QuestionUnknown({ approvalId })
    },
    async setMode(mode) {
      checkOpen()
      state.mode = mode
      telling.say({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      if (!state.isBusy) return
      state.isInterrupted = true
      telling.stopping("killed")
      await state.child?.end()
    },
    stop: () => stop(world),
  }
}
