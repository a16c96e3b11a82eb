import type { PipelineEventBody } from "#ground/contract"
import { RunUnknown } from "../errors.ts"
import type { BodyOf, RunState } from "../events/state.ts"
import { CLAIM_TRIES } from "../limits.ts"
import { createAccess, type EngineDeps, type FoundRun } from "./access.ts"
import { createActiveRuns } from "./active-runs.ts"
import { stateOf } from "./store/event-store.ts"
import type { RunRow } from "./store/queries.ts"
import { createWatch } from "./watch.ts"

export type Engine = ReturnType<typeof createEngine>

export function createEngine(deps: EngineDeps) {
  const { eventStore } = deps
  const activeRuns = createActiveRuns(deps)
  const isLeft = (row: RunRow): boolean => !activeRuns.has(row.id) && hasNoOwner(row, deps)
  const isAlone = (row: RunRow): boolean => row.status === "running" && isLeft(row)

  async function find(id: string): Promise<FoundRun> {
    for (let tries = 1; ; tries++) {
      const row = await eventStore.find(id)
      if (row === undefined) throw RunUnknown({ id })
      const events = await eventStore.events(id)
      const state = stateOf(id, events)
      // The run advanced between the two reads, so read its holder again.
      if (state.lastSeq > row.lastSeq && tries < CLAIM_TRIES) continue
      // Derived from the events: if their tail was lost, the row is outdated.
      const isAtWork = state.end === undefined && state.pause === undefined
      return { row, events, state, isAlone: isAtWork && isLeft(row) }
    }
  }
  const access = createAccess({ ...deps, activeRuns, find })
  const watch = createWatch({ ...deps, activeRuns, isAlone, takeUp: access.takeUp })

  return {
    find,
    isAlone,
    ...access,
    async begin(
      bodies: readonly [BodyOf<"run_started">, ...PipelineEventBody[]],
    ): Promise<RunState> {
      const { claim, state } = await eventStore.create(bodies)
      activeRuns.start(claim, state)
      return state
    },
    settled: activeRuns.settled,
    recover: watch.recover,
    watch: watch.begin,
    async close(): Promise<void> {
      await watch.close()
      await activeRuns.close()
    },
  }
}

/** On this machine the process can be checked; for another machine only the lease counts. */
function hasNoOwner(row: RunRow, { owner: own, isAlive }: EngineDeps): boolean {
  const { owner, isLeaseOver } = row
  if (owner === null) return true
  const isOurs =
    owner.machine === own.machine && owner.pid === own.pid && owner.startedAt === own.startedAt
  if (owner.machine !== own.machine || isOurs) return isLeaseOver
  return !isAlive({ pid: owner.pid, startedAt: owner.startedAt })
}
