import type { PackExpectation } from "#ground/contract"
import { type FitFile, frameTokens, PIECE_TOKENS } from "./budget-board.ts"

export type TaskKind = "issue" | "task"

type SegmentFacts = {
  /** Of its file: probability, the same as a part of the best file's, and place among all files. */
  readonly probability: number
  readonly relative: number
  readonly place: number
  /** A test or document beside a best file that is source code, unless the task is about tests. */
  readonly isBeside: boolean
  readonly segments: number
  readonly tokens: number
  /** Its score, divided by the best of its file and by the best of all files; its place in the file. */
  readonly local: number
  readonly overall: number
  readonly localPlace: number
  readonly isNamed: boolean
  readonly isFirst: boolean
  readonly isFunction: boolean
}

type ChanceWeights = Readonly<Record<keyof SegmentFacts | "constant", number>>

/**
 * Logistic regressions on 231 issues of 24 repositories and on their first lines alone: 142,000 and 154,000 segments, some
 * of which their fix edited, and segments that other repositories' issues would get, of which none is right. In five folds
 * by repository the share of edited segments is within 0.034 of the probability, above 0.3 within 0.09.
 */
const CHANCE_WEIGHTS: Readonly<Record<TaskKind, ChanceWeights>> = {
  issue: {
    constant: -2.01,
    probability: 0.26,
    relative: 0.28,
    place: -0.86,
    isBeside: -2.66,
    segments: -0.44,
    tokens: 0.28,
    local: 0.24,
    overall: 0.1,
    localPlace: -0.4,
    isNamed: 0.16,
    isFirst: 0.79,
    isFunction: 0.59,
  },
  task: {
    constant: -3.35,
    probability: 0.35,
    relative: 0.15,
    place: -0.84,
    isBeside: -2.84,
    segments: -0.48,
    tokens: 0.47,
    local: -0.93,
    overall: 1.93,
    localPlace: -0.16,
    isNamed: 0.62,
    isFirst: 0.97,
    isFunction: 0.73,
  },
}

const LEAST_SHARE = 1e-4

/** Probability that a fix edits the segment. */
export function segmentChance(facts: SegmentFacts, kind: TaskKind): number {
  const weights = CHANCE_WEIGHTS[kind]
  const z =
    weights.constant +
    weights.probability * Math.log(Math.max(LEAST_SHARE, facts.probability)) +
    weights.relative * Math.log(Math.max(LEAST_SHARE, facts.relative)) +
    weights.place * Math.log1p(facts.place) +
    weights.isBeside * Number(facts.isBeside) +
    weights.segments * Math.log(Math.max(1, facts.segments)) +
    weights.tokens * Math.log1p(facts.tokens) +
    weights.local * facts.local +
    weights.overall * facts.overall +
    weights.localPlace * Math.log1p(facts.localPlace) +
    weights.isNamed * Number(facts.isNamed) +
    weights.isFirst * Number(facts.isFirst) +
    weights.isFunction * Number(facts.isFunction)
  return 1 / (1 + Math.exp(-z))
}

/**
 * Least chance of a segment of 100 tokens in a package. Chosen on the same issues, that of short texts
 * with commits of fastify: their recall should not fall (docs/reference/issues.md).
 */
const LEAST_CHANCE: Readonly<Record<TaskKind, number>> = { issue: 0.06, task: 0.012 }

/** A longer segment costs more, so its worth is lower than its chance. */
export function worthOf({ chance, tokens }: { readonly chance: number; readonly tokens: number }) {
  return chance / ((tokens + PIECE_TOKENS) / 100) ** 0.15
}

/** The package ends where the next segment is worth less than this. */
export function isWorthSending(
  segment: { readonly chance: number; readonly tokens: number },
  kind: TaskKind,
): boolean {
  return worthOf(segment) >= LEAST_CHANCE[kind]
}

/** Below this probability of the best file, the task is about something else. */
export const LEAST_PROBABILITY = 0.05

/** A file without a selected segment is listed with its signatures from this probability on. */
export const LISTED_PROBABILITY = 0.1

const CURVE_TOKENS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000] as const

type OrderedPart = { readonly file: FitFile; readonly segments: readonly number[] }

type Expected = {
  sentOf(path: string): ReadonlySet<number>
  readonly ordered: readonly OrderedPart[]
  readonly tokenFactor: number
}

/**
 * Expected share of what the task needs: of the sent segments, and by the size of a package that takes
 * all parts in the given order.
 */
export function expectationOf(
  files: readonly FitFile[],
  { sentOf, ordered, tokenFactor }: Expected,
): PackExpectation {
  const useful = files.flatMap(({ path, segments }) => {
    const sent = sentOf(path)
    return segments.flatMap(({ chance, isBare }, index) =>
      isBare ? [] : [{ chance, isSent: sent.has(index) }],
    )
  })
  const whole = useful.reduce((sum, it) => sum + it.chance, 0)
  if (whole === 0) return { recall: 0, curve: [] }
  const sent = useful.reduce((sum, it) => sum + (it.isSent ? it.chance : 0), 0)
  const curve: PackExpectation["curve"] = []
  const opened = new Set<FitFile>()
  let [tokens, gained] = [0, 0]
  for (const { file, segments } of ordered) {
    const parts = segments.flatMap((it) => file.segments[it] ?? [])
    const cost =
      parts.reduce((sum, it) => sum + it.tokens, PIECE_TOKENS) +
      (opened.has(file) ? 0 : frameTokens(file))
    for (const size of CURVE_TOKENS.slice(curve.length)) {
      if ((tokens + cost) * tokenFactor <= size) break
      curve.push({ tokens: size, recall: round(gained / whole) })
    }
    if (curve.length === CURVE_TOKENS.length) break
    opened.add(file)
    tokens += cost
    gained += parts.reduce((sum, it) => sum + (it.isBare ? 0 : it.chance), 0)
  }
  return { recall: round(sent / whole), curve }
}

function round(value: number): number {
  return Math.round(Math.min(1, value) * 1_000) / 1_000
}
