import type { Clock, Log } from "#ground/base"
import { LEASE_EVERY_MS } from "../limits.ts"
import type { ActiveRuns } from "./active-runs.ts"
import type { EventStore } from "./store/event-store.ts"
import type { RunRow } from "./store/queries.ts"

type Deps = {
  readonly eventStore: EventStore
  readonly clock: Clock
  readonly log: Log
  readonly activeRuns: ActiveRuns
  onAdvance(listener: () => void): () => void
  isAlone(row: RunRow): boolean
  takeUp(row: RunRow): Promise<boolean>
}

/** Polls commands for runs of this process, and continues abandoned runs after `begin()`. */
export function createWatch(deps: Deps) {
  const over = new AbortController()
  let isWatching = false

  async function look(): Promise<void> {
    await deps.activeRuns.obey()
    if (!isWatching) return
    const alone = (await deps.eventStore.running()).filter(deps.isAlone)
    for (const row of alone) if (!over.signal.aborted) await takeUp(row)
  }
  /** A failure here must not stop the others. */
  async function takeUp(row: RunRow): Promise<void> {
    try {
      await deps.takeUp(row)
    } catch (error) {
      deps.log.warn("an interrupted pipeline run could not be resumed", {
        id: row.id,
        error: String(error),
      })
    }
  }
  const looking = createLooking(look, over.signal, deps.log)
  const unsubscribe = deps.onAdvance(looking.soon)

  async function tick(): Promise<void> {
    while (!over.signal.aborted) {
      looking.soon()
      await deps.clock.sleep(LEASE_EVERY_MS, over.signal).catch(() => {})
    }
  }
  return {
    /** After a crash: releases runs of dead processes, so that they show as interrupted. */
    async recover(): Promise<number> {
      const lost = (await deps.eventStore.running()).filter(
        (it) => it.owner !== null && deps.isAlone(it),
      )
      for (const { id, fence } of lost) await deps.eventStore.release({ id, fence })
      return lost.length
    },
    begin(): void {
      if (isWatching) return
      isWatching = true
      void tick()
    },
    async close(): Promise<void> {
      over.abort()
      unsubscribe()
      await looking.settled()
    },
  }
}

/** One pass at a time; a request during a pass starts another one after it. */
function createLooking(look: () => Promise<void>, over: AbortSignal, log: Log) {
  let running: Promise<void> | undefined
  let isDue = false

  async function run(): Promise<void> {
    while (isDue && !over.aborted) {
      isDue = false
      await look().catch((error: unknown) => {
        log.warn("pipeline runs could not be polled", { error: String(error) })
      })
    }
    running = undefined
  }
  return {
    soon(): void {
      isDue = true
      running ??= run()
    },
    settled: async (): Promise<void> => running,
  }
}
