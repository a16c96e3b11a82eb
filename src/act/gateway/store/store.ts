import { sliceText } from "#ground/base"
import type { gatewayOperations, Handlers, ProxiedSession } from "#ground/contract"
import { cleanIfItCan, deleteProxiedSession, deleteRun } from "./cleanup.ts"
import type { foldByHand } from "./hand-fold.ts"
import { lastManifestOf, newestHostReport, wireContextOf } from "./host-report.ts"
import { createMaskStore, listMasks } from "./masks.ts"
import {
  insertLatch,
  insertProxiedSession,
  selectLatches,
  selectOpen,
  setEnded,
  setLatchedOff,
} from "./queries.ts"
import { createRecording } from "./record.ts"
import {
  ChangedRow,
  isThere,
  LatchRow,
  OpenRow,
  type Owner,
  type ProxiedSessionFacts,
  proxiedSessionOf,
  type StoreDeps,
} from "./rows.ts"
import {
  explainCaches,
  listProxiedSessions,
  manifestOf,
  showProxiedSessions,
  textsOf,
} from "./views.ts"

const LONGEST_REASON_UNITS = 500

const MOST_LATCHES = 1_000

export type NewProxiedSession = ProxiedSessionFacts & {
  readonly run: string | null
  readonly owner: Owner
}

export type GatewayStore = ReturnType<typeof createGatewayStore>

export function createGatewayStore(deps: StoreDeps) {
  const { record, forget } = createRecording(deps)
  return {
    open: (options: NewProxiedSession) => open(deps, options),
    record,
    async close(id: string): Promise<void> {
      forget(id)
      await end(deps, id)
      await cleanIfItCan(deps)
    },
    latchOff: (id: string, latch: IneligibleSession) => latchOff(deps, id, latch),
    latches: (): Promise<readonly IneligibleSession[]> =>
      deps.db.all(LatchRow, selectLatches(deps.root(), MOST_LATCHES)),
    recover: () => recover(deps),
    delete: (input: { readonly id: string }) => deleteProxiedSession(deps, input.id),
    deleteRun: (run: string) => deleteRun(deps, run),
    list: listProxiedSessions(deps),
    show: showProxiedSessions(deps),
    cache: explainCaches(deps),
    request: manifestOf(deps),
    texts: textsOf(deps),
    contextOf: wireContextOf(deps),
    newestHostReport: newestHostReport(deps),
    lastManifest: lastManifestOf(deps),
    listMasks: listMasks(deps),
    masks: createMaskStore(deps),
  }
}

async function open(deps: StoreDeps, options: NewProxiedSession): Promise<ProxiedSession> {
  const { run, owner, ...facts } = options
  const id = deps.ids.next("gw")
  const startedAt = deps.clock.now()
  await deps.db.transaction(async (tx) => {
    await tx.run(insertProxiedSession({ id, root: deps.root(), run, startedAt, owner, facts }))
    tx.emit("gateway.opened", { proxiedSession: id, run, mode: facts.mode })
  })
  const fresh = { endedAt: null, latchedOff: null, requests: 0, folds: 0 }
  return proxiedSessionOf({ id, run, startedAt, owner, facts, ...fresh }, deps)
}

type IneligibleSession = { readonly session: string; readonly reason: string }

/** Once per session and for good, also after a restart. */
async function latchOff(deps: StoreDeps, id: string, latch: IneligibleSession): Promise<void> {
  const [root, at] = [deps.root(), deps.clock.now()]
  const session = storable(latch.session)
  const reason = storable(latch.reason)
  await deps.db.transaction(async (tx) => {
    const { changes } = await tx.run(insertLatch({ root, session, at, reason }))
    const changed = await tx.get(ChangedRow, setLatchedOff({ root, id }, reason))
    if (changes === 0) return
    tx.emit("gateway.latched-off", { proxiedSession: id, run: changed?.run ?? null, reason })
  })
}

function storable(text: string): string {
  return sliceText(text.replaceAll("\0", "").toWellFormed(), LONGEST_REASON_UNITS)
}

/** Ends sessions whose process is gone. */
async function recover(deps: StoreDeps): Promise<void> {
  const rows = await deps.db.all(OpenRow, selectOpen(deps.root()))
  for (const { id, owner } of rows) if (!isThere(owner, deps)) await end(deps, id)
}

async function end({ db, root, clock }: StoreDeps, id: string): Promise<void> {
  const at = clock.now()
  await db.transaction(async (tx) => {
    const changed = await tx.get(ChangedRow, setEnded({ root: root(), id }, at))
    if (changed !== undefined) tx.emit("gateway.closed", { proxiedSession: id, run: changed.run })
  })
}

type HandlerDeps = {
  gateway(): Promise<
    Pick<GatewayStore, "cache" | "list" | "listMasks" | "show" | "request" | "texts" | "delete"> & {
      readonly foldByHand: ReturnType<typeof foldByHand>
    }
  >
}

export const gatewayHandlers = ({ gateway }: HandlerDeps): Handlers<typeof gatewayOperations> => ({
  list: async (input) => (await gateway()).list(input),
  show: async (input) => (await gateway()).show(input),
  cache: async (input) => (await gateway()).cache(input),
  fold: async (input) => (await gateway()).foldByHand(input),
  masks: async (input) => (await gateway()).listMasks(input),
  request: async (input) => (await gateway()).request(input),
  texts: async (input) => (await gateway()).texts(input),
  delete: async (input) => (await gateway()).delete(input),
})
