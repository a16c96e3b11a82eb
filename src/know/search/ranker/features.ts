import type { PostingsOf } from "../postings.ts"
import type { Query } from "../words/words.ts"
import type { Corpus } from "./corpus.ts"
import { type History, scorePast } from "./history.ts"
import { scoreWords, type WordScores } from "./lexical.ts"
import { largest, mean, orderOf, rankShares, shareOfLargest } from "./order.ts"
import { queryVector, type SemanticScores, scoreMeaning } from "./semantic-scores.ts"
import type { WordTable } from "./word-table.ts"

export type RawFeatures = {
  readonly [name in RawName]?: Float64Array
}
type RawName = (typeof RAW_NAMES)[number]

const RAW_NAMES = [
  "bm25",
  "bm25f",
  "defs",
  "path",
  "base",
  "cover",
  "subj",
  "dir",
  "dirmax",
  "loglen",
  "depth",
  "hist",
  "touch",
  "cochg",
  "msgvote",
  "dense",
  "pp",
  "exact",
] as const

export type Inputs = ReadonlyMap<string, Float64Array | number>
type Input = readonly [string, Float64Array | number]

type FeatureInput = {
  readonly query: Query
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
  readonly history: History | undefined
  readonly meaning: { readonly table: WordTable; readonly of: SemanticScores } | undefined
}

export type Features = {
  readonly raw: RawFeatures
  readonly inputs: Inputs
  readonly words: WordScores
}

export function measureFeatures(input: FeatureInput): Features {
  const { corpus, query, history, meaning } = input
  const words = scoreWords({ ...input, table: meaning?.table })
  const strengths = shareOfLargest(words.bm25f)
  const best = orderOf(words.bm25f)
  const raw: RawFeatures = {
    ...wordColumns(words),
    ...scoreFolders(corpus, strengths, best),
    loglen: corpus.logLengths,
    depth: corpus.depths,
    ...(history !== undefined && scorePast({ ...input, ...words, history, strengths, best })),
    ...(meaning !== undefined && {
      dense: scoreMeaning(queryVector(meaning.table, query), meaning.of),
      pp: meaning.of.priors,
    }),
  }
  return { raw, words, inputs: new Map([...scaled(raw), ...gates(input, words.bm25f, best)]) }
}

function wordColumns(words: WordScores): RawFeatures {
  const { bm25, bm25f, defs, path, base, cover, subj, exact } = words
  return { bm25, bm25f, defs, path, base, cover, subj, ...(exact !== undefined && { exact }) }
}

const BY_LARGEST: readonly RawName[] = [
  "bm25",
  "bm25f",
  "path",
  "defs",
  "base",
  "cover",
  "subj",
  "dir",
  "dirmax",
  "hist",
  "touch",
  "cochg",
  "msgvote",
  "exact",
]
const BY_RANK: readonly RawName[] = ["bm25f", "exact", "dense", "hist", "msgvote"]

function scaled(raw: RawFeatures): readonly Input[] {
  const columns = (names: readonly RawName[], scale: (values: Float64Array) => Float64Array) =>
    names.flatMap((name) => {
      const values = raw[name]
      return values === undefined ? [] : [[name, scale(values)] as const]
    })
  return [
    ...columns(BY_LARGEST, shareOfLargest),
    ...columns(BY_RANK, rankShares).map(([name, values]) => [`rr_${name}`, values] as const),
    ...columns(["loglen"], (values) => around(mean(values), 2)(values)),
    ...columns(["depth"], (values) => around(mean(values), 3)(values)),
    ...columns(["pp"], (values) => values.map((it) => Math.min(3, Math.max(-3, it)))),
    ...(raw.dense === undefined ? [] : denseInputs(raw.dense)),
  ]
}

function around(middle: number, width: number) {
  return (values: Float64Array) => values.map((it) => (it - middle) / width)
}

function denseInputs(dense: Float64Array): readonly Input[] {
  const middle = mean(dense)
  const spread = Math.sqrt(mean(dense.map((it) => (it - middle) ** 2)))
  return [
    ["dense", around(middle, (spread + 1e-6) * 4)(dense)],
    ["densem", around(largest(dense), 1)(dense)],
    ["densec", dense],
  ]
}

function gates(
  { corpus, query, history }: FeatureInput,
  bm25f: Float64Array,
  best: Int32Array,
): readonly Input[] {
  const valueAt = (rank: number) => bm25f[best[Math.min(rank, corpus.size - 1)] ?? 0] ?? 0
  const peak = valueAt(9) / (valueAt(0) + 1e-9)
  return [
    ["g_logN", (Math.log(corpus.size) - 6) / 2],
    ["g_qlen", (Math.min(query.terms.length, 40) - 12) / 12],
    ["g_peak", (peak - 0.6) * 2],
    ...(history === undefined ? [] : [["g_hcov", history.coverage] as const]),
  ]
}

const SPEAKERS = 30

function scoreFolders(
  corpus: Corpus,
  strengths: Float64Array,
  best: Int32Array,
): { readonly dir: Float64Array; readonly dirmax: Float64Array } {
  return { dir: together(corpus, strengths), dirmax: bestNeighbour(corpus, strengths, best) }
}

function together({ folders, folderSizes }: Corpus, strengths: Float64Array): Float64Array {
  const sums = new Float64Array(folderSizes.length)
  for (let at = 0; at < strengths.length; at++) {
    const folder = folders[at] ?? 0
    sums[folder] = (sums[folder] ?? 0) + (strengths[at] ?? 0) ** 2
  }
  return strengths.map((own, at) => {
    const folder = folders[at] ?? 0
    const others = Math.max((sums[folder] ?? 0) - own ** 2, 0)
    return Math.sqrt(others / Math.max((folderSizes[folder] ?? 0) - 1, 1))
  })
}

function bestNeighbour(
  { folders, folderSizes }: Corpus,
  strengths: Float64Array,
  best: Int32Array,
): Float64Array {
  const first = new Float64Array(folderSizes.length)
  const second = new Float64Array(folderSizes.length)
  for (const at of best.subarray(0, SPEAKERS)) {
    const folder = folders[at] ?? 0
    const own = strengths[at] ?? 0
    if (own > (first[folder] ?? 0)) {
      second[folder] = first[folder] ?? 0
      first[folder] = own
    } else if (own > (second[folder] ?? 0)) second[folder] = own
  }
  return strengths.map((own, at) => {
    const folder = folders[at] ?? 0
    return (own >= (first[folder] ?? 0) ? second[folder] : first[folder]) ?? 0
  })
}
