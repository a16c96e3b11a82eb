import { type Board, type Draft, sum, takeSegments } from "./draft.ts"

/** A label costs about as much: a small gap is cheaper sent than explained, and lines stay whole. */
const GAP_TOKENS = 12

/** Fills small gaps between two chosen parts of a file, where there is room. */
export function fillGaps(board: Board): void {
  for (const draft of board.drafts) {
    for (const gap of gapsIn(draft)) {
      const tokens = sum(gap.map((it) => draft.file.segments[it]?.tokens ?? 0))
      const isSent = gap.some((it) => draft.file.segments[it]?.isSent)
      if (tokens <= GAP_TOKENS && !isSent) takeSegments(board, draft, gap)
    }
  }
}

/** Segments in a row that are not chosen, with a chosen one on both sides. */
function gapsIn({ taken }: Draft): readonly (readonly number[])[] {
  const chosen = [...taken].toSorted((a, b) => a - b)
  return chosen.flatMap((index, at) => {
    const before = chosen[at - 1] ?? index
    const length = Math.max(0, index - before - 1)
    return length === 0 ? [] : [Array.from({ length }, (_, step) => before + 1 + step)]
  })
}

/** Blank lines and lone brackets say nothing without what is around them. */
export function isBareText(text: string): boolean {
  return /^(?:[\s{}()[\]<>;,]|\bend\b)*$/.test(text)
}
