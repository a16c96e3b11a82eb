import { diffArrays } from "diff/lib/diff/array.js"
import type { CaptureChange } from "#ground/contract"

/** Lines shown around a change. */
export const CONTEXT_LINES = 3

/** Edits after which two texts count as wholly different: the search costs their square. */
export const MOST_EDITS = 1_000

/** Lines on each side of a comparison; beyond it only the counts of tokens are compared. */
export const MOST_COMPARED_LINES = 5_000

type Line = NonNullable<CaptureChange["lines"]>[number]

export type LineDiff = {
  readonly added: number
  readonly removed: number
  readonly lines: readonly Line[]
}

/** Undefined when the texts are too long or too different. */
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
