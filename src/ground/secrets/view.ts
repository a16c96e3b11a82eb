/** A decoded text, and where each stretch of it lies in the text it was read from. */
export type View = {
  readonly text: string
  /** The stretch of the source that stands for `[start, end)` of the view. */
  source(start: number, end: number): { readonly start: number; readonly end: number }
}

/** The place of the last number that is not above `limit`, in numbers that rise from 0. */
export function lastAtMost(rising: readonly number[], limit: number): number {
  let low = 0
  let high = rising.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((rising[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
