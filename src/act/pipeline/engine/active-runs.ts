import type { Clock, Log } from "#ground/base"
import type { PipelineEvent } from "#ground/contract"
import type { RunState } from "../events/state.ts"
import { LEASE_EVERY_MS } from "../limits.ts"
import { type DriveDeps, drive } from "./drive.ts"
import { Interruption } from "./interruption.ts"
import { type Claim, type EventStore, MAX_UNRENEWED_MS } from "./store/event-store.ts"
import { createRunWriter, type RunWriter } from "./store/run-writer.ts"

/** How often a node checks that its leases were renewed. */
const CHECK_EVERY_MS = 500

type ActiveRun = {
  readonly claim: Claim
  /** When the claim began, or its last successful renewal was requested. */
  leasedAtMs: number
  readonly cut: AbortController
  readonly done: Promise<void>
}

export type ActiveRunsDeps = DriveDeps & {
  readonly eventStore: EventStore
  readonly clock: Clock
  readonly log: Log
  wrote(state: RunState, events: readonly PipelineEvent[]): void
  ended(state: RunState): Promise<void>
}

export type ActiveRuns = ReturnType<typeof createActiveRuns>

export function createActiveRuns(deps: ActiveRunsDeps) {
  const working = new Map<string, ActiveRun>()
  const over = new AbortController()
  const lease = createLease(working, over.signal, deps)
  return {
    has: (id: string): boolean => working.has(id),
    start(claim: Claim, state: RunState): void {
      const cut = new AbortController()
      if (over.signal.aborted) cut.abort(new Interruption("leave"))
      const done = work(createRunWriter({ ...deps, claim, state }), cut.signal, deps).finally(
        () => {
          if (working.get(claim.id)?.claim === claim) working.delete(claim.id)
        },
      )
      const leasedAtMs = deps.clock.monotonicMs()
      working.set(claim.id, { claim, leasedAtMs, cut, done })
      lease.keep()
    },
    settled: async (id: string): Promise<void> => working.get(id)?.done,
    async stop(id: string): Promise<void> {
      const active = working.get(id)
      active?.cut.abort(new Interruption("stop"))
      await active?.done
    },
    async obey(): Promise<void> {
      for (const { claim, cut } of working.values()) {
        const row = await deps.eventStore.find(claim.id)
        if (row?.fence !== claim.fence) cut.abort(new Interruption("lost"))
        else if (row.isStopWanted) cut.abort(new Interruption("stop"))
      }
    },
    /** Leaves all runs unchanged for another process to continue. */
    async close(): Promise<void> {
      over.abort()
      const all = [...working.values()]
      for (const { cut } of all) cut.abort(new Interruption("leave"))
      await Promise.all(all.map((it) => it.done))
    },
  }
}

async function work(writer: RunWriter, signal: AbortSignal, deps: ActiveRunsDeps): Promise<void> {
  const { id } = writer.claim
  try {
    await drive(writer, signal, deps)
  } catch (error) {
    // An interruption is expected; after any other error another process can continue the run.
    if (!(error instanceof Interruption)) {
      deps.log.error("a pipeline run could not continue", { id, error: String(error) })
    }
  }
  if (writer.state().end !== undefined) await quietly(deps.ended(writer.state()), deps.log)
  await quietly(deps.eventStore.release(writer.claim), deps.log)
}

function createLease(
  working: ReadonlyMap<string, ActiveRun>,
  over: AbortSignal,
  { eventStore, clock, log }: ActiveRunsDeps,
) {
  let isRenewing = false

  async function renewAll(): Promise<void> {
    for (const active of working.values()) {
      const { claim, cut } = active
      const requestedAtMs = clock.monotonicMs()
      const renewed = await eventStore.renew(claim)
      if (renewed !== "lost") active.leasedAtMs = requestedAtMs
      if (renewed === "lost") cut.abort(new Interruption("lost"))
      if (renewed === "stop-wanted") cut.abort(new Interruption("stop"))
    }
  }
  /** Ends work of this node that could not be renewed; the database decides who continues it. */
  async function checkUntilIdle(): Promise<void> {
    while (working.size > 0 && !over.aborted) {
      await clock.sleep(CHECK_EVERY_MS, over).catch(() => {})
      const oldest = clock.monotonicMs() - MAX_UNRENEWED_MS
      for (const { leasedAtMs, cut } of working.values()) {
        if (leasedAtMs < oldest) cut.abort(new Interruption("lost"))
      }
    }
  }
  async function beat(): Promise<void> {
    while (working.size > 0 && !over.aborted) {
      await clock.sleep(LEASE_EVERY_MS, over).catch(() => {})
      await quietly(renewAll(), log)
    }
    isRenewing = false
  }
  return {
    keep(): void {
      if (isRenewing) return
      isRenewing = true
      void beat()
      if (eventStore.isShared) void checkUntilIdle()
    },
  }
}

async function quietly(work: Promise<unknown>, log: Log): Promise<void> {
  try {
    await work
  } catch (error) {
    log.warn("the lease of a pipeline run could not be renewed", { error: String(error) })
  }
}
