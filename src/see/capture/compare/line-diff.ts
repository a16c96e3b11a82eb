import { diffArrays } from "diff/lib/diff/array.js"
import type { CaptureChange } from "#ground/contract"

export const CONTEXT_LINES = 3

/**
 * The search is quadratic in the number of edits; beyond this two texts count as completely
 * different.
 */
export const MOST_EDITS = 1_000

/** Beyond this only token counts are compared. */
export const MOST_COMPARED_LINES = 5_000

type Line = NonNullable<CaptureChange["lines"]>[number]

export type LineDiff = {
  readonly added: number
  readonly removed: number
  readonly lines: readonly Line[]
}

export function diffLines(before: string, after: string): LineDiff | undefined {
  const [a, b] = [before.split("\n"), after.split("\n")]
  if (a.length > MOST_COMPARED_LINES || b.length > MOST_COMPARED_LINES) return undefined
  const changes = diffArrays(a, b, { maxEditLength: MOST_EDITS })
  if (changes === undefined) return undefined
  let [oldLine, newLine] = [0, 0]
  const lines = changes.flatMap(({ added, removed, value }) =>
    value.map((text): Line => {
      if (added) return { sign: "+", after: ++newLine, text }
      if (removed) return { sign: "-", before: ++oldLine, text }
      return { sign: " ", before: ++oldLine, after: ++newLine, text }
    }),
  )
  return {
    added: lines.filter((it) => it.sign === "+").length,
    removed: lines.filter((it) => it.sign === "-").length,
    lines: aroundChanges(lines),
  }
}

function aroundChanges(lines: readonly Line[]): Line[] {
  const near = new Set<number>()
  for (const [index, { sign }] of lines.entries()) {
    if (sign === " ") continue
    for (let by = -CONTEXT_LINES; by <= CONTEXT_LINES; by++) near.add(index + by)
  }
  return lines.filter((_, index) => near.has(index))
}
