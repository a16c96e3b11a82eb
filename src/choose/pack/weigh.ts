import type { TaskAnalysis } from "#ground/contract"
import type { Content, IndexedTree, Segment } from "#know/map"
import { type PostingsOf, type Query, rarityIn, scoreFileSymbols } from "#know/search"
import type { FitFile, FitSegment } from "./draft.ts"
import { isBareText } from "./gaps.ts"
import { graphOf } from "./graph-of.ts"
import type { SentPlace } from "./kept/sent.ts"
import {
  FEWEST_WEIGHED_FILES,
  LARGEST_WEIGHED_TOKENS,
  MOST_BARE_TOKENS,
  MOST_WEIGHED_FILES,
  WEIGHED_BUDGETS,
} from "./limits.ts"
import type { ScoredFile } from "./score.ts"

/** A file whose parts are known and weighed against the task. */
export type WeighedFile = ScoredFile & {
  readonly content: Content
  readonly text: string
  /** By segment. */
  readonly scores: readonly number[]
}

export type Weighed = {
  readonly files: readonly WeighedFile[]
  /** Files beyond those that are looked at; they stay out. */
  readonly beyond: readonly ScoredFile[]
  /** Paths whose text is no longer the one that was scanned. */
  readonly stale: readonly string[]
}

export type WeighOptions = {
  readonly query: Query
  readonly postingsOf: PostingsOf
  readonly budgetTokens: number
}

/** Reads the best files and scores their segments by the task's words. */
export async function weighFiles(
  tree: IndexedTree,
  files: readonly ScoredFile[],
  options: WeighOptions,
): Promise<Weighed> {
  const count = depthOf(files, options.budgetTokens)
  const near = files.slice(0, count)
  const [contents, texts] = await Promise.all([
    graphOf(tree).contents(near.map((it) => it.file.content)),
    tree.texts(near.map((it) => it.file.path)),
  ])
  const read = near.flatMap((file) => {
    const content = contents.get(file.file.content)
    const text = texts.get(file.file.path)
    return content === undefined || text === undefined ? [] : [{ ...file, content, text }]
  })
  const rarity = rarityIn(tree.corpus(), options.postingsOf)
  const known = new Set(read.map((it) => it.file.path))
  const scores = scoreFileSymbols(options.query, read.map(searchable), rarity)
  return {
    files: read.map((it, index) => ({ ...it, scores: scores[index] ?? [] })),
    beyond: files.slice(count),
    stale: near.map((it) => it.file.path).filter((it) => !known.has(it)),
  }
}

/** As many files as fill the budget some times over, all that are named among them. */
function depthOf(files: readonly ScoredFile[], budgetTokens: number): number {
  let tokens = 0
  let count = 0
  for (const { file, naming } of files) {
    const isEnough = count >= FEWEST_WEIGHED_FILES && tokens >= budgetTokens * WEIGHED_BUDGETS
    if (naming === undefined && (isEnough || count >= MOST_WEIGHED_FILES)) break
    tokens += file.tokens
    count++
  }
  return count
}

function searchable({ file, content, text }: Omit<WeighedFile, "scores">) {
  const { path, tokens } = file
  const isData = tokens > LARGEST_WEIGHED_TOKENS
  return {
    path,
    text: isData ? "" : text,
    symbols: content.symbols,
    segments: content.segments,
  }
}

export type FitShape = {
  readonly analysis: TaskAnalysis
  readonly formOf: (path: string) => FitFile["form"]
  readonly headingTokens: (file: ScoredFile) => number
  readonly isSent: (lines: SentPlace) => boolean
}

/** A weighed file as fitting sees it. */
export function fitFileOf(file: WeighedFile, shape: FitShape): FitFile {
  const { content, scores } = file
  const names = new Set(shape.analysis.symbolNames)
  const headOf = headFinder(content)
  const signatures = signatureScores(content, scores)
  const isBare = bareFinder(file)
  const segments = content.segments.map(
    (segment, index): FitSegment => ({
      tokens: segment.tokens,
      score: scores[index] ?? 0,
      isNamed: segment.symbol !== undefined && names.has(nameOf(content, segment.symbol)),
      isSent: shape.isSent({ ...segment, path: file.file.path, blobId: content.blobId }),
      isBare: isBare(segment),
      head: headOf(index),
    }),
  )
  return {
    path: file.file.path,
    score: file.score,
    naming: file.naming,
    isDefiner: file.defines.length > 0,
    fileClass: classOf(file),
    form: shape.formOf(file.file.path),
    headingTokens: shape.headingTokens(file),
    segments,
    signatures: content.symbols.map((it, symbol) => ({
      symbol,
      tokens: it.signatureTokens,
      score: signatures[symbol] ?? 0,
    })),
  }
}

/**
 * Blank lines and lone brackets; a constant of one line is short, and says something. Texts are split
 * only where a segment is small enough to be bare.
 */
function bareFinder({ text }: WeighedFile): (segment: Segment) => boolean {
  let lines: readonly string[] | undefined
  return ({ fromLine, toLine, tokens }) => {
    if (tokens > MOST_BARE_TOKENS) return false
    lines ??= text.split("\n")
    return isBareText(lines.slice(fromLine - 1, toLine).join("\n"))
  }
}

/** Other classes take no part, except by name. */
function classOf({ file: { fileClass } }: WeighedFile): FitFile["fileClass"] {
  return fileClass === "test" || fileClass === "docs" ? fileClass : "source"
}

function nameOf(content: Content, symbol: number): string {
  return content.symbols[symbol]?.name ?? ""
}

/** By symbol: the best of its own segments. */
function signatureScores({ symbols, segments }: Content, scores: readonly number[]): Float64Array {
  // What other files can use says more about a file than what it keeps to itself.
  const best = Float64Array.from(symbols, (it) => (it.isExported ? LEAST_SCORE : 0))
  for (const [index, { symbol }] of segments.entries()) {
    if (symbol !== undefined) best[symbol] = Math.max(best[symbol] ?? 0, scores[index] ?? 0)
  }
  return best
}

const LEAST_SCORE = 1e-6

/** The segment in which the class of a segment begins. */
function headFinder({ symbols, segments }: Content): (index: number) => number | undefined {
  const segmentAtLine = new Map(segments.map((it, index) => [it.fromLine, index]))
  const symbolsByName = Map.groupBy(symbols, (it) => it.name)
  return (index) => {
    const segment = segments[index]
    const symbol = segment?.symbol === undefined ? undefined : symbols[segment.symbol]
    if (symbol?.parent === undefined) return undefined
    const namesakes = symbolsByName.get(symbol.parent) ?? []
    const around = namesakes.filter(
      (it) => it.fromLine <= symbol.fromLine && it.toLine >= symbol.toLine,
    )
    const head = segmentAtLine.get(around.at(-1)?.fromLine ?? -1)
    return head === index ? undefined : head
  }
}
