import type { Clock } from "#ground/base"
import { invariant } from "#ground/base"
import type { PipelineEvent, PipelineEventBody, PipelineLine } from "#ground/contract"
import { ConstraintBroken, type Db, databaseNow, type Sql, sql, type Tx } from "#ground/store"
import { StateDamaged } from "../../errors.ts"
import { digestOf, type KeptEvent, NO_DIGEST, readChain } from "../../events/chain.ts"
import { advance, replay } from "../../events/reduce.ts"
import type { BodyOf, RunState } from "../../events/state.ts"
import { lineView } from "../../events/views.ts"
import { CLAIM_TRIES } from "../../limits.ts"
import {
  advanceRun,
  claimRun,
  DigestRow,
  EventRow,
  FenceRow,
  insertEvents,
  insertRun,
  isLeaseOver,
  NumberRow,
  type Owner,
  type RunFilter,
  RunRow,
  releaseRun,
  renewLease,
  STOP,
  selectDigest,
  selectEvents,
  selectLastNumber,
  selectRun,
  selectRunning,
  selectRuns,
  WantedRow,
  wantStop,
  writeOffRun,
} from "./queries.ts"

/** As for runs of agents: the runs of a dead node continue within 30 s. */
export const LEASE_MS = 20_000

/** The rest of the lease is for ending the work before another node may continue it. */
export const MAX_UNRENEWED_MS = LEASE_MS - 5_000

/** The right to write a run. A later claim has a higher fence and invalidates this one. */
export type Claim = { readonly id: string; readonly fence: number }

type AppendOutcome =
  | {
      readonly kind: "written"
      readonly state: RunState
      readonly events: readonly PipelineEvent[]
    }
  | { readonly kind: "lost" }

/**
 * A port, because the engine is also tested against a store in memory that loses messages, claims
 * and processes.
 */
export type EventStore = {
  /** Several machines may use the store. */
  readonly isShared: boolean
  create(bodies: readonly [BodyOf<"run_started">, ...PipelineEventBody[]]): Promise<{
    readonly claim: Claim
    readonly state: RunState
  }>
  append(
    claim: Claim,
    state: RunState,
    bodies: readonly PipelineEventBody[],
  ): Promise<AppendOutcome>
  find(id: string): Promise<RunRow | undefined>
  events(id: string): Promise<readonly PipelineEvent[]>
  list(filter: RunFilter): Promise<readonly RunRow[]>
  running(): Promise<readonly RunRow[]>
  claim(row: RunRow): Promise<Claim | undefined>
  renew(claim: Claim): Promise<"kept" | "stop-wanted" | "lost">
  release(claim: Claim): Promise<void>
  wantStop(row: RunRow): Promise<void>
  /** For a run with unreadable events: it does not continue, and its list row has the reason. */
  writeOff(claim: Claim, line: PipelineLine): Promise<void>
}

type Deps = { readonly db: Db<"pipeline">; readonly clock: Clock; readonly owner: Owner }

export function createEventStore(deps: Deps): EventStore {
  const { db, clock, owner } = deps
  const now = (): Sql => databaseNow(db, clock)
  return {
    isShared: db.dialect === "postgres",
    create: (bodies) => createNumbered(bodies, deps),
    append: (claim, state, bodies) =>
      db.transaction((tx) => append(tx, { claim, state, bodies, at: clock.now() })),
    find: (id) => db.get(RunRow, selectRun(id, now())),
    events: async (id) => readEvents(id, await db.all(EventRow, selectEvents(id))),
    list: (filter) => db.all(RunRow, selectRuns(filter, now())),
    running: () => db.all(RunRow, selectRunning(now())),
    async claim(row) {
      // Its owner may have renewed since the row was read.
      const condition = row.isLeaseOver && row.owner !== null ? isLeaseOver(now()) : sql`1 = 1`
      const until = leaseUntil(deps)
      const query = claimRun(row.id, { owner, until, seen: row.fence, condition })
      const claimed = await db.transaction((tx) => tx.get(FenceRow, query))
      return claimed === undefined ? undefined : { id: row.id, fence: claimed.fence }
    },
    async renew({ id, fence }) {
      const query = renewLease(id, fence, leaseUntil(deps))
      const renewed = await db.transaction((tx) => tx.get(WantedRow, query))
      if (renewed === undefined) return "lost"
      return renewed.wanted === STOP ? "stop-wanted" : "kept"
    },
    async release({ id, fence }) {
      await db.transaction(async (tx) => {
        const { changes } = await tx.run(releaseRun(id, fence))
        const row = changes === 0 ? undefined : await tx.get(RunRow, selectRun(id, now()))
        if (row?.status === "running") {
          tx.emit("pipeline.advanced", { id, seq: row.lastSeq, status: "interrupted" })
        }
      })
    },
    async wantStop({ id, fence, lastSeq, status }) {
      await db.transaction(async (tx) => {
        await tx.run(wantStop(id, fence))
        tx.emit("pipeline.advanced", { id, seq: lastSeq, status })
      })
    },
    async writeOff({ id, fence }, line) {
      await db.transaction(async (tx) => {
        const { changes } = await tx.run(writeOffRun(line, fence))
        if (changes === 0) return
        tx.emit("pipeline.ended", { id, status: "failed", reason: line.reason ?? "" })
      })
    },
  }
}

