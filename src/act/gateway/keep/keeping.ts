import type { GatewayCarry } from "#ground/contract"
import { cleanIfItCan } from "./clean.ts"
import { deleteCarry, deleteRun } from "./delete.ts"
import { LONGEST_REASON_UNITS, MOST_LATCHES } from "./limits.ts"
import {
  insertCarry,
  insertLatch,
  selectLatches,
  selectOpen,
  setEnded,
  setLatchedOff,
} from "./queries.ts"
import { createRecording } from "./record.ts"
import { type CarryFacts, ChangedRow, LatchRow, OpenRow, type Owner } from "./rows.ts"
import { listCarries, manifestOf, showCarries, textsOf } from "./views.ts"
import { lastPiecesOf, newestWordOf, wireContextOf } from "./word.ts"
import { carryOf, isThere, type KeepDeps } from "./world.ts"

export type NewCarry = CarryFacts & { readonly run: string | null; readonly owner: Owner }

export type Keeping = ReturnType<typeof createKeeping>

/** What went over the wire, written down for later. */
export function createKeeping(deps: KeepDeps) {
  const { record, forget } = createRecording(deps)
  return {
    open: (given: NewCarry) => open(deps, given),
    record,
    async close(id: string): Promise<void> {
      forget(id)
      await end(deps, id)
      await cleanIfItCan(deps)
    },
    latchOff: (id: string, latch: Latch) => latchOff(deps, id, latch),
    /** Sessions that are folded no more, the newest first. */
    latches: (): Promise<readonly Latch[]> =>
      deps.db.all(LatchRow, selectLatches(deps.root(), MOST_LATCHES)),
    recover: () => recover(deps),
    delete: (input: { readonly id: string }) => deleteCarry(deps, input.id),
    deleteRun: (run: string) => deleteRun(deps, run),
    list: listCarries(deps),
    show: showCarries(deps),
    request: manifestOf(deps),
    texts: textsOf(deps),
    contextOf: wireContextOf(deps),
    newestWord: newestWordOf(deps),
    lastPieces: lastPiecesOf(deps),
  }
}

async function open(deps: KeepDeps, given: NewCarry): Promise<GatewayCarry> {
  const { run, owner, ...facts } = given
  const id = deps.ids.next("gw")
  const startedAt = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    await tx.run(insertCarry({ id, root: deps.root(), run, startedAt, owner, facts }))
    tx.emit("gateway.opened", { carry: id, run, mode: facts.mode })
  })
  const fresh = { endedAt: null, latchedOff: null, requests: 0, folds: 0 }
  return carryOf({ id, run, startedAt, owner, facts, ...fresh }, deps)
}

type Latch = { readonly session: string; readonly reason: string }

/** Once a session, and for good: it must be so after a restart too. */
async function latchOff(deps: KeepDeps, id: string, latch: Latch): Promise<void> {
  const [root, at] = [deps.root(), deps.clock.now()]
  const session = storable(latch.session)
  const reason = storable(latch.reason)
  await deps.db.transaction(async (tx) => {
    const { changes } = await tx.run(insertLatch({ root, session, at, reason }))
    const carry = await tx.get(ChangedRow, setLatchedOff({ root, id }, reason))
    if (changes === 0) return
    tx.emit("gateway.latched-off", { carry: id, run: carry?.run ?? null, reason })
  })
}

function storable(text: string): string {
  return text.replaceAll("\0", "").slice(0, LONGEST_REASON_UNITS).toWellFormed()
}

/** Carries whose process is gone without a word are over. */
async function recover(deps: KeepDeps): Promise<void> {
  const rows = await deps.db.all(OpenRow, selectOpen(deps.root()))
  for (const { id, owner } of rows) if (!isThere(owner, deps)) await end(deps, id)
}

async function end({ db, root, clock }: KeepDeps, id: string): Promise<void> {
  const at = clock.now()
  await db.transaction(async (tx) => {
    const changed = await tx.get(ChangedRow, setEnded({ root: root(), id }, at))
    if (changed !== undefined) tx.emit("gateway.closed", { carry: id, run: changed.run })
  })
}
