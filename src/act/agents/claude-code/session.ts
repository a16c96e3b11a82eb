import type { Clock } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentRefused, SessionOver, TurnRunning } from "../wire/errors.ts"
import { concludeSession, type HostChild, startHostChild } from "../wire/host-child.ts"
import { createTelling, type Telling } from "../wire/telling.ts"
import { parseRecord, quote } from "../wire/text.ts"
import { type Control, createControl } from "./control.ts"
import { type Hearing, hear } from "./hear.ts"
import { permissionMode } from "./modes.ts"
import { Result } from "./shapes.ts"

const TITLE = "Claude Code"

type State = {
  mode: AgentMode
  isInterrupted: boolean
  isStopped: boolean
  /** A turn was sent and has not ended; the host tells of its beginning a little later. */
  isBusy: boolean
}

type World = {
  readonly state: State
  readonly telling: Telling
  readonly control: Control
  readonly hearing: Hearing
}

/** One `claude` that stays for the whole session; prompts and answers go through its stdin. */
export async function startSession(options: StartOptions, clock: Clock): Promise<AgentSession> {
  const telling = createTelling(TITLE)
  const state: State = { mode: options.mode, isInterrupted: false, isStopped: false, isBusy: true }
  const link: { child?: HostChild } = {}
  const mode = () => state.mode
  const control = createControl({ telling, mode, write: (it) => link.child?.write(it) })
  const isInterrupted = () => state.isInterrupted
  const hearing = { telling, mode, isInterrupted, tasks: new Map() }
  const world = { state, telling, control, hearing }
  const child = await startHostChild({
    start: options,
    args: argumentsFor(options),
    telling,
    clock,
    hear: (line) => hearLine(world, line, () => void link.child?.end()),
  })
  if (child !== undefined) {
    link.child = child
    child.write(userMessage(options.prompt))
    void child.gone.then((gone) => {
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
  ]
}

function userMessage(text: string): object {
  const message = { role: "user", content: [{ type: "text", text }] }
  return { type: "user", message, parent_tool_use_id: null, session_id: "" }
}

function hearLine(world: World, text: string, endChild: () => void): void {
  const { telling, control, hearing, state } = world
  const line = parseRecord(text)
  if (line === undefined) return telling.noise(text)
  if (control.hear(line, text)) return
  const isResult = line["type"] === "result"
  if (isResult && !telling.hasStarted()) {
    telling.fail(AgentRefused({ title: TITLE, what: "to begin", reason: reasonOf(line) }))
    return endChild()
  }
  hear(hearing, line, text)
  if (!isResult) return
  Object.assign(state, { isBusy: false, isInterrupted: false })
  control.askContextUsage()
}

/** A result without a session before it says why there is none. */
function reasonOf(line: Readonly<Record<string, unknown>>): string {
  const result = Result.safeParse(line)
  const words = result.success ? (result.data.errors?.join(" ") ?? result.data.result) : undefined
  return quote(words ?? "it gave no reason")
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
