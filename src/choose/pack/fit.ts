import {
  type Board,
  createBoard,
  type Draft,
  type FitFile,
  type FitSignature,
  frameTokens,
  newSegments,
  sum,
  takeSegments,
  takeSignatures,
} from "./draft.ts"
import { BudgetTooSmall } from "./errors.ts"
import { FIT_WEIGHTS, type FitWeights, PIECE_TOKENS } from "./fit-weights.ts"
import { fillGaps } from "./gaps.ts"
import { type FitOption, optionsByWorth } from "./worth.ts"

export type FitOptions = {
  /** For headings and contents of files together. */
  readonly budgetTokens: number
  readonly truncate: "signatures" | "relevance"
  readonly weights?: FitWeights
}

/** What is sent of a file: segments, or signatures, or neither, which is its path. */
export type ChosenFile = {
  readonly path: string
  readonly form: "full" | "symbols" | "signatures" | "path"
  /** Indexes of segments, rising. */
  readonly segments: readonly number[]
  /** Indexes of symbols, rising. */
  readonly signatures: readonly number[]
  readonly sentBefore: boolean
}

export type Fitted = {
  /** In the order of the files given. */
  readonly chosen: readonly ChosenFile[]
  /** Of the files that are not chosen: what they would need whole. */
  readonly left: readonly { readonly path: string; readonly needs: number }[]
  readonly roomTokens: number
}

/**
 * Fills a budget: a person's choices and named files first, then segments of all files by worth per
 * token, then signatures of files that are still out. The same input gives the same choice.
 */
export function fit(files: readonly FitFile[], options: FitOptions): Fitted {
  const { budgetTokens, truncate, weights = FIT_WEIGHTS } = options
  const board = createBoard(files, budgetTokens)
  placeNamed(board, { budgetTokens, weights, truncate })
  if (truncate === "relevance") placeWhole(board)
  else placeParts(board, { budgetTokens, weights })
  fillGaps(board)
  noteSent(board)
  return fittedOf(board)
}

/** Whole files in their order; what does not fit stays out. */
function placeWhole(board: Board): void {
  for (const draft of open(board)) takeSegments(board, draft, newSegments(draft.file))
}

type Filling = { readonly budgetTokens: number; readonly weights: FitWeights }

function placeParts(board: Board, { budgetTokens, weights }: Filling): void {
  const drafts = open(board)
  const options = optionsByWorth(drafts, weights)
  const reserve = Math.min(board.room, Math.floor(budgetTokens * weights.signatureShare))
  board.room -= reserve
  takeBest(board, options, weights)
  fillGaps(board)
  board.room += reserve
  placeSignatures(board, weights)
  takeBest(board, options, weights)
  roundUp(board, weights)
}

/** Most options come when little room is left, and end at the first look. */
function takeBest(board: Board, options: readonly FitOption[], weights: FitWeights): void {
  for (const it of options) {
    const released = sum(it.draft.signatures.map((one) => one.tokens))
    if (it.tokens <= board.room + released) takeWithHead(board, it, weights)
  }
}

function takeWithHead(
  board: Board,
  { draft, segments }: FitOption,
  { headTokens }: FitWeights,
): void {
  if (segments.every((it) => draft.taken.has(it))) return
  const heads = segments.flatMap((it) => draft.file.segments[it]?.head ?? [])
  const light = heads.filter((it) => (draft.file.segments[it]?.tokens ?? 0) <= headTokens)
  const isTaken = light.length > 0 && takeSegments(board, draft, [...segments, ...light])
  if (!isTaken) takeSegments(board, draft, segments)
}

/** For files that nothing is sent of yet, best first, while there is room. */
function placeSignatures(board: Board, weights: FitWeights): void {
  for (const draft of open(board)) {
    const isKnown = hasSent(draft.file) && newSegments(draft.file).length === 0
    if (draft.isIn || isKnown || draft.file.signatures.length === 0) continue
    const isFull = board.room < frameTokens(draft.file)
    if (isFull) return
    takeSignatures(board, draft, bestSignatures(draft.file, weights.mostSignatures))
  }
}

/** The best by the task's words, in the order of the file. */
function bestSignatures(file: FitFile, most: number): readonly FitSignature[] {
  const best = file.signatures.toSorted((a, b) => b.score - a.score || a.symbol - b.symbol)
  return best.slice(0, most).toSorted((a, b) => a.symbol - b.symbol)
}

function roundUp(board: Board, { roundUpShare }: FitWeights): void {
  for (const draft of open(board)) {
    if (draft.taken.size === 0) continue
    const missing = newSegments(draft.file).filter((it) => !draft.taken.has(it))
    const tokensOf = (indexes: readonly number[]) =>
      sum(indexes.map((it) => draft.file.segments[it]?.tokens ?? 0))
    const whole = tokensOf(newSegments(draft.file))
    if (tokensOf(missing) <= whole * roundUpShare) takeSegments(board, draft, missing)
  }
}

