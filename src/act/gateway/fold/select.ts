import { receiptsIn } from "#choose/fold"
import type { Edits } from "./body-splice.ts"

export type FoldCall = {
  readonly verb: "branch" | "return"
  readonly callId: string
  /** Undefined when the return named no branch. */
  readonly asked: string | undefined
  /** Position of the message, or of the last item, with the answers of the turn. */
  readonly at: number
  readonly text: string
}

/** Positions from `start` + 1 to `end`: after the branch's answer up to its return's. */
export type Region = { readonly start: number; readonly end: number }

export type Fold = Region & {
  readonly branchId: string
  readonly openCallId: string
  readonly closeCallId: string
}

type BranchOpening = {
  readonly branchId: string
  readonly callId: string
  readonly start: number
}

/** Outermost folds, with those that are answered at the same position. */
export type FoldGroup = Region & { readonly folds: readonly Fold[] }

export function verbOf(name: unknown): FoldCall["verb"] | undefined {
  if (typeof name !== "string") return undefined
  if (name === "branch" || name.endsWith("__branch")) return "branch"
  return name === "return" || name.endsWith("__return") ? "return" : undefined
}

const BRANCH_ID = /br_[0-9a-f]{32}/

/**
 * Whether a return is of a branch opened outside of the region, i.e. none in `inside`. Its result
 * is still awaited, so it stays.
 */
export function isOfOutside(
  { asked, text }: { readonly asked: unknown; readonly text: string },
  inside: readonly string[],
): boolean {
  const named = typeof asked === "string" && asked !== "" ? asked : undefined
  const branchId = named ?? BRANCH_ID.exec(text)?.[0]
  return branchId !== undefined && !inside.some((it) => it.includes(branchId))
}

/** Each branch once, by receipts that only our server can issue. */
export function openingsIn(calls: readonly FoldCall[], key: string): readonly BranchOpening[] {
  const openings = new Map<string, BranchOpening>()
  for (const { verb, callId, at, text } of calls) {
    if (verb !== "branch") continue
    const [branchId, another] = receiptsIn(text, "open", key)
    // With two receipts it is unclear which is the answer's own.
    if (branchId === undefined || another !== undefined || openings.has(branchId)) continue
    openings.set(branchId, { branchId, callId, start: at })
  }
  return [...openings.values()]
}

/** In order of their returns; the first return of a branch counts. */
export function foldsIn(calls: readonly FoldCall[], key: string): readonly Fold[] {
  const openings = openingsIn(calls, key)
  const folds = openings.flatMap((opening) => foldOf(opening, calls, key) ?? [])
  return folds.toSorted((a, b) => a.end - b.end || b.start - a.start)
}

function foldOf(
  { branchId, callId, start }: BranchOpening,
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

export type FoldSelection = {
  readonly folds: readonly Fold[]
  readonly refused: readonly { readonly branchId: string; readonly why: string }[]
}

/**
 * Decides each fold by the request at its return, never by anything later: thinking is bound to
 * everything before it. Of two that cross, the one that returned first is folded.
 */
export function settle(
  candidates: readonly Fold[],
  doubtOf: (fold: Fold, settled: readonly Fold[]) => string | null,
): FoldSelection {
  const folds: Fold[] = []
  const refused: { branchId: string; why: string }[] = []
  for (const fold of candidates) {
    const isCrossed = folds.some((it) => isInRegion(it, fold.start) && fold.end > it.end)
    const why = isCrossed ? "it overlaps a branch that was folded first" : doubtOf(fold, folds)
    if (why === null) folds.push(fold)
    else refused.push({ branchId: fold.branchId, why })
  }
  return { folds, refused }
}

export function isInRegion({ start, end }: Region, index: number): boolean {
  return index > start && index <= end
}

/** Settled regions are nested or disjoint; keeps the outermost. */
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

/** One conversation of either wire; its elements are messages or items. */
export type Conversation = {
  readonly calls: readonly FoldCall[]
  doubtOf(region: Region): string | null
  /** Without bytes that change from request to request. */
  bytesOf(region: Region): number
  editsOf(groups: readonly FoldGroup[]): Edits
  /** A fault that a provider would refuse in `after` and not in `before`. */
  violationIn(before: readonly unknown[], after: readonly unknown[]): string | undefined
}
