import { receiptsIn } from "#choose/fold"
import type { Edits } from "./body-splice.ts"

/** A call of a tool named like ours that was answered without an error. */
export type FoldCall = {
  readonly verb: "branch" | "return"
  readonly callId: string
  /** The branch that a return asked to close; undefined when it named none. */
  readonly asked: string | undefined
  /** The place of what holds the answers of the turn: a message, or the last item of its answers. */
  readonly at: number
  /** The answer's text. */
  readonly text: string
}

/** What lies between a branch's answer and its return's: places from `start` + 1 to `end`. */
export type Region = { readonly start: number; readonly end: number }

export type Fold = Region & {
  readonly branchId: string
  readonly openCallId: string
  readonly closeCallId: string
}

type Opening = {
  readonly branchId: string
  readonly callId: string
  readonly start: number
}

/** Folds whose regions no other contains, with those that are answered in the same place. */
export type FoldGroup = Region & { readonly folds: readonly Fold[] }

export function verbOf(name: unknown): FoldCall["verb"] | undefined {
  if (typeof name !== "string") return undefined
  if (name === "branch" || name.endsWith("__branch")) return "branch"
  return name === "return" || name.endsWith("__return") ? "return" : undefined
}

const BRANCH_ID = /br_[0-9a-f]{32}/

/**
 * Whether a return's answer is of a branch that was opened outside of a region, and not of one
 * named in `inside`: those folded, and the answers of `branch` in it. Such a result is awaited by whoever opened it, so it stays.
 */
export function isOfOutside(
  { asked, text }: { readonly asked: unknown; readonly text: string },
  inside: readonly string[],
): boolean {
  const named = typeof asked === "string" && asked !== "" ? asked : undefined
  const branchId = named ?? BRANCH_ID.exec(text)?.[0]
  return branchId !== undefined && !inside.some((it) => it.includes(branchId))
}

/** What was opened, each branch once, by receipts that only our server can make. */
export function openingsIn(calls: readonly FoldCall[], key: string): readonly Opening[] {
  const openings = new Map<string, Opening>()
  for (const { verb, callId, at, text } of calls) {
    if (verb !== "branch") continue
    const [branchId, another] = receiptsIn(text, "open", key)
    // An answer that quotes a second receipt does not say which of them is its own.
    if (branchId === undefined || another !== undefined || openings.has(branchId)) continue
    openings.set(branchId, { branchId, callId, start: at })
  }
  return [...openings.values()]
}

/** Branches that were opened and returned here, in the order of their returns; the first counts. */
export function foldsIn(calls: readonly FoldCall[], key: string): readonly Fold[] {
  const openings = openingsIn(calls, key)
  const folds = openings.flatMap((opening) => foldOf(opening, calls, key) ?? [])
  return folds.toSorted((a, b) => a.end - b.end || b.start - a.start)
}

function foldOf(
  { branchId, callId, start }: Opening,
  calls: readonly FoldCall[],
  key: string,
): Fold | undefined {
  const close = calls.find((call) => {
    const canClose = call.verb === "return" && call.at > start
    if (!canClose || (call.asked !== undefined && call.asked !== branchId)) return false
    const returned = receiptsIn(call.text, "fold", key)
    return call.asked === undefined
      ? returned.length === 1 && returned[0] === branchId
      : returned.includes(branchId)
  })
  if (close === undefined) return undefined
  return { branchId, start, end: close.at, openCallId: callId, closeCallId: close.callId }
}

export type Settled = {
  readonly folds: readonly Fold[]
  readonly refused: readonly { readonly branchId: string; readonly why: string }[]
}

/**
 * Which of them are folded. Each is decided by what stood on the wire at its return and by nothing
 * later, so that a decision never changes: thinking is bound to everything before it. Hence of two
 * that cross, the one that returned first is folded, and the other, whose opening left with it,
 * stays.
 */
export function settle(
  candidates: readonly Fold[],
  doubtOf: (fold: Fold, settled: readonly Fold[]) => string | null,
): Settled {
  const folds: Fold[] = []
  const refused: { branchId: string; why: string }[] = []
  for (const fold of candidates) {
    const isCrossed = folds.some((it) => isInRegion(it, fold.start) && fold.end > it.end)
    const why = isCrossed ? "another branch was folded across its opening" : doubtOf(fold, folds)
    if (why === null) folds.push(fold)
    else refused.push({ branchId: fold.branchId, why })
  }
  return { folds, refused }
}

export function isInRegion({ start, end }: Region, place: number): boolean {
  return place > start && place <= end
}

/** Regions are nested or disjoint once they are settled: what is left are the outermost. */
export function groupsOf(folds: readonly Fold[]): readonly FoldGroup[] {
  const groups: FoldGroup[] = []
  for (const fold of folds.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = groups.at(-1)
    if (last === undefined || fold.start > last.end) groups.push({ ...fold, folds: [fold] })
    else if (fold.start === last.start) {
      groups.splice(-1, 1, { ...last, folds: [...last.folds, fold] })
    }
  }
  return groups.map(({ start, end, folds: own }) => ({ start, end, folds: own }))
}

/** A request's conversation, whichever wire it is of: its elements are messages or items. */
export type Conversation = {
  readonly calls: readonly FoldCall[]
  /** Why a region cannot be taken out, in words; null when it can. */
  doubtOf(region: Region): string | null
  /** How much it holds, without what changes from request to request. */
  bytesOf(region: Region): number
  editsOf(groups: readonly FoldGroup[]): Edits
  /** What a provider would refuse in the second list and not in the first. */
  violationIn(before: readonly unknown[], after: readonly unknown[]): string | undefined
}
