import type { PackExpectation, PackForm } from "#ground/contract"
import type { Content, IndexedTree } from "#know/map"
import { createBoard, type FitFile, frameTokens, sum } from "./fit/budget-board.ts"
import {
  type ClosureFile,
  closureFiles,
  type Edge,
  followNames,
  type SentLines,
} from "./fit/closure.ts"
import { expectationOf } from "./fit/expected-need.ts"
import {
  type ChosenFile,
  type FittedFiles,
  fillBudget,
  leastForTargets,
} from "./fit/fill-budget.ts"
import { fitFileOf } from "./fit/fit-file.ts"
import { FIT_WEIGHTS, type FitWeights, optionsInOrder } from "./fit/value-density.ts"
import type { SentPlace } from "./history/history.ts"
import { graphOf } from "./rank/per-tree-cache.ts"
import { denialOf, type RankedFiles, type ScoredFile, type WeighedFile } from "./rank.ts"

export type SelectOptions = {
  readonly budgetTokens: number
  readonly truncate: "signatures" | "relevance"
  readonly weights?: FitWeights
  readonly closure: boolean
  readonly fill: boolean
  /** Tokens of the model that reads the package, per token of the index (default: 1). */
  readonly tokenFactor?: number
  formOf(path: string): PackForm | undefined
  headingTokens(file: ScoredFile): number
  isSent(lines: SentPlace): boolean
}

export type SelectedFile = ChosenFile & {
  readonly scored: ScoredFile
  readonly content: Content
  readonly text: string | undefined
}

export type Selection = {
  readonly files: readonly SelectedFile[]
  readonly left: FittedFiles["left"]
  readonly edges: readonly Edge[]
  readonly leastTokens: number
  readonly expectation: PackExpectation
  /** Whether the whole budget was to be used. */
  readonly fill: boolean
}

/** Budget that the closure does not use goes to a second fill. */
export async function selectFiles(
  tree: IndexedTree,
  ranked: RankedFiles,
  options: SelectOptions,
): Promise<Selection> {
  const weights = options.weights ?? FIT_WEIGHTS
  const { files } = ranked.weighed
  const mostScore = files.reduce((most, it) => Math.max(most, ...it.scores), 0)
  const shape = {
    ...options,
    analysis: ranked.analysis,
    taskKind: ranked.taskKind,
    mostScore,
    mostProbability: files.reduce((most, it) => Math.max(most, it.probability), 0),
    isBestSource: files[0]?.file.fileClass === "source",
  }
  const fitFiles = files.map((it, place) => fitFileOf(it, place, shape))
  const closureTokens = options.closure
    ? Math.floor(options.budgetTokens * weights.closureShare)
    : 0
  const leastTokens = leastForTargets(fitFiles)
  const reserve = Math.max(0, Math.min(closureTokens, options.budgetTokens - leastTokens))
  const first = fillBudget(fitFiles, {
    ...options,
    budgetTokens: options.budgetTokens - reserve,
    weights,
    taskKind: ranked.taskKind,
  })
  const order = { ...options, taskKind: ranked.taskKind, weights }
  const edges = await followNames(tree, linesOf(first, files))
  if (reserve === 0) {
    const expectation = expectationFor(fitFiles, first, order)
    return { ...selectionOf(first, files), edges, leastTokens, expectation, fill: options.fill }
  }

  const closing = closureFiles(tree, edges, linesOf(first, files))
  const closed = await closureSignatures(tree, closing, { ranked, options, room: reserve })
  const spent = sum(closed.map((it) => it.tokens))
  const second = fillBudget(fitFiles, {
    ...options,
    budgetTokens: options.budgetTokens - spent,
    weights,
    taskKind: ranked.taskKind,
  })
  const selection = selectionOf(second, files)
  const inside = new Set(selection.files.map((it) => it.path))
  const added = closed.map((it) => it.selected).filter((it) => !inside.has(it.path))
  const addedPaths = new Set(added.map((it) => it.path))
  return {
    files: [...selection.files, ...added],
    left: selection.left.filter((it) => !addedPaths.has(it.path)),
    // The second fill has more room and may send other lines than those followed above.
    edges: await followNames(tree, linesOf(second, files)),
    leastTokens,
    expectation: expectationFor(fitFiles, second, order),
    fill: options.fill,
  }
}

function expectationFor(
  fitFiles: readonly FitFile[],
  { chosen }: FittedFiles,
  order: Pick<SelectOptions, "tokenFactor"> & Parameters<typeof optionsInOrder>[1],
): PackExpectation {
  const sentByPath = new Map(chosen.map((it) => [it.path, new Set(it.segments)]))
  const options = optionsInOrder(createBoard(fitFiles, 0).choices, order)
  return expectationOf(fitFiles, {
    sentOf: (path) => sentByPath.get(path) ?? NOTHING_SENT,
    ordered: options.map(({ choice, segments }) => ({ file: choice.file, segments })),
    tokenFactor: order.tokenFactor ?? 1,
  })
}

