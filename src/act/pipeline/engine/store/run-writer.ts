import type { PipelineEvent, PipelineEventBody } from "#ground/contract"
import type { RunState } from "../../events/state.ts"
import { Interruption } from "../interruption.ts"
import { advanced, type Claim, type EventStore, numbered } from "./event-store.ts"

export type RunWriter = {
  readonly claim: Claim
  state(): RunState
  /** A function is called when it is its turn and sees the state that it appends to. */
  append(bodies: Bodies | (() => Bodies)): Promise<void>
  foresee(bodies: Bodies): RunState
  /** A write failed and may or may not be stored, so this writer writes nothing more. */
  isBroken(): boolean
}

type Bodies = readonly PipelineEventBody[]

export function createRunWriter(deps: {
  readonly eventStore: Pick<EventStore, "append">
  readonly claim: Claim
  readonly state: RunState
  wrote(state: RunState, events: readonly PipelineEvent[]): void
}): RunWriter {
  let state = deps.state
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined

  async function write(bodies: Bodies): Promise<void> {
    if (failure !== undefined) throw failure.error
    try {
      const written = await deps.eventStore.append(deps.claim, state, bodies)
      if (written.kind === "lost") throw new Interruption("lost")
      state = written.state
      deps.wrote(state, written.events)
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  return {
    claim: deps.claim,
    state: () => state,
    append(bodies) {
      const turn = last.then(() => write(typeof bodies === "function" ? bodies() : bodies))
      // The caller handles a failed write; the next write detects it itself.
      last = turn.catch(() => {})
      return turn
    },
    isBroken: () => failure !== undefined,
    foresee: (bodies) => advanced(state, numbered(state.lastSeq, state.updatedAt, bodies)),
  }
}
