import type { PostingsOf } from "../postings.ts"
import type { Corpus } from "../ranker/corpus.ts"
import { orderOf } from "../ranker/order.ts"
import {
  clearMatches,
  countFiles,
  createTermMatches,
  findTerm,
  rarityOf,
  type TermMatches,
} from "../ranker/term-matches.ts"
import type { IssueTask, Zone } from "./parse-issue.ts"
import { ZONES } from "./parse-issue.ts"

/** By position; the names are those of the trained inputs. */
export type ZoneScores = Readonly<
  Record<
    "zk" | "z_title" | "z_inline" | "z_prose" | "zdef" | "zpath" | "zbase" | "zcov",
    Float64Array
  >
>

const ZONE_WEIGHTS: Readonly<Record<Zone, number>> = {
  title: 2,
  inline: 1.2,
  prose: 1,
  code: 0.35,
  trace: 0.25,
}

const BEST_TERMS = 25

/** A log has thousands of words; those of the title and the prose come first. */
const MOST_ZONE_TERMS = 1_024

export function zoneTerms({ zones }: IssueTask): readonly string[] {
  const terms = new Set(ZONES.flatMap((zone) => [...zones[zone].keys()]))
  return [...terms].slice(0, MOST_ZONE_TERMS)
}

export function scoreZones(
  issue: IssueTask,
  { corpus, postingsOf }: { readonly corpus: Corpus; readonly postingsOf: PostingsOf },
): ZoneScores {
  const terms = zoneTerms(issue)
  const columns = createColumns(corpus.size)
  const matches = createTermMatches(corpus.size)
  const importance = new Float64Array(terms.length)
  for (const [index, word] of terms.entries()) {
    findTerm(matches, corpus, { word, row: postingsOf(word) })
    const weights = weightsOf(issue, word)
    const counts = countFiles(matches)
    const anyRarity = rarityOf(counts.any, corpus.size)
    importance[index] = weights.all * anyRarity
    addTerm(columns, corpus, {
      matches,
      weights,
      importance: weights.all * anyRarity,
      anyRarity,
      definitionRarity: rarityOf(counts.defs, corpus.size),
      textRarity: rarityOf(counts.text, corpus.size),
      pathRarity: Math.log(1 + corpus.size / Math.max(counts.path, 1)),
    })
    clearMatches(matches)
  }
  addBestTerms(columns.zk, { corpus, postingsOf, matches, terms, importance })
  return finish(columns, corpus, importance)
}

type Columns = Record<keyof ZoneScores, Float64Array>

function createColumns(size: number): Columns {
  const column = () => new Float64Array(size)
  return {
    zk: column(),
    z_title: column(),
    z_inline: column(),
    z_prose: column(),
    zdef: column(),
    zpath: column(),
    zbase: column(),
    zcov: column(),
  }
}

type TermWeights = Readonly<Record<"all" | "title" | "inline" | "prose", number>>

function weightsOf({ zones }: IssueTask, word: string): TermWeights {
  const inZone = (zone: Zone) => Math.sqrt(Math.min(zones[zone].get(word) ?? 0, 3))
  return {
    all: ZONES.reduce((sum, zone) => sum + ZONE_WEIGHTS[zone] * inZone(zone), 0),
    title: inZone("title"),
    inline: inZone("inline"),
    prose: inZone("prose"),
  }
}

type FoundTerm = {
  readonly matches: TermMatches
  readonly weights: TermWeights
  readonly importance: number
  readonly anyRarity: number
  readonly definitionRarity: number
  readonly textRarity: number
  readonly pathRarity: number
}

function addTerm(columns: Columns, corpus: Corpus, term: FoundTerm): void {
  const { matches, weights, anyRarity } = term
  for (let index = 0; index < matches.count; index++) {
    const at = matches.positions[index] ?? 0
    const path = matches.path[at] ?? 0
    const definitions = matches.defs[at] ?? 0
    const inAny = anyRarity * anyStrength(matches, corpus, at)
    raise(columns.z_title, at, inAny * weights.title)
    raise(columns.z_inline, at, inAny * weights.inline)
    raise(columns.z_prose, at, inAny * weights.prose)
    if (definitions > 0) {
      const strength = (definitions * 2.2) / (definitions + (corpus.dampers.defs[at] ?? 0))
      raise(columns.zdef, at, strength * term.definitionRarity * weights.all)
    }
    if (path > 0) raise(columns.zpath, at, path * term.pathRarity * weights.all)
    if (matches.isBase[at] === 1) raise(columns.zbase, at, term.textRarity * weights.all)
    if (path > 0 || (matches.body[at] ?? 0) > 0) raise(columns.zcov, at, term.importance)
  }
}

function anyStrength(matches: TermMatches, corpus: Corpus, at: number): number {
  const path = matches.path[at] ?? 0
  const any = (matches.body[at] ?? 0) + path + 3 * (matches.defs[at] ?? 0) + 5 * path
  return (any * 2.2) / (any + (corpus.dampers.bm25f[at] ?? 0))
}

function raise(column: Float64Array, at: number, value: number): void {
  column[at] = (column[at] ?? 0) + value
}

type BestTerms = {
  readonly corpus: Corpus
  readonly postingsOf: PostingsOf
  readonly matches: TermMatches
  readonly terms: readonly string[]
  readonly importance: Float64Array
}

function addBestTerms(zk: Float64Array, input: BestTerms): void {
  const { corpus, postingsOf, matches, terms, importance } = input
  for (const index of orderOf(importance).subarray(0, BEST_TERMS)) {
    const word = terms[index] ?? ""
    findTerm(matches, corpus, { word, row: postingsOf(word) })
    for (let listed = 0; listed < matches.count; listed++) {
      const at = matches.positions[listed] ?? 0
      raise(zk, at, anyStrength(matches, corpus, at) * (importance[index] ?? 0))
    }
    clearMatches(matches)
  }
}

function finish(columns: Columns, corpus: Corpus, importance: Float64Array): ZoneScores {
  const whole = Math.max(
    importance.reduce((sum, it) => sum + it, 0),
    1e-9,
  )
  const { pathTermCounts, baseTermCounts } = corpus
  return {
    ...columns,
    zpath: columns.zpath.map((it, at) => it / Math.sqrt(1 + (pathTermCounts[at] ?? 0))),
    zbase: columns.zbase.map((it, at) => it / Math.sqrt(Math.max(1, baseTermCounts[at] ?? 0))),
    zcov: columns.zcov.map((it) => it / whole),
  }
}
