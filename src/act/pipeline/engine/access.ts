import type { AppError, ProcessIdentity } from "#ground/base"
import type { PipelineEvent, PipelineEventBody, PipelineLine } from "#ground/contract"
import { AtWorkElsewhere, RunEnded, RunUnknown, StateDamaged } from "../errors.ts"
import type { RunState } from "../events/state.ts"
import { CLAIM_TRIES } from "../limits.ts"
import type { ActiveRuns, ActiveRunsDeps } from "./active-runs.ts"
import { STOPPED } from "./drive.ts"
import { Interruption } from "./interruption.ts"
import { type Claim, stateOf } from "./store/event-store.ts"
import type { Owner, RunRow } from "./store/queries.ts"
import { createRunWriter } from "./store/run-writer.ts"

const STOP_LOOK_MS = 100

const STOP_WAIT_MS = 15_000

export type EngineDeps = ActiveRunsDeps & {
  readonly owner: Owner
  isAlive(identity: ProcessIdentity): boolean
  onAdvance(listener: () => void): () => void
}

export type FoundRun = {
  readonly row: RunRow
  readonly state: RunState
  readonly events: readonly PipelineEvent[]
  /** The run should be working, but no process holds it. */
  readonly isAlone: boolean
}

type Deps = EngineDeps & { readonly activeRuns: ActiveRuns; find(id: string): Promise<FoundRun> }

type ClaimedRun = { readonly claim: Claim; readonly state: RunState }
type Bodies = readonly PipelineEventBody[]

export type Answer = {
  may(found: FoundRun): void
  /** Called with the claim held, so the state cannot change meanwhile. */
  decide(state: RunState): Bodies | Promise<Bodies>
}

export function createAccess(deps: Deps) {
  const { eventStore, activeRuns } = deps
  return {
    /** Writes the answer; if the run continues, it continues in this process. */
    async answer(id: string, answer: Answer): Promise<RunState> {
      const held = await take(id, answer, deps)
      try {
        const state = await write(held, await answer.decide(held.state), deps)
        await handOn({ claim: held.claim, state }, deps)
        return state
      } catch (error) {
        await eventStore.release(held.claim)
        throw error
      }
    },
    /** Continues a run without a process; false if another process was faster. */
    async takeUp(row: RunRow): Promise<boolean> {
      const claim = await eventStore.claim(row)
      if (claim === undefined) return false
      try {
        activeRuns.start(claim, stateOf(row.id, await eventStore.events(row.id)))
        return true
      } catch (error) {
        // Otherwise the watcher would retry it forever.
        if (StateDamaged.is(error))
          await eventStore.writeOff(claim, writtenOff(row.line, error, deps))
        await eventStore.release(claim)
        throw error
      }
    },
    async stop(id: string): Promise<PipelineLine | undefined> {
      try {
        await stop(id, deps)
        return undefined
      } catch (error) {
        if (!StateDamaged.is(error)) throw error
        return writeOff(id, error, deps)
      }
    },
  }
}

async function writeOff(id: string, damage: AppError, deps: Deps): Promise<PipelineLine> {
  const { eventStore } = deps
  const row = await eventStore.find(id)
  if (row === undefined) throw RunUnknown({ id })
  if (row.line.endedAt !== null) throw RunEnded({ id, status: row.status })
  const claim = await eventStore.claim(row)
  if (claim === undefined) throw AtWorkElsewhere({ id, owner: "it claimed the run first" })
  const line = writtenOff(row.line, damage, deps)
  await eventStore.writeOff(claim, line)
  await eventStore.release(claim)
  return line
}

function writtenOff(line: PipelineLine, damage: AppError, { clock }: Deps): PipelineLine {
  const { code, message, hint } = damage
  const at = clock.now()
  return {
    ...line,
    status: "failed",
    updatedAt: at,
    endedAt: at,
    stage: null,
    stageTitle: null,
    error: { code, message, hint },
    reason: message,
    isPartial: true,
  }
}

async function take(id: string, answer: Answer, deps: Deps): Promise<ClaimedRun> {
  const { eventStore, activeRuns } = deps
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    // A run that is just pausing or ending in this process releases its claim first.
    const isAtRest = (await deps.find(id)).row.status !== "running"
    if (isAtRest) await activeRuns.settled(id)
    const run = await deps.find(id)
    answer.may(run)
    const claim = await eventStore.claim(run.row)
    if (claim === undefined) continue
    const state = stateOf(id, await eventStore.events(id))
    if (state.lastSeq === run.state.lastSeq) return { claim, state }
    await handOn({ claim, state }, deps)
  }
  throw AtWorkElsewhere({ id, owner: "other processes took the run over repeatedly" })
}

/**
 * The run continues here. A previous holder's writes fail from now on, also those of a concurrent
 * answer.
 */
async function handOn(
  { claim, state }: ClaimedRun,
  { eventStore, activeRuns }: Deps,
): Promise<void> {
  const goesOn = state.end === undefined && state.pause === undefined
  if (goesOn) activeRuns.start(claim, state)
  else await eventStore.release(claim)
}

async function write({ claim, state }: ClaimedRun, bodies: Bodies, deps: Deps): Promise<RunState> {
  if (bodies.length === 0) return state
  const writer = createRunWriter({ ...deps, claim, state })
  await writer.append(bodies).catch((error: unknown) => {
    throw error instanceof Interruption
      ? AtWorkElsewhere({ id: claim.id, owner: "it claimed the run first" })
      : error
  })
  if (state.end === undefined && writer.state().end !== undefined) await deps.ended(writer.state())
  return writer.state()
}

async function stop(id: string, deps: Deps): Promise<void> {
  const { eventStore, activeRuns } = deps
  const first = await deps.find(id)
  if (first.state.end !== undefined) throw RunEnded({ id, status: first.state.end.status })
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    await activeRuns.stop(id)
    const run = await deps.find(id)
    if (run.state.end !== undefined) return
    const isFree = run.state.pause !== undefined || run.isAlone
    if (!isFree) await stopElsewhere(run.row, deps)
    const claim = isFree ? await eventStore.claim(run.row) : undefined
    if (claim === undefined) continue
    const state = stateOf(id, await eventStore.events(id))
    try {
      if (state.end === undefined) await write({ claim, state }, [STOPPED], deps)
    } finally {
      await eventStore.release(claim)
    }
    return
  }
  throw AtWorkElsewhere({ id, owner: "other processes took the run over repeatedly" })
}

async function stopElsewhere(row: RunRow, deps: Deps): Promise<void> {
  await deps.eventStore.wantStop(row)
  const until = deps.clock.monotonicMs() + STOP_WAIT_MS
  while (deps.clock.monotonicMs() < until) {
    const now = await deps.eventStore.find(row.id)
    if (now === undefined || now.status !== "running" || now.fence !== row.fence) return
    await deps.clock.sleep(STOP_LOOK_MS)
  }
  throw AtWorkElsewhere({
    id: row.id,
    owner: `process ${row.owner?.pid ?? "unknown"}, not responding`,
  })
}