function leaseUntil({ db, clock }: Deps): Sql {
  return sql`${databaseNow(db, clock)} + ${LEASE_MS}`
}

function readEvents(id: string, rows: readonly KeptEvent[]): readonly PipelineEvent[] {
  const read = readChain(id, rows)
  if (read.kind === "damaged") throw StateDamaged({ id, seq: read.seq, problem: read.problem })
  return read.events
}

export function stateOf(id: string, events: readonly PipelineEvent[]): RunState {
  const reduced = replay(id, events)
  if (reduced.kind === "damaged") {
    throw StateDamaged({ id, seq: reduced.seq, problem: reduced.problem })
  }
  return reduced.state
}

export function numbered(
  after: number,
  at: number,
  bodies: readonly PipelineEventBody[],
): readonly PipelineEvent[] {
  return bodies.map((body, index) => ({ seq: after + index + 1, at, body }))
}

/** Events that we create ourselves are always possible. */
export function advanced(state: RunState, events: readonly PipelineEvent[]): RunState {
  return events.reduce((before, event) => {
    const reduced = advance(before, event)
    if (reduced.kind === "state") return reduced.state
    invariant(
      false,
      `the engine never writes an impossible event: ${event.body.type} ${reduced.problem}`,
    )
  }, state)
}

/** Two processes may take the same number; the slower one takes the next. */
async function createNumbered(
  bodies: readonly [BodyOf<"run_started">, ...PipelineEventBody[]],
  deps: Deps,
) {
  for (let tries = 1; ; tries++) {
    try {
      return await deps.db.transaction((tx) => create(tx, bodies, deps))
    } catch (error) {
      if (!ConstraintBroken.is(error) || tries >= CLAIM_TRIES) throw error
    }
  }
}

async function create(
  tx: Tx<"pipeline">,
  bodies: readonly [BodyOf<"run_started">, ...PipelineEventBody[]],
  deps: Deps,
) {
  const { clock, owner } = deps
  const at = clock.now()
  const last = await tx.get(NumberRow, selectLastNumber())
  const number = (last?.number ?? 0) + 1
  const id = `p-${number}`
  const events = numbered(0, at, bodies)
  const state = stateOf(id, events)
  const line = lineView(state)
  await tx.run(insertRun(line, { number, owner, until: leaseUntil(deps) }))
  await tx.run(insertEvents(id, chained(id, NO_DIGEST, events)))
  tx.emit("pipeline.started", { id, agent: line.agent, title: line.title })
  return { claim: { id, fence: 1 }, state }
}

async function append(
  tx: Tx<"pipeline">,
  it: {
    readonly claim: Claim
    readonly state: RunState
    readonly bodies: readonly PipelineEventBody[]
    readonly at: number
  },
): Promise<AppendOutcome> {
  const { claim, state: before } = it
  const events = numbered(before.lastSeq, it.at, it.bodies)
  const state = advanced(before, events)
  const line = lineView(state)
  const position = { fence: claim.fence, after: before.lastSeq }
  const { changes } = await tx.run(advanceRun(line, position))
  if (changes === 0) return { kind: "lost" }
  const last = await tx.get(DigestRow, selectDigest(claim.id, before.lastSeq))
  await tx.run(insertEvents(claim.id, chained(claim.id, last?.digest ?? NO_DIGEST, events)))
  announce(tx, line, it.bodies)
  return { kind: "written", state, events }
}

function chained(
  id: string,
  before: string,
  events: readonly PipelineEvent[],
): readonly KeptEvent[] {
  let digest = before
  return events.map(({ seq, at, body }) => {
    const row = { seq, at, body: JSON.stringify(body) }
    digest = digestOf(id, digest, row)
    return { ...row, digest }
  })
}

/** In the same transaction, so that no listener gets events that were not stored. */
function announce(
  tx: Tx<"pipeline">,
  line: PipelineLine,
  bodies: readonly PipelineEventBody[],
): void {
  const { id, lastSeq: seq, status } = line
  tx.emit("pipeline.advanced", { id, seq, status })
  for (const body of bodies) {
    if (body.type === "pause_requested") tx.emit("pipeline.asked", { id, question: body.question })
    if (body.type === "run_completed") {
      tx.emit("pipeline.ended", { id, status: body.status, reason: body.reason })
    }
  }
}
