import { BudgetTooSmall } from "../errors.ts"
import {
  type BudgetBoard,
  createBoard,
  type FileChoice,
  type FitFile,
  type FitSignature,
  fillGaps,
  frameTokens,
  newSegments,
  PIECE_TOKENS,
  sum,
  takeSegments,
  takeSignatures,
} from "./budget-board.ts"
import { isWorthSending, LISTED_PROBABILITY, type TaskKind } from "./expected-need.ts"
import {
  FIT_WEIGHTS,
  type FitOption,
  type FitWeights,
  optionsByDensity,
  optionsInOrder,
} from "./value-density.ts"

type FitOptions = {
  readonly budgetTokens: number
  readonly truncate: "signatures" | "relevance"
  readonly weights?: FitWeights
  /** Use the whole budget (default), or end where a segment is not worth its tokens. */
  readonly fill?: boolean
  readonly taskKind?: TaskKind
}

export type ChosenFile = {
  readonly path: string
  readonly form: "full" | "symbols" | "signatures" | "path"
  readonly segments: readonly number[]
  readonly signatures: readonly number[]
  readonly sentBefore: boolean
}

type LeftFile = {
  readonly path: string
  readonly needs: number
  /** Left out because its lines are unlikely to be needed, not because of the budget. */
  readonly isUnlikely: boolean
}

export type FittedFiles = {
  readonly chosen: readonly ChosenFile[]
  readonly left: readonly LeftFile[]
  readonly roomTokens: number
}

/**
 * Places the user's choices and named files, then segments of all files by value per token, then
 * signatures of the remaining files. Deterministic.
 */
export function fillBudget(files: readonly FitFile[], options: FitOptions): FittedFiles {
  const { budgetTokens, truncate, weights = FIT_WEIGHTS, fill = true, taskKind = "task" } = options
  const board = createBoard(files, budgetTokens)
  placeNamed(board, { budgetTokens, weights, truncate, fill })
  if (truncate === "relevance") placeWhole(board, fill)
  else placeParts(board, { budgetTokens, weights, fill, taskKind })
  if (!fill) listNamed(board, weights)
  fillGaps(board)
  noteSent(board)
  return fittedOf(board, { fill, taskKind })
}

function placeWhole(board: BudgetBoard, fill: boolean): void {
  for (const choice of open(board)) {
    const isWorth = fill || choice.file.probability >= LISTED_PROBABILITY
    if (isWorth) takeSegments(board, choice, newSegments(choice.file))
  }
}

/** A file whose path is in the task is at least listed. */
function listNamed(board: BudgetBoard, weights: FitWeights): void {
  for (const choice of open(board)) {
    if (choice.file.naming === "task" && !choice.isIn) placeListed(board, choice, weights)
  }
}

type FillOptions = {
  readonly budgetTokens: number
  readonly weights: FitWeights
  readonly fill: boolean
  readonly taskKind: TaskKind
}

function placeParts(
  board: BudgetBoard,
  { budgetTokens, weights, fill, taskKind }: FillOptions,
): void {
  const choices = open(board)
  const options = fill
    ? optionsByDensity(choices, weights)
    : optionsInOrder(choices, { taskKind, weights }).filter((it) => isWorthSending(it, taskKind))
  const reserve = Math.min(board.room, Math.floor(budgetTokens * weights.signatureShare))
  board.room -= reserve
  takeBest(board, options, weights)
  fillGaps(board)
  board.room += reserve
  placeSignatures(board, weights, fill)
  takeBest(board, options, weights)
  roundUp(board, weights)
}

/** Most options arrive when little room is left, so check the room first. */
function takeBest(board: BudgetBoard, options: readonly FitOption[], weights: FitWeights): void {
  for (const option of options) {
    const released = sum(option.choice.signatures.map((one) => one.tokens))
    if (option.tokens <= board.room + released) takeWithHead(board, option, weights)
  }
}

function takeWithHead(
  board: BudgetBoard,
  { choice, segments }: FitOption,
  { headTokens }: FitWeights,
): void {
  if (segments.every((it) => choice.taken.has(it))) return
  const heads = segments.flatMap((it) => choice.file.segments[it]?.head ?? [])
  const light = heads.filter((it) => (choice.file.segments[it]?.tokens ?? 0) <= headTokens)
  const fits = light.length > 0 && takeSegments(board, choice, [...segments, ...light])
  if (!fits) takeSegments(board, choice, segments)
}

function placeSignatures(board: BudgetBoard, weights: FitWeights, fill: boolean): void {
  for (const choice of open(board)) {
    if (!fill && choice.file.probability < LISTED_PROBABILITY) continue
    const isKnown = hasSent(choice.file) && newSegments(choice.file).length === 0
    if (choice.isIn || isKnown || choice.file.signatures.length === 0) continue
    const isFull = board.room < frameTokens(choice.file)
    if (isFull) return
    takeSignatures(board, choice, bestSignatures(choice.file, weights.mostSignatures))
  }
}

function bestSignatures(file: FitFile, most: number): readonly FitSignature[] {
  const best = file.signatures.toSorted((a, b) => b.score - a.score || a.symbol - b.symbol)
  return best.slice(0, most).toSorted((a, b) => a.symbol - b.symbol)
}

