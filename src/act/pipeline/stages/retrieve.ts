import { compareText, isAppError, plural } from "#ground/base"
import type { DepthConfig, KbBy, KbParagraph, KbSearchResult } from "#ground/contract"
import type { PriorAnswer, StageInput, StageWork } from "../stage.ts"
import { formatCitation } from "./document/citation-format.ts"
import { LONGEST_SEARCH_CHARACTERS, MOST_HITS } from "./limits.ts"
import {
  findOutput,
  Plan,
  type RetrievedParagraph,
  relatedSections,
  type SubQuery,
} from "./outputs.ts"
import type { StagePorts } from "./ports.ts"

const MOST_HOP_STARTS = 8

/** Their texts are stored with the run. */
const MOST_STORED = 200

type Ports = Pick<StagePorts, "knowledge">

/** Stored with the run, so that citations refer to the text as it was found. */
type FoundParagraph = Pick<KbParagraph, "id" | "title" | "citation" | "text" | "tier">
type Search = { readonly hits: readonly FoundParagraph[]; readonly by: KbBy | null }

/**
 * Every sub-query is searched, also after an earlier run: its sections tell which paragraphs are
 * known, but only a search tells which are missing.
 */
export function retrieveStage(ports: Ports): StageWork {
  return async (input) => {
    const plan = findOutput(input.outputs, Plan)?.subQueries ?? [asPlan(input.query)]
    const subQueries = plan.slice(0, input.depth.subQueries)
    const searches = await searchAll(input, subQueries, ports)
    const hops = await followReferences(input, searches, ports)
    const most = mostParagraphs(input.depth, subQueries.length)
    const fused = decisiveFirst(
      fuse([
        ...searches.map(({ hits, number }) => ({ items: hits, by: [number] })),
        { items: hops, by: [] },
      ]),
      searches,
    ).slice(0, most)
    const cited = new Set(input.prior?.sections.flatMap((it) => it.paragraphs))
    const paragraphs = [
      ...fused.map((it) => ({ ...it, isPrior: cited.has(it.id) })),
      ...(await priorParagraphs(input, { results: fused, most }, ports)),
    ]
    const answered = searches
      .filter(({ hits }) => isCovered(hits, cited))
      .map(({ question, hits }) => ({ question, section: sectionOf(hits, input.prior) }))
    const notFound = searches.filter((it) => it.hits.length === 0).map((it) => it.question)
    const by = searches.find((it) => it.by !== null)?.by ?? null
    const output = { paragraphs, answered, notFound, by }
    if (paragraphs.length > 0) return { output, summary: summaryOf(paragraphs, answered.length) }
    const problem = nothingFor(subQueries.length)
    // A new search would find nothing more; the user has to add documents.
    return { output, summary: problem, failed: { problems: [problem], feedback: "" } }
  }
}

/** The best paragraphs for a part: if the earlier answer cites all of them, it has answered it. */
const DECISIVE_HITS = 3

function isCovered(hits: readonly FoundParagraph[], cited: ReadonlySet<string>): boolean {
  return hits.length > 0 && hits.slice(0, DECISIVE_HITS).every((it) => cited.has(it.id))
}

function sectionOf(hits: readonly FoundParagraph[], prior: PriorAnswer | undefined): string {
  const best = hits[0]?.id ?? ""
  return prior?.sections.find((it) => it.paragraphs.includes(best))?.title ?? ""
}

/** Best hits of each sub-query that precede all others. */
const FIRST_HITS = 2

/**
 * A paragraph that only one sub-query finds can be the answer to it, but would come after those
 * that every sub-query finds a little.
 */
function decisiveFirst<Item extends { readonly id: string }>(
  fused: readonly Item[],
  searches: readonly Search[],
): readonly Item[] {
  const best = new Set(searches.flatMap((it) => it.hits.slice(0, FIRST_HITS)).map((it) => it.id))
  const byId = new Map(fused.map((it) => [it.id, it]))
  const first = [...best].flatMap((id) => byId.get(id) ?? [])
  return [...first, ...fused.filter((it) => !best.has(it.id))]
}

const asPlan = (question: string): SubQuery => ({ question, why: "", target: "" })

function nothingFor(queries: number): string {
  const what = queries === 1 ? "the question" : `any of the ${queries} sub-queries`
  return `The knowledge base has nothing for ${what}; add documents with \`qm kb add docs\``
}

function summaryOf(
  paragraphs: readonly Pick<RetrievedParagraph, "by" | "isPrior">[],
  answered: number,
) {
  const reached = paragraphs.filter((it) => it.by.length === 0 && !it.isPrior).length
  const parts = [
    plural(paragraphs.length, "paragraph"),
    reached > 0 ? `${reached} of them reached by references` : "",
    answered > 0
      ? `${plural(answered, "sub-query", "sub-queries")} already answered by the earlier run`
      : "",
  ]
  return parts.filter((it) => it !== "").join(", ")
}

/**
 * Further paragraphs of the earlier sections that share one with the new results. They fill what
 * the searches left free, so that a follow-up never knows less than a new run.
 */
