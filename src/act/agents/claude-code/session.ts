import type { Clock } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentRefused, SessionOver, TurnRunning } from "../wire/errors.ts"
import { concludeSession, type HostChild, startHostChild } from "../wire/host-child.ts"
import { createTelling, type Telling } from "../wire/telling.ts"
import { parseRecord, quote } from "../wire/text.ts"
import { type Control, createControl } from "./control.ts"
import { type Hearing, hear } from "./hear.ts"
import { USAGE_WAIT_MS } from "./limits.ts"
import { permissionMode } from "./modes.ts"
import { createRules } from "./rules.ts"
import { Result } from "./shapes.ts"

const TITLE = "Claude Code"

type State = {
  mode: AgentMode
  isInterrupted: boolean
  isStopped: boolean
  /** A turn was sent and has not ended; the host tells of its beginning a little later. */
  isBusy: boolean
  /** Whether this turn's window was asked for: the first word of a turn is a good moment. */
  isUsageAsked: boolean
  /** The end of a turn, held until the host has told what is in its window. */
  result: { readonly line: Readonly<Record<string, unknown>>; readonly text: string } | undefined
}

type World = {
  readonly state: State
  readonly telling: Telling
  readonly control: Control
  readonly hearing: Hearing
}

/** One `claude` that stays for the whole session; prompts and answers go through its stdin. */
export async function startSession(options: StartOptions, clock: Clock): Promise<AgentSession> {
  const telling = createTelling(TITLE, options.redact)
  const state = newState(options.mode)
  const link: { child?: HostChild } = {}
  const mode = () => state.mode
  const write = (message: object) => link.child?.write(message)
  const rules = createRules({ telling, cwd: options.cwd, verdict: options.verdict, write })
  const isInterrupted = () => state.isInterrupted
  const hearing = { telling, mode, isInterrupted, tasks: new Map(), lastCall: { id: "" } }
  const onUsage = () => tellHeldResult({ state, hearing })
  const control = createControl({ telling, rules, mode, write, onUsage })
  const world = { state, telling, control, hearing }
  const child = await startHostChild({
    start: options,
    args: argumentsFor(options),
    telling,
    clock,
    hear: (line) => hearLine(world, line, { endChild: () => void link.child?.end(), clock }),
  })
  if (child !== undefined) {
    link.child = child
    rules.register()
    child.write(userMessage(options.prompt))
    void child.gone.then((gone) => {
      tellHeldResult(world)
      const isStopped = state.isStopped || options.signal.aborted
      concludeSession(telling, gone, { isStopped, isBusy: state.isBusy })
    })
  }
  return sessionOf(world, child)
}

/** No text of a person or a model stands on the command line. */
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
 * Servers of every scope that are not among them are not started (seen on 2.1.325). They stay as
 * the host has them: a list of our own with `--strict-mcp-config` would need their secrets.
 */
function onlyServers(names: readonly string[]): string {
  return JSON.stringify({ allowedMcpServers: names.map((serverName) => ({ serverName })) })
}

function userMessage(text: string): object {
  const message = { role: "user", content: [{ type: "text", text }] }
  return { type: "user", message, parent_tool_use_id: null, session_id: "" }
}

function newState(mode: AgentMode): State {
  return {
    mode,
    isInterrupted: false,
    isStopped: false,
    isBusy: true,
    isUsageAsked: false,
    result: undefined,
  }
}

type Reach = { endChild(): void; readonly clock: Clock }

function hearLine(world: World, text: string, { endChild, clock }: Reach): void {
  const { telling, control, hearing, state } = world
  const line = parseRecord(text)
  if (line === undefined) return telling.noise(text)
  if (control.hear(line, text)) return
  const isResult = line["type"] === "result"
  if (isResult && !telling.hasStarted()) {
    telling.fail(
      AgentRefused({
        title: TITLE,
        what: "to begin",
        reason: quote(telling.redact(reasonOf(line))),
      }),
    )
    return endChild()
  }
  if (!isResult) {
    hear(hearing, line, text)
    if (line["type"] === "assistant") askUsageOnce(world)
    return
  }
  // Whoever hears that a turn has ended may end the session, so its window is asked for before.
  state.result = { line, text }
  control.askContextUsage()
  void clock.sleep(USAGE_WAIT_MS).then(() => tellHeldResult(world))
}

function askUsageOnce({ state, control }: World): void {
  if (state.isUsageAsked) return
  state.isUsageAsked = true
  control.askContextUsage()
}

/** The end of the turn, once. */
function tellHeldResult({ state, hearing }: Pick<World, "state" | "hearing">): void {
  const { result } = state
  if (result === undefined) return
  state.result = undefined
  hear(hearing, result.line, result.text)
  Object.assign(state, { isBusy: false, isInterrupted: false, isUsageAsked: false })
}

/** A result without a session before it says why there is none. */
function reasonOf(line: Readonly<Record<string, unknown>>): string {
  const result = Result.safeParse(line)
  const words = result.success ? (result.data.errors?.join(" ") ?? result.data.result) : undefined
  return words ?? "it gave no reason"
}

function sessionOf(world: World, child: HostChild | undefined): AgentSession {
  const { telling, control, state } = world
  function checkOpen(): void {
    if (child === undefined || telling.isOver()) throw SessionOver({ title: TITLE })
  }
  return {
    events: telling.events,
    process: child?.identity,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (state.isBusy) throw TurnRunning({ title: TITLE })
      state.isBusy = true
      telling.say({ event: "turn.started" })
      child?.write(userMessage(text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      control.answer(approvalId, answer)
    },
    async setMode(mode) {
      checkOpen()
      state.mode = mode
      control.setMode(mode)
      telling.say({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      if (!state.isBusy) return
      state.isInterrupted = true
      telling.stopping("asked")
      control.interrupt()
    },
    async stop() {
      state.isStopped = true
      telling.stopping("killed")
      await child?.end()
      await child?.gone
    },
  }
}