function roundUp(board: BudgetBoard, { roundUpShare }: FitWeights): void {
  for (const choice of open(board)) {
    if (choice.taken.size === 0) continue
    const missing = newSegments(choice.file).filter((it) => !choice.taken.has(it))
    const tokensOf = (indexes: readonly number[]) =>
      sum(indexes.map((it) => choice.file.segments[it]?.tokens ?? 0))
    const whole = tokensOf(newSegments(choice.file))
    if (tokensOf(missing) <= whole * roundUpShare) takeSegments(board, choice, missing)
  }
}

function open(board: BudgetBoard): readonly FileChoice[] {
  return board.choices.filter((it) => !it.isClosed)
}

type NameOptions = Omit<FillOptions, "taskKind"> & Pick<FitOptions, "truncate">

/** Each named file leaves room for the smallest form of the ones after it, so that all fit. */
function placeNamed(
  board: BudgetBoard,
  { budgetTokens, weights, truncate, fill }: NameOptions,
): void {
  const named = board.choices.filter(
    ({ file }) => isTarget(file) || (fill && file.naming !== undefined),
  )
  const targets = named.filter((it) => isTarget(it.file))
  let reserved = leastForTargets(targets.map((it) => it.file))
  if (reserved > budgetTokens) {
    const what = targets.length === 1 ? "The target" : "The smallest form of the targets"
    throw BudgetTooSmall({ budget: budgetTokens, needed: reserved, what })
  }
  const share = Math.floor((budgetTokens * weights.namedShare) / Math.max(1, named.length))
  for (const choice of named) {
    const mustEnter = isTarget(choice.file)
    const least = mustEnter ? leastTokens(choice.file) : 0
    reserved -= least
    const room = Math.max(0, board.room - reserved)
    const own = mustEnter ? Math.min(room, Math.max(share, least)) : Math.min(room, share)
    const rest = board.room - own
    board.room = own
    placeOne(board, choice, { weights, truncate })
    board.room += rest
  }
}

export function leastForTargets(files: readonly FitFile[]): number {
  return sum(files.filter(isTarget).map(leastTokens))
}

function isTarget({ naming, form }: FitFile): boolean {
  return naming === "target" || form !== undefined
}

function leastTokens(file: FitFile): number {
  const frame = frameTokens(file)
  if (file.form === "path") return frame
  if (file.form === "full") {
    return frame + sum(file.segments.map((it) => it.tokens)) + PIECE_TOKENS
  }
  const ownSegments = file.segments.filter((it) => !it.isBare)
  const best = ownSegments.reduce((least, it) => Math.min(least, it.tokens), Infinity)
  if (file.form === "symbols" && Number.isFinite(best)) return frame + best + PIECE_TOKENS
  return frame + sum(file.signatures.map((it) => it.tokens))
}

type PlaceOptions = { readonly weights: FitWeights; readonly truncate: FitOptions["truncate"] }

function placeOne(
  board: BudgetBoard,
  choice: FileChoice,
  { weights, truncate }: PlaceOptions,
): void {
  const { file } = choice
  choice.isClosed = file.form !== undefined
  if (file.form === "path") return void takeSignatures(board, choice, [])
  if (file.form === "signatures") return void takeSignatures(board, choice, file.signatures)
  const all = file.form === "full" ? [...file.segments.keys()] : newSegments(file)
  if (all.length === 0) return void takeSignatures(board, choice, [])
  const isWhole = file.form !== "symbols" && takeSegments(board, choice, all)
  if (isWhole) return
  const isAllOrNothing = truncate === "relevance" && file.form === undefined
  if (isAllOrNothing && !isTarget(file)) return
  if (!isAllOrNothing) takeBest(board, optionsByDensity([choice], weights), weights)
  if (!choice.isIn) placeListed(board, choice, weights)
}

function placeListed(board: BudgetBoard, choice: FileChoice, { mostSignatures }: FitWeights): void {
  const { file } = choice
  const isListed =
    takeSignatures(board, choice, file.signatures) ||
    takeSignatures(board, choice, bestSignatures(file, mostSignatures))
  if (!isListed) takeSignatures(board, choice, [])
}

function noteSent(board: BudgetBoard): void {
  for (const choice of board.choices) {
    if (!choice.isIn && hasSent(choice.file)) takeSignatures(board, choice, [])
  }
}

function hasSent({ segments }: FitFile): boolean {
  return segments.some((it) => it.isSent)
}

function fittedOf(
  board: BudgetBoard,
  { fill, taskKind }: Pick<FillOptions, "fill" | "taskKind">,
): FittedFiles {
  const chosen = board.choices.filter((it) => it.isIn).map(chosenOf)
  const left = board.choices
    .filter((it) => !it.isIn)
    .map(({ file }) => ({
      path: file.path,
      needs: frameTokens(file) + PIECE_TOKENS + sum(file.segments.map((it) => it.tokens)),
      isUnlikely: !fill && !file.segments.some((it) => isWorthSending(it, taskKind)),
    }))
  return { chosen, left, roomTokens: board.room }
}

function chosenOf({ file, taken, signatures }: FileChoice): ChosenFile {
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
  segments: ReadonlySet<number>,
  signatures: readonly FitSignature[],
): ChosenFile["form"] {
  const isWhole = segments.size === file.segments.length && file.form !== "symbols"
  if (segments.size > 0) return isWhole ? "full" : "symbols"
  return signatures.length > 0 ? "signatures" : "path"
}
