import { hash } from "node:crypto"
import type { Caller, FoldReturn, OperationInput } from "#ground/contract"
import { drainSpool } from "../budget/host-charges.ts"
import { type Call, counterOrRough, type FoldDeps, isBranchId, openCall } from "../deps.ts"
import { AlreadyCompleted, CannotReturnFromRoot, FoldNotFound } from "../errors.ts"
import { type BranchOwner, finish, selectActive, selectBound, selectByKey } from "../queries.ts"
import { BranchRow, type BranchState, figuresOf, isLive, modeNow } from "../rows.ts"
import { addStep } from "../trail/trail.ts"
import { askWire, endingOf, noteOf, type WireEligibility } from "../wire.ts"
import { checkReturn } from "./check.ts"
import { endDescendants, endOverdue, outOfScope, pathWithin } from "./end.ts"
import { distillText } from "./package.ts"

type FinishDeps = FoldDeps & { onEnded(): void; onDeadline(at: number): void }
type Input = OperationInput<"fold.return">

/** Scrubs, ends the children, completes: in this order, so that a failure changes nothing. */
export async function returnFrom(
  deps: FinishDeps,
  input: Input,
  caller: Caller,
): Promise<FoldReturn> {
  checkReturn(input)
  const call = await openCall(deps, caller, input.sessionId)
  await drainSpool(deps, call.who)
  const returnKey = keyOf(input.idempotencyKey)
  const branch = await findReturned(deps, input.branchId, { who: call.who, returnKey })
  if (isSameReturn(branch, returnKey)) return answerOf(branch)
  if (!isLive(branch)) throw over(branch)
  const texts = scrubTexts(input, call)
  const wire = await eligibilityAtReturn(deps, branch, call)
  const count = await counterOrRough(deps)
  const row = await complete(deps, { id: branch.id, who: call.who, returnKey, texts, wire, count })
  deps.onEnded()
  if (row.isNew || isSameReturn(row, returnKey)) return answerOf(row)
  throw over(row)
}

/** Asks only for a branch that was opened to be folded on the wire. */
async function eligibilityAtReturn(
  deps: FoldDeps,
  { id, given }: BranchRow,
  { who, scrub }: Call,
): Promise<WireEligibility> {
  if (given.mode !== "wire") return { kind: "no", why: "" }
  const wire = await askWire(deps, who.session, id)
  return wire.kind === "no" ? { ...wire, why: scrub.text(wire.why) } : wire
}

type ReturnCompletion = ReturnLookup & {
  readonly id: string
  readonly texts: ReturnText
  readonly wire: WireEligibility
  readonly count: (text: string) => number
}

async function complete(
  deps: FoldDeps,
  { id, who, returnKey, texts, wire, count }: ReturnCompletion,
): Promise<BranchRow & { readonly isNew: boolean }> {
  const at = deps.clock.now()
  const resultTokens = count(texts.result)
  const db = await deps.db()
  return db.transaction(async (tx) => {
    await endOverdue(tx, { root: who.root, at, count })
    const row = await tx.get(BranchRow, selectBound(id, who))
    if (row === undefined) throw FoldNotFound({})
    // Another call returned from it, or its time was over.
    if (!isLive(row)) return { ...row, isNew: false }
    const endedChildren = await endDescendants(tx, { row, at, count })
    const ending = await endingOf(tx, row, { who, wire })
    const usedAtReturn = { tokens: row.budgetUsed, isLowerBound: !row.isMeteredByHost }
    const outcome = { resultTokens, endedChildren, ending, usedAtReturn }
    const state = { ...stateAfter(row, texts, who.root), ...outcome }
    const reason = row.state.exhaustedAt === null ? "returned" : "budget"
    const returned = { id, status: "completed", reason, at, isTold: true } as const
    await tx.run(finish({ ...returned, returnKey, state }))
    const step = { at, kind: "result", tool: null, tokens: 0, handle: null } as const
    await addStep(tx, row, { ...step, text: texts.result })
    const ref = { id, session: row.session }
    tx.emit("fold.returned", { ...ref, used: row.budgetUsed, resultTokens })
    tx.emit("fold.ended", { ...ref, status: "completed", reason })
    const after = { status: "completed", endReason: reason } as const
    return { ...row, ...after, completedAt: at, returnKey, state, isNew: true }
  })
}

