/**
 * Upper bounds for the tokens of the label before an excerpt and of the line that closes a file.
 */
export const PIECE_TOKENS = 8
const CLOSING_TOKENS = 9

export type FitSegment = {
  readonly tokens: number
  readonly score: number
  /** Probability that the task needs it. */
  readonly chance: number
  readonly isNamed: boolean
  readonly isSent: boolean
  readonly isBare: boolean
  readonly head: number | undefined
}

export type FitSignature = {
  readonly symbol: number
  readonly tokens: number
  readonly score: number
}

export type FitFile = {
  readonly path: string
  readonly score: number
  readonly probability: number
  readonly naming: "target" | "task" | undefined
  readonly isDefiner: boolean
  readonly fileClass: "source" | "test" | "docs"
  readonly form: "full" | "symbols" | "signatures" | "path" | undefined
  readonly headingTokens: number
  readonly segments: readonly FitSegment[]
  readonly signatures: readonly FitSignature[]
}

export type FileChoice = {
  readonly file: FitFile
  readonly place: number
  readonly taken: Set<number>
  signatures: readonly FitSignature[]
  isIn: boolean
  tokens: number
  isClosed: boolean
}

export type BudgetBoard = { readonly choices: readonly FileChoice[]; room: number }

export function createBoard(files: readonly FitFile[], room: number): BudgetBoard {
  const choices = files.map((file, rank) => ({
    file,
    place: rank,
    taken: new Set<number>(),
    signatures: [],
    isIn: false,
    tokens: 0,
    isClosed: false,
  }))
  return { choices, room }
}

export function frameTokens(file: FitFile): number {
  return file.headingTokens + CLOSING_TOKENS
}

export function takeSegments(
  board: BudgetBoard,
  choice: FileChoice,
  indexes: readonly number[],
): boolean {
  const { file, taken } = choice
  const fresh = [...new Set(indexes)].filter((it) => !taken.has(it))
  if (fresh.length === 0) return false
  const before = taken.size > 0 ? choice.tokens : frameTokens(file)
  let added = 0
  for (const index of fresh) {
    added += (file.segments[index]?.tokens ?? 0) + labelTokens(taken, index)
    taken.add(index)
  }
  if (tryReserve(board, choice, before + added)) {
    choice.signatures = []
    return true
  }
  for (const index of fresh) taken.delete(index)
  return false
}

/** Adjacent segments share one label, so a segment that joins two excerpts saves a label. */
function labelTokens(segments: ReadonlySet<number>, index: number): number {
  const neighbours = Number(segments.has(index - 1)) + Number(segments.has(index + 1))
  return PIECE_TOKENS * (1 - neighbours)
}

function tryReserve(board: BudgetBoard, choice: FileChoice, tokens: number): boolean {
  if (tokens - choice.tokens > board.room) return false
  board.room -= tokens - choice.tokens
  choice.tokens = tokens
  choice.isIn = true
  return true
}

export function takeSignatures(
  board: BudgetBoard,
  choice: FileChoice,
  signatures: readonly FitSignature[],
): boolean {
  const tokens = frameTokens(choice.file) + sum(signatures.map((it) => it.tokens))
  if (!tryReserve(board, choice, tokens)) return false
  choice.signatures = signatures
  return true
}

export function newSegments({ segments }: FitFile): readonly number[] {
  const hasSent = segments.some((it) => it.isSent)
  const isNew = (it: FitSegment) => !it.isSent && !(hasSent && it.isBare)
  return segments.flatMap((it, index) => (isNew(it) ? [index] : []))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, it) => total + it, 0)
}

const GAP_TOKENS = 12

export function fillGaps(board: BudgetBoard): void {
  for (const choice of board.choices) {
    for (const gap of gapsIn(choice)) {
      const tokens = sum(gap.map((it) => choice.file.segments[it]?.tokens ?? 0))
      const isSent = gap.some((it) => choice.file.segments[it]?.isSent)
      if (tokens <= GAP_TOKENS && !isSent) takeSegments(board, choice, gap)
    }
  }
}

function gapsIn({ taken }: FileChoice): readonly (readonly number[])[] {
  const chosen = [...taken].toSorted((a, b) => a - b)
  return chosen.flatMap((index, at) => {
    const before = chosen[at - 1] ?? index
    const length = Math.max(0, index - before - 1)
    return length === 0 ? [] : [Array.from({ length }, (_, step) => before + 1 + step)]
  })
}

export function isBareText(text: string): boolean {
  return /^(?:[\s{}()[\]<>;,]|\bend\b)*$/.test(text)
}
