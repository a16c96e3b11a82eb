import { diffArrays } from "diff/lib/diff/array.js"

export type LineRange = { readonly fromLine: number; readonly toLine: number }

/** A line diff takes time quadratic in its edits. Beyond this number the middle is one hunk. */
const MOST_EDITS = 2_000

export function editedRanges(before: string, after: string): readonly LineRange[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  if (a.length === 0) return []
  return blocksOf(a, b).map(({ from, to }) => rangeOf(from, to, a.length))
}

/** Lines from `from` up to, not including, `to` were replaced; an insertion has equal ends. */
type Block = { readonly from: number; readonly to: number }

function rangeOf(from: number, to: number, lines: number): LineRange {
  if (to > from) return { fromLine: from + 1, toLine: to }
  const line = Math.min(Math.max(1, from), lines)
  return { fromLine: line, toLine: line }
}

function linesOf(text: string): string[] {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return lines
}

function blocksOf(a: string[], b: string[]): readonly Block[] {
  const changes = diffArrays(a, b, { maxEditLength: MOST_EDITS })
  if (changes === undefined) return [differingMiddle(a, b)]
  const blocks: { from: number; to: number }[] = []
  let line = 0
  let isInBlock = false
  for (const { added, removed, count } of changes) {
    const isEqual = !added && !removed
    if (!isEqual && !isInBlock) blocks.push({ from: line, to: line })
    isInBlock = !isEqual
    if (!added) line += count
    const block = blocks.at(-1)
    if (removed && block !== undefined) block.to = line
  }
  return blocks
}

function differingMiddle(a: readonly string[], b: readonly string[]): Block {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return { from: head, to: a.length - tail }
}
