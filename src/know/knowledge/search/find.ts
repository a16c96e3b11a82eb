import type { KbBy, KbHit, KbTier } from "#ground/contract"
import { type Library, type StoredParagraph, shownParagraph } from "../library.ts"
import { type Graph, type Step, walkGraph } from "../references/reference-graph.ts"
import type { Expansion } from "./word-index.ts"

const FUSION_RANKS = 60

const MOST_RANKED = 200

type Question = {
  readonly query: string
  readonly limit: number
  readonly tier: KbTier | undefined
  readonly hops: number
}

export type ByMeaning = { readonly by: KbBy; readonly ranked: readonly StoredParagraph[] }

type SearchMeans = {
  readonly graph: () => Graph
  readonly meaning: ByMeaning
  readonly expansion: Expansion | undefined
}

/** A guide explains a rule in the words of a question; the rule itself is cited. */
const GUIDE_SHARE = 0.85

export function findParagraphs(
  question: Question,
  library: Library,
  { graph, meaning, expansion }: SearchMeans,
): readonly KbHit[] {
  const ranked = rankAll(question, library, { similar: meaning.ranked, expansion })
  const { query, limit, hops } = question
  const chosen = hops === 0 ? ranked.slice(0, limit) : followed(question, ranked, graph())
  return chosen.map(({ paragraph, ...it }) => ({
    paragraph: shownParagraph(paragraph),
    ...it,
    matched: [...library.words.matched(query, paragraph.number)],
  }))
}

type RankedParagraph = Pick<KbHit, "score" | "words" | "meaning" | "hop"> & {
  readonly paragraph: StoredParagraph
}

function rankAll(
  { query, tier }: Question,
  library: Library,
  { similar: byMeaning, expansion }: RankMeans,
): readonly RankedParagraph[] {
  const isWanted = (it: StoredParagraph) => tier === undefined || it.document.tier === tier
  const scored = library.words
    .search(query, expansion)
    .flatMap(({ number, score }) => {
      const paragraph = library.paragraphs[number]
      return paragraph === undefined || !isWanted(paragraph) ? [] : [{ paragraph, score }]
    })
    .slice(0, MOST_RANKED)
  const words = expansion === undefined ? scored : rulesFirst(scored)
  const similar = byMeaning.filter(isWanted).slice(0, MOST_RANKED)
  return similar.length === 0 ? byWordsAlone(words) : fuse(words.map(paragraphOf), similar)
}

type ScoredParagraph = { readonly paragraph: StoredParagraph; readonly score: number }

type RankMeans = {
  readonly similar: readonly StoredParagraph[]
  readonly expansion: Expansion | undefined
}

function rulesFirst(words: readonly ScoredParagraph[]): readonly ScoredParagraph[] {
  return words
    .map((it) =>
      it.paragraph.document.tier === "guide" ? { ...it, score: it.score * GUIDE_SHARE } : it,
    )
    .toSorted((a, b) => b.score - a.score || a.paragraph.number - b.paragraph.number)
}

function paragraphOf({ paragraph }: ScoredParagraph): StoredParagraph {
  return paragraph
}

function byWordsAlone(words: readonly ScoredParagraph[]): readonly RankedParagraph[] {
  const best = words[0]?.score ?? 1
  return words.map(({ paragraph, score }, at) => ({
    paragraph,
    score: score / best,
    words: at + 1,
    meaning: null,
    hop: null,
  }))
}

/** By reciprocal rank, because scores of two kinds are not comparable. */
function fuse(
  words: readonly StoredParagraph[],
  similar: readonly StoredParagraph[],
): readonly RankedParagraph[] {
  const rankIn = (list: readonly StoredParagraph[]) =>
    new Map(list.map((it, at) => [it.id, at + 1]))
  const [byWords, byMeaning] = [rankIn(words), rankIn(similar)]
  const best = 2 / (FUSION_RANKS + 1)
  const all = new Map([...words, ...similar].map((it) => [it.id, it]))
  const ranked = [...all.values()].map((paragraph) => {
    const places = {
      words: byWords.get(paragraph.id) ?? null,
      meaning: byMeaning.get(paragraph.id) ?? null,
    }
    const sum = shareOf(places.words) + shareOf(places.meaning)
    return { paragraph, score: sum / best, ...places, hop: null }
  })
  return ranked.toSorted(byScore)
}

function shareOf(rank: number | null): number {
  return rank === null ? 0 : 1 / (FUSION_RANKS + rank)
}

function byScore(a: RankedParagraph, b: RankedParagraph): number {
  return b.score - a.score || a.paragraph.number - b.paragraph.number
}

/**
 * A third of the places is for referenced paragraphs. A paragraph that is also found directly keeps its rank and
 * score.
 */
function followed(
  { limit, hops, tier }: Question,
  ranked: readonly RankedParagraph[],
  graph: Graph,
): readonly RankedParagraph[] {
  const reserved = limit === 1 ? 0 : Math.ceil(limit / 3)
  const best = ranked.slice(0, limit - reserved)
  const starts = best.map(({ paragraph, score }) => ({ paragraph, weight: score }))
  const own = new Map(ranked.map((it) => [it.paragraph.id, it]))
  const reached = walkGraph(graph, starts, { depth: hops, most: 10 * limit })
    .filter((it) => tier === undefined || it.to.document.tier === tier)
    .map((it) => rankedStep(it, own.get(it.to.id)))
    .toSorted(byScore)
    .slice(0, limit - best.length)
  const usedIds = new Set([...best, ...reached].map((it) => it.paragraph.id))
  const others = ranked.filter((it) => !usedIds.has(it.paragraph.id))
  return [...best, ...reached, ...others].slice(0, limit).toSorted(byScore)
}

function rankedStep(
  { to, from, kind, depth, weight }: Step,
  own: RankedParagraph | undefined,
): RankedParagraph {
  return {
    paragraph: to,
    score: Math.max(weight, own?.score ?? 0),
    words: own?.words ?? null,
    meaning: own?.meaning ?? null,
    hop: { from: from.id, kind, depth },
  }
}

export function hitOfStep(step: Step): KbHit {
  const { paragraph, ...it } = rankedStep(step, undefined)
  return { paragraph: shownParagraph(paragraph), ...it, matched: [] }
}
