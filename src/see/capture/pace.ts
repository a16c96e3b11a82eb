import { PAUSE_AFTER_BYTES } from "./limits.ts"

/** Called with the bytes of each piece of work; now and then it lets others have their turn. */
export type Pace = (bytes: number) => Promise<void>

/** A server that captures a huge context must go on answering, and a call that ended must stop. */
export function createPace(deps: { readonly signal: AbortSignal; rest(): Promise<void> }): Pace {
  let worked = 0
  return async (bytes) => {
    worked += bytes
    if (worked < PAUSE_AFTER_BYTES) return
    worked = 0
    await deps.rest()
    deps.signal.throwIfAborted()
  }
}
