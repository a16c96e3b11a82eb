import type { Clock, Log } from "#ground/base"

type Deps = {
  readonly clock: Clock
  readonly log: Log
  /** Calls back when anybody has written to the store; gives a function that ends it. */
  onAdvance(listener: () => void): () => void
  /** Somebody may want something. */
  look(): Promise<void>
  readonly everyMs: number
  /** Whether or not somebody does. */
  tick(): Promise<void>
}

/**
 * As long as it is awake, it looks whenever the store has grown, one look at a time, and ticks. A
 * look or tick that fails is said in the log; the next one comes.
 */
export function createAttention(deps: Deps) {
  let awake: AbortController | undefined
  const looking = createLooking(deps)
  const rest = (): void => {
    awake?.abort()
    awake = undefined
  }
  return {
    look: looking.look,
    wake(): void {
      if (awake !== undefined) return
      awake = new AbortController()
      const { signal } = awake
      const stop = deps.onAdvance(() => void looking.look())
      signal.addEventListener("abort", stop, { once: true })
      void tickOn(signal, deps)
    },
    rest,
    /** At rest, and the last look is over. */
    async close(): Promise<void> {
      rest()
      await looking.settled()
    },
  }
}

/** One look at a time, and one more when somebody asked meanwhile. */
function createLooking(deps: Deps) {
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  async function lookAll(): Promise<void> {
    do {
      isAskedAgain = false
      await deps.look().catch((error: unknown) => report(error, deps.log))
    } while (isAskedAgain)
  }
  return {
    /** Resolves when what was wanted before this call has been looked at. */
    look(): Promise<void> {
      isAskedAgain = looking !== undefined
      looking ??= lookAll().finally(() => (looking = undefined))
      return looking
    },
    settled: async (): Promise<void> => looking,
  }
}

async function tickOn(signal: AbortSignal, deps: Deps): Promise<void> {
  while (!signal.aborted) {
    try {
      await deps.clock.sleep(deps.everyMs, signal)
      await deps.tick()
    } catch (error) {
      if (!signal.aborted) report(error, deps.log)
    }
  }
}

function report(error: unknown, log: Log): void {
  log.warn("runs could not be looked after", { error: String(error) })
}
