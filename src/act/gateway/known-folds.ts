import type { WireFold } from "#ground/contract"

type Left = Pick<WireFold, "branchId" | "bytes">

/**
 * What left the window with a branch is the same in every request after its return, and may be a
 * megabyte: it is read once, and then known by its branch and its size.
 */
export function createKnownFolds() {
  const known = new Map<string, WireFold>()
  const weightOf = ({ branchId, bytes }: Left): WireFold | undefined => {
    const fold = known.get(branchId)
    return fold?.bytes === bytes ? fold : undefined
  }
  return {
    weightOf,
    add: (fold: WireFold) => void known.set(fold.branchId, fold),
  }
}
