import { type Clock, isAppError, systemClock } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { Agent, AgentSession, StartOptions } from "../agent.ts"
import { SessionOver, TurnRunning } from "../wire/errors.ts"
import { createTelling, type Telling } from "../wire/telling.ts"
import { complete } from "./complete.ts"
import { createPlayer, type Player } from "./play.ts"
import { readScript, type Step } from "./script.ts"
import { echo } from "./scripts.ts"

const TITLE = "Synthetic"

/** An agent that plays a script: no program, no key, no network, the same every time. */
export function createSynthetic(deps: { readonly clock: Clock }): Agent {
  let started = 0
  return {
    type: "synthetic",
    title: TITLE,
    async find() {
      return { kind: "found", program: "synthetic", version: undefined }
    },
    async start(options) {
      started += 1
      return startSession(options, deps.clock, options.resume ?? `synthetic-${started}`)
    },
    complete,
  }
}

export const synthetic: Agent = createSynthetic({ clock: systemClock })

type World = {
  readonly telling: Telling
  readonly player: Player
  readonly state: {
    mode: AgentMode
    /** Ends the running turn. */
    turn: AbortController | undefined
    /** Resolves when the running turn is over. */
    ended: Promise<void>
  }
}

function startSession(options: StartOptions, clock: Clock, sessionId: string): AgentSession {
  const telling = createTelling(TITLE, options.redact)
  const state: World["state"] = { mode: options.mode, turn: undefined, ended: Promise.resolve() }
  const { cwd, verdict } = options
  const player = createPlayer({ telling, clock, cwd, verdict, mode: () => state.mode })
  const world = { telling, player, state }
  options.signal.addEventListener("abort", () => void stop(world), { once: true })
  const steps = stepsFor(options, telling)
  if (steps !== undefined) {
    telling.say(startOf(steps, options, sessionId))
    playTurn(world, steps)
  }
  return sessionOf(world)
}

/** The script's steps, or the echo of the prompt; undefined when the script is wrong. */
function stepsFor(options: StartOptions, telling: Telling): readonly Step[] | undefined {
  if (options.script === undefined) return echo(options.prompt)
  try {
    return readScript(options.script)
  } catch (error) {
    if (!isAppError(error)) throw error
    telling.fail(error)
    return undefined
  }
}

/** A script may begin its session itself; most leave it to us. */
function startOf(steps: readonly Step[], options: StartOptions, sessionId: string) {
  const own = steps.find((it) => it.event.event === "session.started")?.event
  const { cwd, mode, model = "synthetic-1" } = options
  const started = { event: "session.started", sessionId, cwd, mode, model } as const
  return own ?? started
}

function playTurn(world: World, steps: readonly Step[]): void {
  const { telling, player, state } = world
  const turn = new AbortController()
  state.turn = turn
  telling.say({ event: "turn.started" })
  state.ended = player
    .play(steps, turn.signal)
    .then(
      () => endTurn(telling, "completed"),
      () => endTurn(telling, "stopped"),
    )
    .finally(() => {
      state.turn = undefined
    })
}

/** A script that does not end its turn has it ended; one that ends for good is fatal. */
function endTurn(telling: Telling, outcome: "completed" | "stopped"): void {
  if (telling.isTurning()) telling.say({ event: "turn.ended", outcome })
}

async function stop(world: World): Promise<void> {
  world.telling.unlimit()
  world.state.turn?.abort()
  await world.state.ended
  world.telling.end("stopped")
}

function sessionOf(world: World): AgentSession {
  const { telling, player, state } = world
  function checkOpen(): void {
    if (telling.isOver()) throw SessionOver({ title: TITLE })
  }
  return {
    events: telling.events,
    process: undefined,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (telling.isTurning()) throw TurnRunning({ title: TITLE })
      playTurn(world, echo(text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      player.answer(approvalId, answer)
    },
    async setMode(mode) {
      checkOpen()
      state.mode = mode
      telling.say({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      state.turn?.abort()
      await state.ended
    },
    stop: () => stop(world),
  }
}
