import type { TaskAnalysis } from "#ground/contract"
import type { Content, Segment } from "#know/map"
import type { SentPlace } from "../history/history.ts"
import type { ScoredFile, WeighedFile } from "../rank.ts"
import { type FitFile, type FitSegment, isBareText } from "./budget-board.ts"
import { segmentChance, type TaskKind } from "./expected-need.ts"

type FitShape = {
  /** The best segment score and the highest probability of all files. */
  readonly mostScore: number
  readonly mostProbability: number
  readonly isBestSource: boolean
  readonly taskKind: TaskKind
  readonly analysis: TaskAnalysis
  readonly formOf: (path: string) => FitFile["form"]
  readonly headingTokens: (file: ScoredFile) => number
  readonly isSent: (lines: SentPlace) => boolean
}

export function fitFileOf(file: WeighedFile, place: number, shape: FitShape): FitFile {
  const { content, scores } = file
  const names = new Set(shape.analysis.symbolNames)
  const headOf = headFinder(content)
  const signatures = signatureScores(content, scores)
  const isBare = bareFinder(file)
  const chanceOf = chanceFinder(file, place, shape)
  const segments = content.segments.map(
    (segment, index): FitSegment => ({
      tokens: segment.tokens,
      score: scores[index] ?? 0,
      chance: chanceOf(index),
      isNamed: segment.symbol !== undefined && names.has(nameOf(content, segment.symbol)),
      isSent: shape.isSent({ ...segment, path: file.file.path, blobId: content.blobId }),
      isBare: isBare(segment),
      head: headOf(index),
    }),
  )
  return {
    path: file.file.path,
    score: file.score,
    probability: file.probability,
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

function chanceFinder(
  file: WeighedFile,
  place: number,
  { analysis, mostScore, mostProbability, isBestSource, taskKind }: FitShape,
): (index: number) => number {
  const { content, scores, probability } = file
  const { segments, symbols } = content
  const names = new Set(analysis.symbolNames)
  const order = [...segments.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const places = new Map(order.map((index, at) => [index, at]))
  const best = scores[order[0] ?? 0] ?? 0
  const ofFile = {
    probability,
    relative: mostProbability === 0 ? 0 : probability / mostProbability,
    place,
    isBeside: isBestSource && classOf(file) !== "source" && analysis.action !== "test",
    segments: segments.length,
  }
  return (index) => {
    const score = scores[index] ?? 0
    const { symbol: number, tokens = 0 } = segments[index] ?? {}
    const symbol = number === undefined ? undefined : symbols[number]
    const facts = {
      ...ofFile,
      tokens,
      local: best === 0 ? 0 : score / best,
      overall: mostScore === 0 ? 0 : score / mostScore,
      localPlace: places.get(index) ?? 0,
      isNamed: symbol !== undefined && names.has(symbol.name),
      isFirst: index === 0,
      isFunction: symbol?.kind === "function" || symbol?.kind === "method",
    }
    return segmentChance(facts, taskKind)
  }
}

/** Splits the text only if a segment is small enough to be bare. */
function bareFinder({ text }: WeighedFile): (segment: Segment) => boolean {
  let lines: readonly string[] | undefined
  return ({ fromLine, toLine, tokens }) => {
    if (tokens > 20) return false
    lines ??= text.split("\n")
    return isBareText(lines.slice(fromLine - 1, toLine).join("\n"))
  }
}

function classOf({ file: { fileClass } }: WeighedFile): FitFile["fileClass"] {
  return fileClass === "test" || fileClass === "docs" ? fileClass : "source"
}

function nameOf(content: Content, symbol: number): string {
  return content.symbols[symbol]?.name ?? ""
}

function signatureScores({ symbols, segments }: Content, scores: readonly number[]): Float64Array {
  const best = Float64Array.from(symbols, (it) => (it.isExported ? LEAST_SCORE : 0))
  for (const [index, { symbol }] of segments.entries()) {
    if (symbol !== undefined) best[symbol] = Math.max(best[symbol] ?? 0, scores[index] ?? 0)
  }
  return best
}

const LEAST_SCORE = 1e-6

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