const NOTHING_SENT: ReadonlySet<number> = new Set()

function selectionOf(
  { chosen, left }: FittedFiles,
  files: readonly WeighedFile[],
): Pick<Selection, "files" | "left"> {
  const byPath = new Map(files.map((it) => [it.file.path, it]))
  const selected = chosen.flatMap((file) => {
    const weighed = byPath.get(file.path)
    if (weighed === undefined) return []
    return [{ ...file, scored: weighed, content: weighed.content, text: weighed.text }]
  })
  return { files: selected, left }
}

function linesOf({ chosen }: FittedFiles, files: readonly WeighedFile[]): readonly SentLines[] {
  const byPath = new Map(files.map((it) => [it.file.path, it]))
  return chosen.flatMap(({ path, segments }) => {
    const weighed = byPath.get(path)
    if (weighed === undefined || segments.length === 0) return []
    const { file, content } = weighed
    return [{ file, content, ranges: segments.flatMap((it) => content.segments[it] ?? []) }]
  })
}

type ClosureRoom = {
  readonly ranked: RankedFiles
  readonly options: SelectOptions
  readonly room: number
}

type ClosureSelection = { readonly tokens: number; readonly selected: SelectedFile }

async function closureSignatures(
  tree: IndexedTree,
  closing: readonly ClosureFile[],
  { ranked, options, room }: ClosureRoom,
): Promise<readonly ClosureSelection[]> {
  const { rules, scored } = ranked
  const allowed = closing.filter(({ file: { path } }) => {
    const isOut = rules.dropped.has(path) || options.formOf(path) !== undefined
    return !isOut && denialOf(path, rules) === undefined
  })
  const [contents, texts] = await Promise.all([
    graphOf(tree).contents(allowed.map((it) => it.file.content)),
    tree.texts(allowed.map((it) => it.file.path)),
  ])
  const scoredByPath = new Map(scored.map((it) => [it.file.path, it]))
  const closed: ClosureSelection[] = []
  let left = room
  for (const candidate of allowed) {
    const content = contents.get(candidate.file.content)
    // A file without a text changed since the scan; its signatures may differ.
    if (content === undefined || texts.get(candidate.file.path) === undefined) continue
    const file = closureScored(candidate, scoredByPath.get(candidate.file.path))
    const made = signaturesOf(candidate, content, { file, options })
    if (made === undefined || made.tokens > left) continue
    closed.push(made)
    left -= made.tokens
  }
  return closed
}

function signaturesOf(
  { file: { path }, names }: ClosureFile,
  content: Content,
  it: { readonly file: ScoredFile; readonly options: SelectOptions },
): ClosureSelection | undefined {
  const wantedNames = new Set(names)
  const signatures = content.symbols.flatMap((symbol, index) =>
    wantedNames.has(symbol.name) ? [index] : [],
  )
  // A test enters as a path.
  if (names.length > 0 && signatures.length === 0) return undefined
  const frame: FitFile = { ...NO_FILE, path, headingTokens: it.options.headingTokens(it.file) }
  const tokens =
    frameTokens(frame) +
    sum(signatures.map((index) => content.symbols[index]?.signatureTokens ?? 0))
  const selected: SelectedFile = {
    path,
    form: signatures.length > 0 ? "signatures" : "path",
    segments: [],
    signatures,
    sentBefore: false,
    scored: it.file,
    content,
    text: undefined,
  }
  return { tokens, selected }
}

const NO_FILE: FitFile = {
  path: "",
  score: 0,
  probability: 0,
  naming: undefined,
  isDefiner: false,
  fileClass: "source",
  form: undefined,
  headingTokens: 0,
  segments: [],
  signatures: [],
}

function closureScored({ file, names }: ClosureFile, scored: ScoredFile | undefined): ScoredFile {
  const share = scored?.semanticScore ?? null
  const why = names.length > 0 ? "used by the selected lines" : "test of a selected file"
  return {
    file,
    rank: scored?.rank,
    share,
    naming: scored?.naming,
    defines: scored?.defines ?? [],
    uses: scored?.uses ?? [],
    score: scored?.score ?? 0,
    probability: scored?.probability ?? 0,
    astScore: scored?.astScore ?? null,
    semanticScore: share,
    source: share === null || share === 0 ? "ast" : "both",
    reasons: [why, ...(scored?.reasons ?? [])].slice(0, 3),
  }
}
