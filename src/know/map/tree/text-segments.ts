import type { SymbolKind } from "#ground/contract"
import type { SymbolFact } from "../facts.ts"
import { LONGEST_SEGMENT_LINES } from "../limits.ts"
import type { Segment } from "./types.ts"

const SHORTEST_SYMBOL_SEGMENT_LINES = 3

export function signatureLine(symbol: Pick<SymbolFact, "fromLine" | "toLine" | "signature">) {
  return `${symbol.fromLine}-${symbol.toLine}: ${symbol.signature}`
}

export type Cuts = {
  readonly lines: number
  readonly ends: readonly number[]
  readonly owners: readonly number[]
}

/**
 * A function is one segment, a class is its head and its members; long segments are split at a
 * blank line. Segments are contiguous, so tokens add up.
 */
export function splitText(text: string, symbols: readonly SymbolFact[]): Cuts {
  const starts = lineStarts(text)
  const lines = starts.length - 1
  const lineAt = (line: number) => text.slice(starts[line - 1], starts[line])
  const owners = ownersOf(symbols, lines)
  takeComments(owners, (line) => COMMENT.test(lineAt(line)))
  const ends = endsOf(owners, (line) => lineAt(line).trim() === "")
  return { lines, ends, owners: ends.map((end) => owners[end - 1] ?? -1) }
}

/** A signature is counted as `signatureLine` writes it. */
export type Countable = {
  readonly ends: readonly number[]
  readonly ranges: readonly number[]
  readonly signatures: readonly string[]
}

export type Counts = {
  readonly segments: readonly number[]
  readonly symbols: readonly number[]
  readonly signatures: readonly number[]
}

export function countTokens(
  text: string,
  { ends, ranges, signatures }: Countable,
  count: (text: string) => number,
): Counts {
  const starts = lineStarts(text)
  const between = (from: number, to: number) => count(text.slice(starts[from - 1], starts[to]))
  const segments = ends.map((end, at) => between((ends[at - 1] ?? 0) + 1, end))
  const sumOf = sumsOf({ ends, ranges, tokens: segments }, between)
  const symbols = signatures.map((_, at) => sumOf(ranges[at * 2] ?? 1, ranges[at * 2 + 1] ?? 1))
  return { segments, symbols, signatures: signatures.map((it) => count(`${it}\n`)) }
}

export function segmentsOf(
  text: string,
  symbols: readonly SymbolFact[],
  count: (text: string) => number,
): readonly Segment[] {
  const { ends, owners } = splitText(text, symbols)
  const { segments } = countTokens(text, { ends, ranges: [], signatures: [] }, count)
  return joinSegments(ends, owners, segments)
}

export function joinSegments(
  ends: readonly number[],
  owners: readonly number[],
  tokens: readonly number[],
): readonly Segment[] {
  return ends.map((toLine, at): Segment => {
    const owner = owners[at] ?? -1
    return {
      fromLine: (ends[at - 1] ?? 0) + 1,
      toLine,
      tokens: tokens[at] ?? 0,
      symbol: owner < 0 ? undefined : owner,
    }
  })
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  if (starts.at(-1) !== text.length) starts.push(text.length)
  return starts
}

function ownersOf(symbols: readonly SymbolFact[], lines: number): Int32Array {
  const owners = new Int32Array(lines).fill(-1)
  // Outer symbols first, so that inner ones overwrite them.
  const outerFirst = [...symbols.keys()].toSorted((a, b) => {
    const [one, two] = [symbols[a], symbols[b]]
    if (one === undefined || two === undefined) return 0
    return one.fromLine - two.fromLine || two.toLine - one.toLine || a - b
  })
  for (const at of outerFirst) {
    const symbol = symbols[at]
    if (symbol === undefined || !hasOwnPiece(symbol)) continue
    const around = symbols[owners[symbol.fromLine - 1] ?? -1]
    // A function contains its inner symbols, unless it is too long for one segment.
    const isInFunction = around !== undefined && FUNCTIONS.has(around.kind)
    if (isInFunction && around.toLine - around.fromLine < LONGEST_SEGMENT_LINES) continue
    owners.fill(at, symbol.fromLine - 1, symbol.toLine)
  }
  return owners
}

