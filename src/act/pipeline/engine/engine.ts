import type { PipelineEventBody } from "#ground/contract"
import { RunUnknown } from "../errors.ts"
import type { BodyOf, RunState } from "../events/state.ts"
import { createAccess, type EngineDeps, type Found } from "./access.ts"
import { stateOf } from "./book.ts"
import { createRoster } from "./roster.ts"
import type { RunRow } from "./rows.ts"
import { createWatch } from "./watch.ts"

export type Engine = ReturnType<typeof createEngine>

/** Runs and who works on them: begun, answered, stopped, taken up again. */
export function createEngine(deps: EngineDeps) {
  const { book } = deps
  const roster = createRoster(deps)
  const isAlone = (row: RunRow): boolean => isLeft(row, roster.has(row.id), deps)

  async function find(id: string): Promise<Found> {
    const row = await book.find(id)
    if (row === undefined) throw RunUnknown({ id })
    const events = await book.events(id)
    return { row, events, state: stateOf(id, events), isAlone: isAlone(row) }
  }
  const access = createAccess({ ...deps, roster, find })
  const watch = createWatch({ ...deps, roster, isAlone, takeUp: access.takeUp })

  return {
    find,
    isAlone,
    ...access,
    async begin(
      bodies: readonly [BodyOf<"run_started">, ...PipelineEventBody[]],
    ): Promise<RunState> {
      const { claim, state } = await book.create(bodies)
      roster.start(claim, state)
      return state
    },
    settled: roster.settled,
    recover: watch.recover,
    watch: watch.begin,
    async close(): Promise<void> {
      await watch.close()
      await roster.close()
    },
  }
}

/** On this machine a process can be looked for; of another one only its lease tells. */
function isLeft(row: RunRow, isHere: boolean, { owner: own, isAlive, clock }: EngineDeps): boolean {
  const { owner, leaseUntil, status } = row
  if (status !== "running" || isHere) return false
  if (owner === null) return true
  const isOurs =
    owner.machine === own.machine && owner.pid === own.pid && owner.startedAt === own.startedAt
  if (owner.machine !== own.machine || isOurs) return leaseUntil < clock.now()
  return !isAlive({ pid: owner.pid, startedAt: owner.startedAt })
}
