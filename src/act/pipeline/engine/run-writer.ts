import type { PipelineEvent, PipelineEventBody } from "#ground/contract"
import type { RunState } from "../events/state.ts"
import { advanced, type Claim, type EventStore, numbered } from "./event-store.ts"
import { Interruption } from "./interruption.ts"

/** The one way into a run for who has claimed it: one write after the other, each after the last. */
export type RunWriter = {
  readonly claim: Claim
  state(): RunState
  /** A function is asked when its turn has come, and sees the state that it adds to. */
  append(bodies: Bodies | (() => Bodies)): Promise<void>
  /** What the state would be, without writing. */
  foresee(bodies: Bodies): RunState
  /** A write failed: nobody knows whether it stands, so this writer writes no more. */
  isBroken(): boolean
}

type Bodies = readonly PipelineEventBody[]

export function createRunWriter(deps: {
  readonly eventStore: Pick<EventStore, "append">
  readonly claim: Claim
  readonly state: RunState
  /** They are stored: whoever listens may be told. */
  wrote(state: RunState, events: readonly PipelineEvent[]): void
}): RunWriter {
  let state = deps.state
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined

  async function write(bodies: Bodies): Promise<void> {
    if (failure !== undefined) throw failure.error
    try {
      const written = await deps.eventStore.append(deps.claim, state, bodies)
      // Whatever this process still does in the run counts nowhere.
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
      // A failed write is its caller's; the next one finds out for itself.
      last = turn.catch(() => {})
      return turn
    },
    isBroken: () => failure !== undefined,
    foresee: (bodies) => advanced(state, numbered(state.lastSeq, state.updatedAt, bodies)),
  }
}
