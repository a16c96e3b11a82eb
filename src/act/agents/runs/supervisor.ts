import type { Clock, Log } from "#ground/base"
import type { ActiveRuns } from "./active-runs.ts"
import { CHECK_EVERY_MS, createLeaseRenewal, RENEW_EVERY_MS } from "./lease-renewal.ts"
import type { Recovery } from "./recovery.ts"
import type { Stores } from "./stores/stores.ts"

type Deps = {
  readonly clock: Clock
  readonly log: Log
  readonly stores: Stores
  readonly activeRuns: ActiveRuns
  readonly recovery: Recovery
  onAdvance(listener: () => void): () => void
  handleCommands(): Promise<void>
}

export type Supervisor = ReturnType<typeof createSupervisor>

export function createSupervisor(deps: Deps) {
  const { activeRuns, recovery, stores, log } = deps
  const leases = createLeaseRenewal({ ...deps, runs: stores.runs })
  let isWatching = false
  let isClosed = false

  /** A long-lived process also starts runs without an owner; a command line starts only its own. */
  async function fill(): Promise<void> {
    if (isClosed) return
    await activeRuns.launchQueued(({ hidden }) => recovery.mayStart(hidden.owner, isWatching))
  }
  function fillSoon(): void {
    void fill().catch((error: unknown) =>
      log.error("could not start a queued run", { error: String(error) }),
    )
  }
  async function recover(): Promise<number> {
    const recovered = await recovery.recover()
    if (recovered > 0) fillSoon()
    return recovered
  }
  const own = createPoller({
    ...deps,
    poll: deps.handleCommands,
    // Without other machines only a dead process loses its runs.
    check: stores.runs.isShared ? leases.stopUnrenewed : undefined,
    async tick() {
      await leases.renew()
      await stores.approvals.expireOverdue()
    },
  })
  const all = createPoller({
    ...deps,
    poll: fill,
    check: undefined,
    async tick() {
      await recover()
      await fill()
      await stores.approvals.expireOverdue()
    },
  })
  activeRuns.onChange(() => {
    if (activeRuns.claims().length === 0) own.pause()
    else own.start()
    void own.poll()
    fillSoon()
  })
  return {
    fill,
    fillSoon,
    recover,
    isWatching: () => isWatching,
    handleCommands: own.poll,
    watch(): void {
      isWatching = true
      all.start()
    },
    async close(): Promise<void> {
      isClosed = true
      await all.close()
      await activeRuns.close()
      await own.close()
    },
  }
}

type PollerDeps = Pick<Deps, "clock" | "log" | "onAdvance"> & {
  poll(): Promise<void>
  tick(): Promise<void>
  /** Runs on time also while `tick` waits for the database. */
  readonly check: (() => Promise<void>) | undefined
}

/** While started: polls when the store grows, one poll at a time, and ticks every 4 s. */
function createPoller({ clock, log, onAdvance, ...deps }: PollerDeps) {
  let started: AbortController | undefined
  let polling: Promise<void> | undefined
  let mustPollAgain = false

  function report(error: unknown): void {
    log.warn("could not poll the runs", { error: String(error) })
  }
  async function pollAll(): Promise<void> {
    do {
      mustPollAgain = false
      await deps.poll().catch(report)
    } while (mustPollAgain)
  }
  function poll(): Promise<void> {
    mustPollAgain = polling !== undefined
    polling ??= pollAll().finally(() => (polling = undefined))
    return polling
  }
  async function repeat(
    work: () => Promise<void>,
    everyMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await clock.sleep(everyMs, signal)
        await work()
      } catch (error) {
        if (!signal.aborted) report(error)
      }
    }
  }
  function pause(): void {
    started?.abort()
    started = undefined
  }
  return {
    poll,
    start(): void {
      if (started !== undefined) return
      started = new AbortController()
      const { signal } = started
      const stop = onAdvance(() => void poll())
      signal.addEventListener("abort", stop, { once: true })
      void repeat(deps.tick, RENEW_EVERY_MS, signal)
      if (deps.check !== undefined) void repeat(deps.check, CHECK_EVERY_MS, signal)
    },
    pause,
    async close(): Promise<void> {
      pause()
      await polling
    },
  }
}
