import type { Clock, Log } from "#ground/base"
import { LONGEST_WAIT_MS } from "./limits.ts"

type Watched = {
  readonly clock: Clock
  readonly log: Log
  /** The nearest deadline of what is open; undefined when nothing is. */
  nearest(): Promise<number | undefined>
  endOverdue(): Promise<void>
}

/**
 * Ends branches at their deadline. There is one wait in the process, for the nearest deadline, and
 * none when nothing is open.
 */
export function createWatch(deps: Watched) {
  const wait = createWait(deps.clock)
  let isOn = false
  let asked = 0
  let loop: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      let isOpen = true
      let seen = asked
      do {
        const now = asked
        seen = now
        isOpen = await step(deps, wait, () => asked !== now || !isOn)
      } while (isOn && (isOpen || asked !== seen))
    } catch (error) {
      // The next branch that is opened starts it again; until then whoever looks ends it.
      deps.log.warn("deadlines of branches are not watched", { error })
    }
    // In the same turn as the last look at what was asked, so that nobody asks in between.
    loop = undefined
  }

  function ask(): void {
    asked++
    wait.stop()
    if (isOn) loop ??= look()
  }

  return {
    start(): void {
      isOn = true
      ask()
    },
    /** Something was opened; an earlier deadline is waited for instead. */
    opened(deadlineAt: number): void {
      if (deadlineAt < wait.until()) ask()
    },
    /** Something ended: when it was the last one, there is nothing left to wait for. */
    ended(): void {
      if (loop !== undefined) ask()
    },
    async close(): Promise<void> {
      isOn = false
      wait.stop()
      await loop
    },
  }
}

/** False when nothing is open. */
async function step(deps: Watched, wait: Wait, isOld: () => boolean): Promise<boolean> {
  const nearest = await deps.nearest()
  // What was read may be old already.
  if (isOld()) return true
  if (nearest === undefined) return false
  const ms = nearest - deps.clock.now()
  await (ms <= 0 ? deps.endOverdue() : wait.sleep(Math.min(ms, LONGEST_WAIT_MS), nearest))
  return true
}

type Wait = ReturnType<typeof createWait>

function createWait(clock: Clock) {
  let current: { readonly until: number; readonly control: AbortController } | undefined
  return {
    /** What is waited for; nothing is later than no wait. */
    until: (): number => current?.until ?? Number.POSITIVE_INFINITY,
    stop: (): void => current?.control.abort(),
    async sleep(ms: number, until: number): Promise<void> {
      const control = new AbortController()
      current = { until, control }
      try {
        await clock.sleep(ms, control.signal)
      } catch (error) {
        if (!control.signal.aborted) throw error
      } finally {
        current = undefined
      }
    },
  }
}
