import type { Clock, Log } from "#ground/base"
import { LEASE_EVERY_MS } from "../limits.ts"
import { createAttention } from "./attention.ts"
import type { Approvals } from "./kept/approvals.ts"
import type { Book } from "./kept/book.ts"
import type { Settling } from "./settle.ts"
import type { Launcher } from "./work/launcher.ts"

type Deps = {
  readonly clock: Clock
  readonly log: Log
  readonly book: Book
  readonly approvals: Approvals
  readonly launcher: Launcher
  readonly settling: Settling
  /** Calls back when the store has grown, whoever wrote. */
  onAdvance(listener: () => void): () => void
  /** Does what is wanted of the runs that work here. */
  obey(): Promise<void>
}

export type Care = ReturnType<typeof createCare>

/** Looks after runs: those that work here always, all others once it is asked to watch. */
export function createCare(deps: Deps) {
  const { launcher } = deps
  const filling = createFilling(deps)
  const { fill, fillSoon, recover } = filling
  const everyMs = LEASE_EVERY_MS
  const own = createAttention({
    ...deps,
    look: deps.obey,
    everyMs,
    async tick() {
      const lost = await deps.book.renew(launcher.claims())
      // Another process has them: two agents in one tree would be worse than none.
      for (const it of lost) await launcher.find(it.runId)?.live?.stop("interrupted")
      await deps.approvals.expireOverdue()
    },
  })
  const all = createAttention({
    ...deps,
    look: fill,
    everyMs,
    async tick() {
      await recover()
      await fill()
      await deps.approvals.expireOverdue()
    },
  })
  // As long as a run works here, what others want of it is looked after.
  launcher.onChange(() => {
    if (launcher.claims().length === 0) own.rest()
    else own.wake()
    void own.look()
    fillSoon()
  })
  return {
    ...filling,
    look: own.look,
    watch(): void {
      filling.stay()
      all.wake()
    },
    async close(): Promise<void> {
      filling.end()
      await all.close()
      await launcher.close()
      await own.close()
    },
  }
}

/** Starts what waits. What is nobody's is started by who stays: a command line ends with its run. */
function createFilling({ launcher, settling, log }: Deps) {
  let isWatching = false
  let isClosed = false
  const fill = async (): Promise<void> => {
    if (isClosed) return
    await launcher.fill(({ hidden }) => settling.mayTake(hidden.owner, isWatching))
  }
  const fillSoon = (): void => void fill().catch((error: unknown) => report(error, log))
  return {
    fill,
    fillSoon,
    async recover(): Promise<number> {
      const settled = await settling.recover()
      if (settled > 0) fillSoon()
      return settled
    },
    isWatching: () => isWatching,
    stay: () => void (isWatching = true),
    end: () => void (isClosed = true),
  }
}

function report(error: unknown, log: Log): void {
  log.error("run not started", { error: String(error) })
}
