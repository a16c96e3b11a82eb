import { formatExact } from "#ground/base"
import type { Caller, FoldBranch, FoldMode, MemoryInjected, OperationInput } from "#ground/contract"
import type { Tx } from "#ground/store"
import { drainSpool, markSpool } from "../budget/host-charges.ts"
import {
  type Call,
  counterOrRough,
  type FoldDeps,
  isBranchId,
  newId,
  openCall,
  type Scrub,
} from "../deps.ts"
import {
  AlreadyCompleted,
  DepthExceeded,
  FoldClosed,
  FoldDisabled,
  FoldNotFound,
  TooMany,
} from "../errors.ts"
import {
  activate,
  type BranchOwner,
  countBranches,
  countLive,
  deleteBranches,
  deleteCharges,
  deleteExpiredHandles,
  deleteHandlesOf,
  deleteTrails,
  deleteUntrusted,
  insertBranch,
  insertStep,
  type NewBranch,
  selectActive,
  selectBound,
  selectNearestDeadline,
  selectNearestOfSession,
  selectRateFiller,
  selectSurplus,
} from "../queries.ts"
import { openReceipt } from "../receipt.ts"
import {
  BranchRow,
  CountRow,
  IdRow,
  isLive,
  LiveRow,
  LONGEST_NAME_UNITS,
  MomentRow,
  NEW_STATE,
} from "../rows.ts"
import { askWire } from "../wire.ts"
import { checkBranch } from "./check.ts"
import { endByForce, endOverdue, pathWithin } from "./end.ts"
import { modeOf, nextOf, packageOf } from "./package.ts"

const RATE_WINDOW_MS = 60_000

type Config = ReturnType<FoldDeps["config"]>
type BranchDraft = Omit<NewBranch, "parent" | "depth"> & { readonly parentAsked: string }

type CreateDeps = FoldDeps & {
  isClosed(): boolean
  onOpening(): void
  onOpened(deadlineAt: number): void
  onEnded(): void
  onDeadline(at: number): void
}

/** Stores the row first, so that memories are loaded for an existing branch. */
export async function createBranch(
  deps: CreateDeps,
  input: OperationInput<"fold.branch">,
  caller: Caller,
): Promise<FoldBranch> {
  const config = deps.config()
  if (!config.enabled) throw FoldDisabled({})
  const { budget, timeoutSeconds } = checkBranch(input, config)
  const call = await openCall(deps, caller, input.sessionId)
  await drainSpool(deps, call.who)
  const injection = injectionOf(config, budget)
  const wire = await askWire(deps, call.who.session, undefined)
  const mode = wire.kind === "eligible" ? "wire" : modeOf(caller)
  const draft = draftOf(deps, { input, caller, call, budget, timeoutSeconds, mode })
  const status = injection === 0 ? "active" : "created"
  const depth = await store(deps, { ...draft, status }, config)
  deps.onOpened(draft.deadlineAt)
  const memories = injection === 0 ? [] : await inject(deps, draft, { config, injection })
  await markSpool(deps, call.who)
  await cleanIfDue(deps)
  const { id: branchId, given } = draft
  const handed = { branchId, budget, given, memories }
  return {
    branchId,
    budgetAllocated: budget,
    timeoutSeconds,
    depth,
    memories: [...memories],
    mode: given.mode,
    next: nextOf(handed),
    package: given.mode === "sub-agent" ? packageOf(handed) : null,
    receipt: wire.kind === "eligible" ? openReceipt(wire.key, branchId) : null,
  }
}

function injectionOf(config: Config, budget: number): number {
  return config.memory_max_items === 0 ? 0 : Math.floor(budget * config.injection_budget_ratio)
}

type DraftInput = {
  readonly input: OperationInput<"fold.branch">
  readonly caller: Caller
  readonly call: Call
  readonly budget: number
  readonly timeoutSeconds: number
  readonly mode: FoldMode
}

/** Everything that is stored passes the scrubber here. */
function draftOf(deps: FoldDeps, draft: DraftInput): BranchDraft {
  const { input, caller, budget, timeoutSeconds, mode } = draft
  const { who, scrub } = draft.call
  const createdAt = deps.clock.now()
  const fields = {
    description: scrub.text(input.description),
    prompt: scrub.text(input.prompt),
    scope: scrub.texts(input.scope ?? []).map((it) => pathWithin(who.root, it)),
    client: nameOf(caller, scrub),
    mode,
    timeoutSeconds,
  }
  return {
    ...who,
    id: newId("br", deps.random),
    parentAsked: input.parentBranchId ?? "",
    status: "created",
    budgetTotal: budget,
    deadlineAt: createdAt + timeoutSeconds * 1_000,
    createdAt,
    owner: deps.owner,
    given: fields,
    state: { ...NEW_STATE, redactions: scrub.redactions() },
  }
}

