import type { Clock } from "#ground/base"
import type { Message, Run } from "#ground/contract"
import { isEnded } from "./exit-code.ts"
import { LOOK_EVERY_MS, PAGE_MESSAGES } from "./limits.ts"

type FollowDeps = {
  /** Messages after this number are read. */
  readonly after: number
  run(): Promise<Run>
  messages(after: number, limit: number): Promise<readonly Message[]>
  receive(messages: readonly Message[]): void
  showStatus(run: Run): Promise<void>
  readonly wake: Wake
  /** Aborting stops following; the run continues. */
  readonly signal: AbortSignal
}

/** Follows a run of any process to its end; undefined if aborted. */
export async function followRun(following: FollowDeps): Promise<Run | undefined> {
  let { after } = following
  while (!following.signal.aborted) {
    // Read before the messages, so that all messages before the end are included.
    const run = await following.run()
    after = await readOn(following, after)
    await following.showStatus(run)
    if (isEnded(run)) return run
    await following.wake.wait(following.signal)
  }
  return undefined
}

async function readOn(following: FollowDeps, from: number): Promise<number> {
  let after = from
  while (!following.signal.aborted) {
    const page = await following.messages(after, PAGE_MESSAGES)
    const last = page.at(-1)
    if (last === undefined) break
    following.receive(page)
    after = last.seq
  }
  return after
}

export type Wake = ReturnType<typeof createWake>

/** Sleeps until woken, or for a maximum time. */
export function createWake(clock: Clock) {
  let next = Promise.withResolvers<void>()
  return {
    now(): void {
      next.resolve()
    },
    async wait(signal: AbortSignal): Promise<void> {
      const ended = new AbortController()
      const slept = clock.sleep(LOOK_EVERY_MS, AbortSignal.any([ended.signal, signal]))
      await Promise.race([next.promise, slept.catch(() => {})])
      ended.abort()
      // A wake-up while reading counts for the next wait.
      next = Promise.withResolvers<void>()
    },
  }
}