/** Only the hash is stored: the key may be anything. */
function keyOf(key: string | undefined): string | null {
  return key === undefined || key === "" ? null : hash("sha256", key)
}

function isSameReturn(row: BranchRow, returnKey: string | null): boolean {
  return returnKey !== null && row.returnKey === returnKey
}

type ReturnLookup = { readonly who: BranchOwner; readonly returnKey: string | null }

async function findReturned(
  deps: FoldDeps,
  branchId: string,
  { who, returnKey }: ReturnLookup,
): Promise<BranchRow> {
  if (branchId === "root") throw CannotReturnFromRoot({})
  const db = await deps.db()
  if (branchId !== "") {
    const isId = isBranchId(branchId)
    const row = isId ? await db.get(BranchRow, selectBound(branchId, who)) : undefined
    if (row === undefined) throw FoldNotFound({})
    return row
  }
  // A repeated call without a branch means the one it returned from.
  const before =
    returnKey === null ? undefined : await db.get(BranchRow, selectByKey(returnKey, who))
  const row = before ?? (await db.get(BranchRow, selectActive(who, 1)))
  if (row === undefined) throw CannotReturnFromRoot({})
  return row
}

type ReturnText = ReturnType<typeof scrubTexts>

function scrubTexts(input: Input, { scrub }: Call) {
  return {
    result: scrub.text(input.message),
    evidence: scrub.texts(input.evidence ?? []),
    files: scrub.texts(input.files ?? []),
    openQuestions: scrub.texts(input.openQuestions ?? []),
    redactions: scrub.redactions(),
    isDistilled: input.extractMemory === true,
  }
}

function stateAfter({ given, state }: BranchRow, scrubbed: ReturnText, root: string): BranchState {
  const { isDistilled, redactions, ...texts } = scrubbed
  const files = scrubbed.files.map((it) => pathWithin(root, it))
  return {
    ...state,
    ...texts,
    redactions: state.redactions + redactions,
    outOfScope: outOfScope(given.scope, [...files, ...state.touchedPaths]),
    distillation: isDistilled ? "asked" : null,
  }
}

function over({ id, status, endReason }: BranchRow): Error {
  return AlreadyCompleted({ id, status, reason: endReason ?? "" })
}

/** From the row alone, so that a repeated return gets the same bytes. */
function answerOf(now: BranchRow): FoldReturn {
  const { usedAtReturn } = now.state
  const budgetUsed = usedAtReturn?.tokens ?? now.budgetUsed
  const row = { ...now, budgetUsed, state: { ...now.state, unfolded: null } }
  const { state } = row
  const mode = modeNow(row)
  return {
    branchId: row.id,
    status: row.status,
    message: state.result ?? "",
    evidence: state.evidence,
    files: state.files,
    openQuestions: state.openQuestions,
    outOfScope: state.outOfScope,
    endedChildren: state.endedChildren,
    redactions: state.redactions,
    budgetUsed: row.budgetUsed,
    budgetTotal: row.budgetTotal,
    // The gateway counts it when it folds, after this answer.
    tokensKeptOut: mode === "wire" ? null : figuresOf(row).tokensKeptOut,
    isLowerBound: usedAtReturn?.isLowerBound ?? !row.isMeteredByHost,
    mode,
    distill: state.distillation === null ? null : distillText(row.id),
    receipt: state.ending?.receipt ?? null,
    note: state.ending?.note ?? noteOf(mode),
  }
}
