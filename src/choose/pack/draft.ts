import { CLOSING_TOKENS, PIECE_TOKENS } from "./fit-weights.ts"

/** A part of a file that can be chosen. */
export type FitSegment = {
  readonly tokens: number
  /** By the words of the task; 0 for none. */
  readonly score: number
  /** Whether it defines a name of the task. */
  readonly isNamed: boolean
  /** An earlier package of the session had it. */
  readonly isSent: boolean
  /** Blank lines and lone brackets: never sent alone. */
  readonly isBare: boolean
  /** The segment that is the head of its class. */
  readonly head: number | undefined
}

export type FitSignature = {
  /** Index of the symbol in its content. */
  readonly symbol: number
  readonly tokens: number
  readonly score: number
}

/** A file as fitting sees it. Files come best first. */
export type FitFile = {
  readonly path: string
  readonly score: number
  readonly naming: "target" | "task" | undefined
  readonly isDefiner: boolean
  readonly fileClass: "source" | "test" | "docs"
  /** The form a person chose. */
  readonly form: "full" | "symbols" | "signatures" | "path" | undefined
  /** Of its heading, whatever is sent of it. */
  readonly headingTokens: number
  readonly segments: readonly FitSegment[]
  readonly signatures: readonly FitSignature[]
}

/** What is chosen of a file so far. */
export type Draft = {
  readonly file: FitFile
  readonly place: number
  readonly taken: Set<number>
  signatures: readonly FitSignature[]
  isIn: boolean
  /** What it costs so far, with its frame. */
  tokens: number
  /** A person has decided: nothing is added. */
  isClosed: boolean
}

/** The tokens that are left, and what is chosen with the others. */
export type Board = { readonly drafts: readonly Draft[]; room: number }

export function createBoard(files: readonly FitFile[], room: number): Board {
  const drafts = files.map((file, place) => ({
    file,
    place,
    taken: new Set<number>(),
    signatures: [],
    isIn: false,
    tokens: 0,
    isClosed: false,
  }))
  return { drafts, room }
}

/** What a file costs before anything is sent of it. */
export function frameTokens(file: FitFile): number {
  return file.headingTokens + CLOSING_TOKENS
}

/** Takes segments if they fit; those that are taken already cost nothing. */
export function takeSegments(board: Board, draft: Draft, indexes: readonly number[]): boolean {
  const { file, taken } = draft
  const fresh = [...new Set(indexes)].filter((it) => !taken.has(it))
  if (fresh.length === 0) return false
  const before = taken.size > 0 ? draft.tokens : frameTokens(file)
  let added = 0
  for (const index of fresh) {
    added += (file.segments[index]?.tokens ?? 0) + labelTokens(taken, index)
    taken.add(index)
  }
  if (tryReserve(board, draft, before + added)) {
    draft.signatures = []
    return true
  }
  for (const index of fresh) taken.delete(index)
  return false
}

/** Neighbours are one piece, with one label: one that joins two pieces saves a label. */
function labelTokens(taken: ReadonlySet<number>, index: number): number {
  const neighbours = Number(taken.has(index - 1)) + Number(taken.has(index + 1))
  return PIECE_TOKENS * (1 - neighbours)
}

/** Books what a file costs from now on, if there is room for it. */
function tryReserve(board: Board, draft: Draft, tokens: number): boolean {
  if (tokens - draft.tokens > board.room) return false
  board.room -= tokens - draft.tokens
  draft.tokens = tokens
  draft.isIn = true
  return true
}

/** Takes signatures of a file of which nothing else is sent. None of them is the path alone. */
export function takeSignatures(
  board: Board,
  draft: Draft,
  signatures: readonly FitSignature[],
): boolean {
  const tokens = frameTokens(draft.file) + sum(signatures.map((it) => it.tokens))
  if (!tryReserve(board, draft, tokens)) return false
  draft.signatures = signatures
  return true
}

/** All that is not known to the reader from an earlier package. */
export function newSegments({ segments }: FitFile): readonly number[] {
  const hasSent = segments.some((it) => it.isSent)
  const isNew = (it: FitSegment) => !it.isSent && !(hasSent && it.isBare)
  return segments.flatMap((it, index) => (isNew(it) ? [index] : []))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, it) => total + it, 0)
}