/** Truncated after scrubbing: half a secret is not recognized. */
function nameOf({ client }: Caller, scrub: Scrub): string | null {
  return client === undefined ? null : scrub.text(client).slice(0, LONGEST_NAME_UNITS)
}

/** Checks and inserts in one transaction, so that two calls cannot both be the last allowed. */
async function store(deps: CreateDeps, draft: BranchDraft, config: Config): Promise<number> {
  const count = await counterOrRough(deps)
  const db = await deps.db()
  deps.onOpening()
  return db.transaction(async (tx) => {
    if (deps.isClosed()) throw FoldClosed({})
    await endOverdue(tx, { root: draft.root, at: draft.createdAt, count })
    const parent = await findParent(tx, draft)
    const depth = parent === undefined ? 0 : parent.depth + 1
    if (depth >= config.max_depth) throw DepthExceeded({ most: config.max_depth })
    await refuseTooMany(tx, draft, config)
    await tx.run(insertBranch({ ...draft, parent: parent?.id ?? null, depth }))
    const { description, prompt } = draft.given
    const text = `${description}\n\n${prompt}`
    const step = {
      at: draft.createdAt,
      kind: "prompt",
      tool: null,
      tokens: 0,
      handle: null,
    } as const
    await tx.run(insertStep(draft.id, 1, { ...step, text }))
    const { id, session, budgetTotal: budget } = draft
    tx.emit("fold.branch-created", { id, session, description, depth, budget })
    return depth
  })
}

async function findParent(tx: Tx<"fold">, draft: BranchDraft): Promise<BranchRow | undefined> {
  if (draft.parentAsked === "root") return undefined
  if (draft.parentAsked === "") return tx.get(BranchRow, selectActive(draft, 1))
  const isId = isBranchId(draft.parentAsked)
  const parent = isId ? await tx.get(BranchRow, selectBound(draft.parentAsked, draft)) : undefined
  if (parent === undefined) throw FoldNotFound({})
  if (isLive(parent)) return parent
  throw AlreadyCompleted({ id: parent.id, status: parent.status, reason: parent.endReason ?? "" })
}

async function refuseTooMany(tx: Tx<"fold">, draft: BranchDraft, config: Config): Promise<void> {
  const now = draft.createdAt
  const wait = (until: number | null | undefined): number =>
    Math.max(1, Math.ceil(((until ?? now) - now) / 1_000))
  await refuseRate(tx, { who: draft, now, limit: config.branch_creation_rate_limit, wait })

  const live = await tx.get(LiveRow, countLive(draft))
  const { in_session: inSession = 0, in_all: inAll = 0 } = live ?? {}
  const sessionLimit = config.max_concurrent_branches_per_session
  if (inSession >= sessionLimit) {
    const next = await tx.get(MomentRow, selectNearestOfSession(draft))
    const what = `This session has ${formatExact(inSession)} open branches`
    throw TooMany({ what, limit: sessionLimit, retryAfterSeconds: wait(next?.at) })
  }

  const limit = config.max_concurrent_branches_per_instance
  if (inAll >= limit) {
    const next = await tx.get(MomentRow, selectNearestDeadline(draft.root))
    const what = `There are ${formatExact(inAll)} open branches`
    throw TooMany({ what, limit, retryAfterSeconds: wait(next?.at) })
  }
}

type Rate = {
  readonly who: BranchOwner
  readonly now: number
  readonly limit: number
  wait(until: number | null | undefined): number
}

async function refuseRate(tx: Tx<"fold">, { who, now, limit, wait }: Rate): Promise<void> {
  const query = { now, windowMs: RATE_WINDOW_MS, limit }
  const filler = await tx.get(MomentRow, selectRateFiller(who, query))
  if (filler === undefined) return
  const what = `This session has opened ${formatExact(limit)} branches within a minute`
  const retryAfterSeconds = wait((filler.at ?? now) + RATE_WINDOW_MS)
  throw TooMany({ what, limit, retryAfterSeconds })
}