function takeComments(owners: Int32Array, isComment: (line: number) => boolean): void {
  for (let line = owners.length - 1; line >= 1; line--) {
    const [here, below] = [owners[line - 1] ?? -1, owners[line] ?? -1]
    if (here === below || below < 0) continue
    for (let above = line; above >= 1 && owners[above - 1] === here; above--) {
      if (!isComment(above)) break
      owners[above - 1] = below
    }
  }
}

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|if|endif|else|pragma)\b)|--|@)/

const FUNCTIONS: ReadonlySet<SymbolKind> = new Set(["function", "method"])
const VALUES: ReadonlySet<SymbolKind> = new Set(["variable", "constant"])

function hasOwnPiece({ kind, parent, fromLine, toLine }: SymbolFact): boolean {
  if (toLine - fromLine + 1 >= SHORTEST_SYMBOL_SEGMENT_LINES) return true
  return parent === undefined && !VALUES.has(kind)
}

function endsOf(owners: Int32Array, isQuiet: (line: number) => boolean): readonly number[] {
  const ends: number[] = []
  for (let from = 1; from <= owners.length; ) {
    let to = from
    while (to < owners.length && owners[to] === owners[from - 1]) to++
    ends.push(...innerEnds(from, to, isQuiet), to)
    from = to + 1
  }
  return ends
}

function innerEnds(
  first: number,
  last: number,
  isQuiet: (line: number) => boolean,
): readonly number[] {
  const ends: number[] = []
  let from = first
  while (last - from >= LONGEST_SEGMENT_LINES) {
    const farthest = from + LONGEST_SEGMENT_LINES - 1
    let end = farthest
    while (end > from && !isQuiet(end)) end--
    if (end === from) end = farthest
    ends.push(end)
    from = end + 1
  }
  return ends
}

type CountBetween = (from: number, to: number) => number

type CountedText = Pick<Countable, "ends" | "ranges"> & { readonly tokens: readonly number[] }

/**
 * Sums whole segments and parts of the first and last one. A segment in which symbols begin or end
 * is counted part by part once; counting per symbol would cost nesting depth times the text.
 */
function sumsOf({ ends, ranges, tokens }: CountedText, between: CountBetween): CountBetween {
  const lines = ends.at(-1) ?? 0
  const cutOf = (line: number) => Math.min(line, lines)
  const cuts = [...new Set(ranges.map((line, at) => cutOf(at % 2 === 0 ? line - 1 : line)))]
  const cutsByPiece = groupByPiece(cuts, ends)
  const places = new Map<number, CutPlace>([[0, { piece: -1, before: 0, wholeBefore: 0 }]])
  let sum = 0
  for (const [piece, end] of ends.entries()) {
    const inner = cutsByPiece[piece] ?? []
    const from = (ends[piece - 1] ?? 0) + 1
    const heads = inner.length === 0 ? [] : headsOf([...inner, end], from, between)
    const next = sum + (tokens[piece] ?? 0)
    for (const [at, cut] of inner.entries()) {
      const head = heads[at] ?? 0
      const tail = (heads.at(-1) ?? 0) - head
      places.set(cut, { piece, before: sum + head, wholeBefore: next - tail })
    }
    places.set(end, { piece: -1, before: next, wholeBefore: next })
    sum = next
  }
  return (from, to) => {
    const [start, end] = [places.get(cutOf(from - 1)), places.get(cutOf(to))]
    if (start === undefined || end === undefined) return 0
    const isWithinOne = start.piece >= 0 && start.piece === end.piece
    return end.before - (isWithinOne ? start.before : start.wholeBefore)
  }
}

type CutPlace = {
  readonly piece: number
  readonly before: number
  /** Chosen so that with the parts after it the sum is that of whole segments. */
  readonly wholeBefore: number
}

function groupByPiece(cuts: readonly number[], ends: readonly number[]): readonly number[][] {
  const groups: number[][] = ends.map(() => [])
  let piece = 0
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    while ((ends[piece] ?? cut) < cut) piece++
    const isInside = cut > (ends[piece - 1] ?? 0) && cut < (ends[piece] ?? 0)
    if (isInside) groups[piece]?.push(cut)
  }
  return groups
}

function headsOf(cuts: readonly number[], from: number, between: CountBetween): readonly number[] {
  let sum = 0
  return cuts.map((cut, at) => {
    sum += between((cuts[at - 1] ?? from - 1) + 1, cut)
    return sum
  })
}
