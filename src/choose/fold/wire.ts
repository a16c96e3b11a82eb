import { sliceText, withoutHiddenCharacters } from "#ground/base"
import type { FoldMode } from "#ground/contract"
import type { Tx } from "#ground/store"
import { modeOf } from "./branch/package.ts"
import { type FoldDeps, isBranchId } from "./deps.ts"
import { type BranchOwner, selectBranch, selectCrossing, setState } from "./queries.ts"
import { foldReceipt } from "./receipt.ts"
import { type BranchEnding, BranchRow, LONGEST_NAME_UNITS, PlaceRow } from "./rows.ts"

export type WireEligibility =
  | { readonly kind: "eligible"; readonly key: string }
  | { readonly kind: "no"; readonly why: string }

/** Any doubt is a no. */
export async function askWire(
  deps: Pick<FoldDeps, "wire" | "receiptKey" | "log">,
  session: string,
  branchId: string | undefined,
): Promise<WireEligibility> {
  try {
    const eligibility = await deps.wire?.(session, branchId)
    if (eligibility?.kind === "no") return { kind: "no", why: shortened(eligibility.why) }
    const key = eligibility === undefined ? undefined : await deps.receiptKey?.()
    if (key === undefined) return { kind: "no", why: "no gateway proxies this session" }
    return { kind: "eligible", key }
  } catch (error) {
    deps.log.warn("could not query the gateway", { error })
    return { kind: "no", why: "the gateway did not respond" }
  }
}

function shortened(why: string): string {
  return sliceText(withoutHiddenCharacters(why).toWellFormed(), LONGEST_NAME_UNITS)
}

type ReturnContext = { readonly who: BranchOwner; readonly wire: WireEligibility }

/** Null for a branch that was not opened for the wire. */
export async function endingOf(
  tx: Tx<"fold">,
  row: BranchRow,
  { who, wire }: ReturnContext,
): Promise<BranchEnding | null> {
  if (row.given.mode !== "wire") return null
  if (wire.kind === "no") return notFolded(row, wire.why)
  if (await isCrossed(tx, row, who)) return notFolded(row, "another branch overlaps it")
  return {
    mode: "wire",
    receipt: foldReceipt(wire.key, row.id),
    note:
      "Its turns were removed from this conversation, including files read inside: " +
      "read them again if you need them. " +
      `Its trail is stored: read_handle with handle ${row.id} returns slices of it or searches it.`,
  }
}

export function endingByForce(row: BranchRow): BranchEnding | null {
  return row.given.mode === "wire" ? notFolded(row, "it was ended before it returned") : null
}

function notFolded(row: BranchRow, why: string): BranchEnding {
  const note = `Not folded: ${why}. The work inside stays in this conversation.`
  return { mode: withoutWire(row), receipt: null, note }
}

export function noteOf(mode: FoldMode): string {
  switch (mode) {
    case "sub-agent":
      return "Not folded here: your sub-agent's work was dropped with its window, your own work stays in this one."
    case "handle":
    case "wire":
      return "Not folded: no gateway proxies this session. The work inside stays in this conversation."
    case "none":
      return ""
    default:
      return mode satisfies never
  }
}

/** The provider refused the fold: its work is in the window again. */
export async function unfold(deps: FoldDeps, branchId: string): Promise<void> {
  if (!isBranchId(branchId)) return
  const db = await deps.db()
  await db.transaction(async (tx) => {
    const row = await tx.get(BranchRow, selectBranch(deps.root(), branchId))
    if (row?.state.ending?.mode !== "wire") return
    await tx.run(setState(row.id, { ...row.state, unfolded: withoutWire(row) }))
  })
}

/** The work was in its parent's window: only results under handles stayed out. */
function withoutWire({ principal, session, given }: BranchRow): FoldMode {
  const caller = { principal, session, ...(given.client !== null && { client: given.client }) }
  return modeOf(caller) === "none" ? "none" : "handle"
}

/**
 * Folding a branch that crosses another would remove that one's opening or result. After the clock
 * was set back only the gateway notices, by the positions in the conversation.
 */
async function isCrossed(tx: Tx<"fold">, row: BranchRow, who: BranchOwner): Promise<boolean> {
  const crossing = await tx.all(PlaceRow, selectCrossing(who, row))
  const parents = new Map(crossing.map((it) => [it.id, it.parent]))
  // Of the same moment: ancestors enclose it, descendants are enclosed.
  const above = [...upFrom(row.parent, parents)]
  return crossing.some(
    (it) => !above.includes(it.id) && ![...upFrom(it.parent, parents)].includes(row.id),
  )
}

function* upFrom(
  id: string | null,
  parents: ReadonlyMap<string, string | null>,
): Generator<string> {
  let at = id
  while (at !== null) {
    yield at
    at = parents.get(at) ?? null
  }
}