type Injection = { readonly config: Config; readonly injection: number }

/** Without memories when they fail; a branch that cannot become active is withdrawn. */
async function inject(
  deps: FoldDeps,
  draft: BranchDraft,
  { config, injection }: Injection,
): Promise<readonly MemoryInjected[]> {
  const memories = await recall(deps, draft, { config, injection })
  const injectedMemoryIds = memories.map((it) => it.id)
  const state = { ...draft.state, injectedMemoryIds }
  const db = await deps.db()
  try {
    const { changes } = await db.transaction((tx) => tx.run(activate(draft.id, state)))
    if (changes > 0) return memories
  } catch (error) {
    await withdraw(deps, draft)
    throw error
  }
  throw AlreadyCompleted({
    id: draft.id,
    status: "cancelled",
    reason: "ended while it was being opened",
  })
}

async function recall(
  deps: FoldDeps,
  { given }: BranchDraft,
  { config, injection }: Injection,
): Promise<readonly MemoryInjected[]> {
  try {
    const memories = await deps.memories({
      text: given.description,
      budgetTokens: injection,
      minConfidence: config.memory_min_confidence,
      most: config.memory_max_items,
    })
    return fitting(memories, config.memory_max_items, injection)
  } catch (error) {
    deps.log.warn("a branch was opened without memories", { error })
    return []
  }
}

function fitting(
  memories: readonly MemoryInjected[],
  most: number,
  budgetTokens: number,
): readonly MemoryInjected[] {
  const chosen: MemoryInjected[] = []
  let tokens = 0
  for (const memory of memories) {
    const fits = chosen.length < most && tokens + memory.tokens <= budgetTokens
    if (!fits) continue
    chosen.push(memory)
    tokens += memory.tokens
  }
  return chosen
}

async function withdraw(deps: FoldDeps, draft: BranchDraft): Promise<void> {
  const count = await counterOrRough(deps)
  const at = deps.clock.now()
  try {
    const db = await deps.db()
    await db.transaction(async (tx) => {
      const row = await tx.get(BranchRow, selectBound(draft.id, draft))
      if (row !== undefined) await endByForce(tx, { row, reason: "shutdown", at, count })
    })
  } catch (error) {
    deps.log.warn("could not cancel a branch that was not opened; it ends at its deadline", {
      error,
    })
  }
}

/** Longer than a handle can be read: it is part of the trail. */
export const TRAIL_TEXT_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

/** As long as a session can be resumed. */
const UNTRUSTED_LIFE_MS = 90 * 24 * 60 * 60 * 1_000

const MOST_BRANCHES_KEPT = 20_000

/** One in so many creations cleans, up to so many branches. */
const CREATIONS_PER_CLEANING = 100

const MOST_CLEANED_BRANCHES = 1_000

type CleanupDeps = Pick<FoldDeps, "db" | "root" | "clock" | "random" | "log">

/**
 * At random: many short processes open one branch each, and a counter in them would never reach the
 * limit.
 */
async function cleanIfDue(deps: CleanupDeps): Promise<void> {
  const [byte = 0, second = 0] = deps.random.bytes(2)
  const isDue = (byte * 256 + second) % CREATIONS_PER_CLEANING === 0
  if (!isDue) return
  try {
    await clean(deps, MOST_BRANCHES_KEPT)
  } catch (error) {
    deps.log.warn("could not delete old branches", { error })
  }
}

export async function clean(deps: CleanupDeps, most: number): Promise<void> {
  const [db, root, now] = [await deps.db(), deps.root(), deps.clock.now()]
  const total = (await db.get(CountRow, countBranches(root)))?.count ?? 0
  await db.transaction(async (tx) => {
    await tx.run(deleteExpiredHandles({ root, now, trailTextsSince: now - TRAIL_TEXT_LIFE_MS }))
    await tx.run(deleteUntrusted(root, now - UNTRUSTED_LIFE_MS))
    if (total <= most) return
    const query = { root, kept: most, limit: MOST_CLEANED_BRANCHES }
    const ids = (await tx.all(IdRow, selectSurplus(query))).map((it) => it.id)
    if (ids.length === 0) return
    await tx.run(deleteHandlesOf(ids))
    await tx.run(deleteTrails(ids))
    await tx.run(deleteCharges(ids))
    await tx.run(deleteBranches(ids))
  })
}
