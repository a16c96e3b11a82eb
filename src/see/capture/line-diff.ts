import type { CaptureChange } from "#ground/contract"
import { CONTEXT_LINES, MOST_COMPARED_LINES, MOST_EDITS } from "./limits.ts"

type Line = NonNullable<CaptureChange["lines"]>[number]

export type LineDiff = {
  readonly added: number
  readonly removed: number
  /** The changes with some lines around them. */
  readonly lines: readonly Line[]
}

/** How one text became another, line by line; undefined when they are too long or too different. */
export function diffLines(before: string, after: string): LineDiff | undefined {
  const [a, b] = [before.split("\n"), after.split("\n")]
  if (a.length > MOST_COMPARED_LINES || b.length > MOST_COMPARED_LINES) return undefined
  const edits = shortestEdit(a, b)
  if (edits === undefined) return undefined
  return {
    added: edits.filter((it) => it.sign === "+").length,
    removed: edits.filter((it) => it.sign === "-").length,
    lines: aroundChanges(edits),
  }
}

/**
 * The shortest way from one list to the other (Myers 1986). `reach[k]` is how far into `a` a path
 * gets on diagonal k; each round allows one edit more, and its table is kept for the way back.
 */
function shortestEdit(a: readonly string[], b: readonly string[]): Line[] | undefined {
  const rounds: Map<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= Math.min(a.length + b.length, MOST_EDITS); edits++) {
    rounds.push(new Map(reach))
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(reach, k, edits) ? at(reach, k + 1) : at(reach, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach = reach.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(rounds, a, b)
    }
  }
  return undefined
}

function isDown(reach: ReadonlyMap<number, number>, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && at(reach, k - 1) < at(reach, k + 1))
}

function at(reach: ReadonlyMap<number, number>, k: number): number {
  return reach.get(k) ?? -1
}

function walkBack(
  rounds: readonly ReadonlyMap<number, number>[],
  a: readonly string[],
  b: readonly string[],
): Line[] {
  const lines: Line[] = []
  let [x, y] = [a.length, b.length]
  for (const [edits, reach] of [...rounds.entries()].toReversed()) {
    const k = x - y
    const previousK = isDown(reach, k, edits) ? k + 1 : k - 1
    const previousX = edits === 0 ? 0 : at(reach, previousK)
    const previousY = edits === 0 ? 0 : previousX - previousK
    for (; x > previousX && y > previousY; x--, y--) {
      lines.push({ sign: " ", before: x, after: y, text: a[x - 1] ?? "" })
    }
    if (x > previousX) lines.push({ sign: "-", before: x, text: a[x - 1] ?? "" })
    else if (y > previousY) lines.push({ sign: "+", after: y, text: b[y - 1] ?? "" })
    ;[x, y] = [previousX, previousY]
  }
  return lines.toReversed()
}

function aroundChanges(lines: readonly Line[]): Line[] {
  const near = new Set<number>()
  for (const [index, { sign }] of lines.entries()) {
    if (sign === " ") continue
    for (let by = -CONTEXT_LINES; by <= CONTEXT_LINES; by++) near.add(index + by)
  }
  return lines.filter((_, index) => near.has(index))
}