function open(board: Board): readonly Draft[] {
  return board.drafts.filter((it) => !it.isClosed)
}

type Naming = Filling & Pick<FitOptions, "truncate">

/** Each named file keeps room for the least form of those behind it, so that all of them enter. */
function placeNamed(board: Board, { budgetTokens, weights, truncate }: Naming): void {
  const named = board.drafts.filter(
    (it) => it.file.naming !== undefined || it.file.form !== undefined,
  )
  const targets = named.filter((it) => isTarget(it.file))
  let reserved = leastForTargets(targets.map((it) => it.file))
  if (reserved > budgetTokens) {
    const what = targets.length === 1 ? "The named target" : "The least form of the named targets"
    throw BudgetTooSmall({ budget: budgetTokens, needed: reserved, what })
  }
  const share = Math.floor((budgetTokens * weights.namedShare) / Math.max(1, named.length))
  for (const draft of named) {
    const mustEnter = isTarget(draft.file)
    const least = mustEnter ? leastTokens(draft.file) : 0
    reserved -= least
    const room = Math.max(0, board.room - reserved)
    const own = mustEnter ? Math.min(room, Math.max(share, least)) : Math.min(room, share)
    const rest = board.room - own
    board.room = own
    placeOne(board, draft, { weights, truncate })
    board.room += rest
  }
}

/** What must be in a package costs at least so much. */
export function leastForTargets(files: readonly FitFile[]): number {
  return sum(files.filter(isTarget).map(leastTokens))
}

function isTarget({ naming, form }: FitFile): boolean {
  return naming === "target" || form !== undefined
}

/** The least that a file enters with: what a person chose, else its signatures, else its path. */
function leastTokens(file: FitFile): number {
  const frame = frameTokens(file)
  if (file.form === "path") return frame
  if (file.form === "full") {
    return frame + sum(file.segments.map((it) => it.tokens)) + PIECE_TOKENS
  }
  const telling = file.segments.filter((it) => !it.isBare)
  const best = telling.reduce((least, it) => Math.min(least, it.tokens), Infinity)
  if (file.form === "symbols" && Number.isFinite(best)) return frame + best + PIECE_TOKENS
  return frame + sum(file.signatures.map((it) => it.tokens))
}

type Placing = { readonly weights: FitWeights; readonly truncate: FitOptions["truncate"] }

function placeOne(board: Board, draft: Draft, { weights, truncate }: Placing): void {
  const { file } = draft
  draft.isClosed = file.form !== undefined
  if (file.form === "path") return void takeSignatures(board, draft, [])
  if (file.form === "signatures") return void takeSignatures(board, draft, file.signatures)
  const all = file.form === "full" ? [...file.segments.keys()] : newSegments(file)
  if (all.length === 0) return void takeSignatures(board, draft, [])
  const isWhole = file.form !== "symbols" && takeSegments(board, draft, all)
  if (isWhole) return
  const isAllOrNothing = truncate === "relevance" && file.form === undefined
  if (isAllOrNothing && !isTarget(file)) return
  if (!isAllOrNothing) takeBest(board, optionsByWorth([draft], weights), weights)
  if (!draft.isIn) placeListed(board, draft, weights)
}

/** All signatures, else the best ones, else the path. */
function placeListed(board: Board, draft: Draft, { mostSignatures }: FitWeights): void {
  const { file } = draft
  const isListed =
    takeSignatures(board, draft, file.signatures) ||
    takeSignatures(board, draft, bestSignatures(file, mostSignatures))
  if (!isListed) takeSignatures(board, draft, [])
}

/** What the reader has already is listed by its path, if there is room for that. */
function noteSent(board: Board): void {
  for (const draft of board.drafts) {
    if (!draft.isIn && hasSent(draft.file)) takeSignatures(board, draft, [])
  }
}

function hasSent({ segments }: FitFile): boolean {
  return segments.some((it) => it.isSent)
}

function fittedOf(board: Board): Fitted {
  const chosen = board.drafts.filter((it) => it.isIn).map(chosenOf)
  const left = board.drafts
    .filter((it) => !it.isIn)
    .map(({ file }) => ({
      path: file.path,
      needs: frameTokens(file) + PIECE_TOKENS + sum(file.segments.map((it) => it.tokens)),
    }))
  return { chosen, left, roomTokens: board.room }
}

function chosenOf({ file, taken, signatures }: Draft): ChosenFile {
  return {
    path: file.path,
    form: formOf(file, taken, signatures),
    segments: [...taken].toSorted((a, b) => a - b),
    signatures: signatures.map((it) => it.symbol),
    sentBefore: taken.size === 0 && hasSent(file),
  }
}

function formOf(
  file: FitFile,
  taken: ReadonlySet<number>,
  signatures: readonly FitSignature[],
): ChosenFile["form"] {
  const isWhole = taken.size === file.segments.length && file.form !== "symbols"
  if (taken.size > 0) return isWhole ? "full" : "symbols"
  return signatures.length > 0 ? "signatures" : "path"
}
