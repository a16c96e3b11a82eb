import { z } from "zod"
import type { PipelineEvent, PipelineEventBody } from "#ground/contract"
import { lineView } from "../../events/views.ts"
import { advanced, type EventStore, LEASE_MS, numbered, stateOf } from "./event-store.ts"
import type { Owner, RunRow } from "./queries.ts"

type StoredRow = Omit<RunRow, "isLeaseOver"> & { readonly leaseUntil: number }
type StoredRun = { row: StoredRow; readonly events: PipelineEvent[] }

/** Runs of a store in memory; they outlive every simulated process. */
export type RunMap = Map<string, StoredRun>

type Store = {
  readonly storedRuns: RunMap
  readonly owner: Owner
  now(): number
  /** A round trip to the store, which may be slow, fail or never return. */
  hop(): Promise<void>
  grown(): void
}

export function memoryEventStore(store: Store): EventStore {
  const { storedRuns } = store
  const read = ({ row }: StoredRun): RunRow => ({
    ...row,
    isLeaseOver: row.leaseUntil < store.now(),
  })
  const rows = (): RunRow[] => Array.from(storedRuns.values(), read)
  return {
    isShared: false,
    create: (bodies) => there(store, () => create(store, bodies)),
    append: (claim, before, bodies) =>
      there(store, () => {
        const storedRun = storedRuns.get(claim.id)
        const isOurs =
          storedRun?.row.fence === claim.fence && storedRun.row.lastSeq === before.lastSeq
        if (storedRun === undefined || !isOurs) return { kind: "lost" } as const
        const events = numbered(before.lastSeq, store.now(), plain(bodies))
        const state = advanced(before, events)
        const line = lineView(state)
        storedRun.events.push(...events)
        storedRun.row = { ...storedRun.row, lastSeq: state.lastSeq, status: line.status, line }
        store.grown()
        return { kind: "written", state, events } as const
      }),
    find: (id) =>
      there(store, () => {
        const storedRun = storedRuns.get(id)
        return storedRun === undefined ? undefined : read(storedRun)
      }),
    events: (id) => there(store, () => [...(storedRuns.get(id)?.events ?? [])]),
    list: ({ limit }) => there(store, () => rows().toReversed().slice(0, limit)),
    running: () => there(store, () => rows().filter((it) => it.status === "running")),
    ...memoryClaims(store),
  }
}

/** The write may happen even if its caller never learns of it. */
async function there<Value>({ hop }: Store, work: () => Value): Promise<Value> {
  await hop()
  const value = work()
  await hop()
  return value
}

function create(store: Store, bodies: Parameters<EventStore["create"]>[0]) {
  const { storedRuns, owner, now } = store
  const number = storedRuns.size + 1
  const id = `p-${number}`
  const events = [...numbered(0, now(), bodies)]
  const state = stateOf(id, events)
  const line = lineView(state)
  const lease = { owner, fence: 1, leaseUntil: now() + LEASE_MS, isStopWanted: false }
  const row = { id, number, status: line.status, lastSeq: state.lastSeq, line, ...lease }
  storedRuns.set(id, { row, events })
  store.grown()
  return { claim: { id, fence: 1 }, state }
}

function memoryClaims(
  store: Store,
): Pick<EventStore, "claim" | "renew" | "release" | "wantStop" | "writeOff"> {
  const { storedRuns, owner, now } = store
  const change = (id: string, fence: number, next: Partial<StoredRow>): boolean => {
    const storedRun = storedRuns.get(id)
    if (storedRun?.row.fence !== fence) return false
    storedRun.row = { ...storedRun.row, ...next }
    return true
  }
  return {
    claim: ({ id, fence }) =>
      there(store, () => {
        const lease = { owner, leaseUntil: now() + LEASE_MS, isStopWanted: false }
        const isClaimed = change(id, fence, { fence: fence + 1, ...lease })
        return isClaimed ? { id, fence: fence + 1 } : undefined
      }),
    renew: ({ id, fence }) =>
      there(store, () => {
        if (!change(id, fence, { leaseUntil: now() + LEASE_MS })) return "lost"
        return storedRuns.get(id)?.row.isStopWanted === true ? "stop-wanted" : "kept"
      }),
    release: ({ id, fence }) =>
      there(store, () => {
        if (change(id, fence, { fence: fence + 1, owner: null, leaseUntil: 0 })) store.grown()
      }),
    writeOff: ({ id, fence }, line) =>
      there(store, () => {
        if (change(id, fence, { status: line.status, line })) store.grown()
      }),
    wantStop: ({ id, fence }) =>
      there(store, () => {
        change(id, fence, { isStopWanted: true })
        store.grown()
      }),
  }
}

function plain(bodies: readonly PipelineEventBody[]): readonly PipelineEventBody[] {
  return z.custom<readonly PipelineEventBody[]>().parse(JSON.parse(JSON.stringify(bodies)))
}