async function priorParagraphs(
  input: StageInput,
  {
    results,
    most,
  }: { readonly results: readonly { readonly id: string }[]; readonly most: number },
  ports: Ports,
): Promise<readonly RetrievedParagraph[]> {
  const resultIds = new Set(results.map((it) => it.id))
  const sections = relatedSections(input.prior, resultIds)
  const others = new Set(sections.flatMap((it) => it.paragraphs).filter((it) => !resultIds.has(it)))
  const ids = [...others].slice(0, Math.max(0, most - results.length))
  if (ids.length === 0) return []
  const title = `${plural(ids.length, "paragraph")} of the answer of ${input.prior?.run}`
  const { hits } = await reading(
    input,
    { key: "prior", tool: "Prior Research", title },
    async () => {
      const paragraphs = await ports.knowledge.paragraphs(ids)
      return { hits: paragraphs.map((it) => storedParagraph(it, input)), by: null }
    },
  )
  return hits.map((it) => ({ ...it, score: 0, by: [], isPrior: true }))
}

async function searchAll(input: StageInput, plan: readonly SubQuery[], { knowledge }: Ports) {
  const limit = Math.min(input.depth.paragraphs, MOST_HITS)
  const searches: (Search & { readonly question: string; readonly number: number })[] = []
  for (const [index, { question }] of plan.entries()) {
    const number = index + 1
    const step = { key: `kb:${number}`, tool: "Knowledge Base Search", title: question }
    const query = { query: question.slice(0, LONGEST_SEARCH_CHARACTERS), limit, hops: 0 }
    const search = await reading(input, step, (signal) =>
      knowledge.search(query, { signal }).then((it) => keptAll(it, input)),
    )
    searches.push({ ...search, question, number })
  }
  return searches
}

async function followReferences(
  input: StageInput,
  searches: readonly Search[],
  { knowledge }: Ports,
): Promise<readonly FoundParagraph[]> {
  const best = searches.flatMap((it) => it.hits.slice(0, 2)).map((it) => it.id)
  const paragraphs = [...new Set(best)].slice(0, MOST_HOP_STARTS)
  if (paragraphs.length === 0) return []
  const title = `references of the best ${plural(paragraphs.length, "paragraph")}`
  const limit = Math.min(input.depth.paragraphs, MOST_HITS)
  const step = { key: "hops", tool: "Deep Retrieval", title }
  const search = await reading(input, step, () =>
    knowledge.hop({ paragraphs, depth: 1, limit }).then((it) => keptAll(it, input)),
  )
  return search.hits
}

type Step = { readonly key: string; readonly tool: string; readonly title: string }

/** A failed search leaves a failed step and no results; the others continue. */
function reading(
  input: StageInput,
  step: Step,
  read: (signal: AbortSignal) => Promise<Search>,
): Promise<Search> {
  const { key, ...label } = step
  const needs = { kind: "knowledge" } as const
  return input.effects.step(key, { ...label, kind: "search", needs }, async (signal) => {
    try {
      const result = await read(signal)
      return { result, detail: detailOf(result) }
    } catch (error) {
      signal.throwIfAborted()
      return { result: { hits: [], by: null }, detail: whyFailed(error), outcome: "failed" }
    }
  })
}

function detailOf({ hits, by }: Search): string {
  const meaning = by?.meaning === null || by === null ? "" : `, by words and ${by.meaning}`
  return `${plural(hits.length, "paragraph")}${meaning}`
}

const keptAll = (result: KbSearchResult, input: StageInput): Search => ({
  hits: result.hits.map((it) => storedParagraph(it.paragraph, input)),
  by: result.by,
})

function storedParagraph(paragraph: KbParagraph, { settings }: StageInput): FoundParagraph {
  const { id, title, text, tier } = paragraph
  return { id, title, citation: formatCitation(paragraph, settings.citationFormat), text, tier }
}

/** Several sub-queries find the same paragraphs, so a run often has fewer. */
function mostParagraphs({ paragraphs, totalParagraphs }: DepthConfig, subQueries: number): number {
  return totalParagraphs ?? Math.min(paragraphs * subQueries, MOST_STORED)
}

export type RankedList<Item> = { readonly items: readonly Item[]; readonly by: readonly number[] }

type FusedItem<Item> = Item & { score: number; by: number[] }

/** The usual constant of reciprocal rank fusion. */
const DAMPING = 60

/** Reciprocal rank fusion. */
export function fuse<Item extends { readonly id: string }>(
  lists: readonly RankedList<Item>[],
  most = Number.POSITIVE_INFINITY,
): readonly FusedItem<Item>[] {
  const byId = new Map<string, { item: Item; ranks: number[]; by: number[] }>()
  for (const { items, by } of lists) {
    for (const [rank, item] of items.entries()) {
      const entry = byId.get(item.id) ?? { item, ranks: [], by: [] }
      entry.ranks.push(rank)
      entry.by = [...new Set([...entry.by, ...by])]
      byId.set(item.id, entry)
    }
  }
  const fused = [...byId.values()].map(({ item, ranks, by }) => {
    // Floating-point sums depend on the order of their terms; sorted, equal ranks give equal scores.
    const terms = ranks.toSorted((one, other) => one - other).map((it) => 1 / (DAMPING + it + 1))
    return { ...item, score: terms.reduce((sum, it) => sum + it, 0), by }
  })
  return fused
    .toSorted((one, other) => other.score - one.score || compareText(one.id, other.id))
    .slice(0, most)
}

/** Our own error message, or a generic text for an unexpected error. */
export function whyFailed(error: unknown): string {
  if (isAppError(error)) return error.message
  return error instanceof Error ? error.message : "It failed without an error message."
}
