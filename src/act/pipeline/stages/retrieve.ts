import { compareText, isAppError, plural } from "#ground/base"
import type { KbBy, KbParagraph, KbSearchResult } from "#ground/contract"
import type { PriorAnswer, StageInput, StageWork } from "../stage.ts"
import { LONGEST_SEARCH_CHARACTERS, MOST_HITS } from "./limits.ts"
import {
  answeredBefore,
  findOutput,
  Plan,
  type RetrievedParagraph,
  type SubQuery,
} from "./outputs.ts"
import type { StagePorts } from "./ports.ts"

/** Maximum share of paragraphs from a prior answer, so that there is room for new ones. */
const PRIOR_SHARE = 0.5

const MOST_HOP_STARTS = 8

/** Extra results per search, so that overlapping sub-queries still fill the depth. */
const SPARE_HITS = 4

type Ports = Pick<StagePorts, "knowledge">

/** Stored with the run, so that citations refer to the text as it was found. */
type FoundParagraph = Pick<KbParagraph, "id" | "title" | "citation" | "text" | "tier">
type Search = { readonly hits: readonly FoundParagraph[]; readonly by: KbBy | null }

export function retrieveStage(ports: Ports): StageWork {
  return async (input) => {
    const plan = findOutput(input.outputs, Plan)?.subQueries ?? [asPlan(input.query)]
    const subQueries = plan.slice(0, input.depth.subQueries)
    const { answered, sections } = answeredBefore(
      subQueries.map((it) => it.question),
      input.prior,
    )
    const prior = await priorParagraphs(input, sections, ports)
    const searches = await searchAll(input, subQueries, { answered, ports })
    const hops = await followReferences(input, searches, ports)
    const lists: readonly RankedList<FoundParagraph>[] = [
      { items: prior, isPrior: true, by: [] },
      ...searches.map(({ hits, number }) => ({ items: hits, isPrior: false, by: [number] })),
      { items: hops, isPrior: false, by: [] },
    ]
    const paragraphs = fuse(lists, input.depth.paragraphs)
    const notFound = searches.filter((it) => it.hits.length === 0).map((it) => it.question)
    const by = searches.find((it) => it.by !== null)?.by ?? null
    const output = { paragraphs, answered, notFound, by }
    if (paragraphs.length > 0) return { output, summary: summaryOf(paragraphs, answered.length) }
    const problem = nothingFor(subQueries.length)
    // A new search would find nothing more; the user has to add documents.
    return { output, summary: problem, failed: { problems: [problem], feedback: "" } }
  }
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
    answered > 0 ? `${answered} sub-queries answered by the earlier run` : "",
  ]
  return parts.filter((it) => it !== "").join(", ")
}

async function priorParagraphs(
  input: StageInput,
  sections: PriorAnswer["sections"],
  ports: Ports,
): Promise<readonly FoundParagraph[]> {
  const all = [...new Set(sections.flatMap((it) => it.paragraphs))]
  const ids = all.slice(0, Math.ceil(input.depth.paragraphs * PRIOR_SHARE))
  if (ids.length === 0) return []
  const title = `${plural(ids.length, "paragraph")} of the answer of ${input.prior?.run}`
  return reading(input, { key: "prior", tool: "Prior Research", title }, async () => {
    const paragraphs = await ports.knowledge.paragraphs(ids)
    return { hits: paragraphs.map(storedParagraph), by: null }
  }).then((it) => it.hits)
}

type SubQuerySearch = {
  readonly answered: readonly { readonly question: string }[]
  readonly ports: Ports
}

async function searchAll(input: StageInput, plan: readonly SubQuery[], prior: SubQuerySearch) {
  const answered = new Set(prior.answered.map((it) => it.question))
  const share = Math.ceil(input.depth.paragraphs / plan.length)
  const limit = Math.min(share + SPARE_HITS, MOST_HITS)
  const searches: (Search & { readonly question: string; readonly number: number })[] = []
  for (const [index, { question }] of plan.entries()) {
    if (answered.has(question)) continue
    const number = index + 1
    const step = { key: `kb:${number}`, tool: "Knowledge Base Search", title: question }
    const query = { query: question.slice(0, LONGEST_SEARCH_CHARACTERS), limit, hops: 0 }
    const search = await reading(input, step, (signal) =>
      prior.ports.knowledge.search(query, { signal }).then(keptAll),
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
    knowledge.hop({ paragraphs, depth: 1, limit }).then(keptAll),
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

const keptAll = (result: KbSearchResult): Search => ({
  hits: result.hits.map((it) => storedParagraph(it.paragraph)),
  by: result.by,
})

function storedParagraph({ id, title, citation, text, tier }: KbParagraph): FoundParagraph {
  return { id, title, citation, text, tier }
}

export type RankedList<Item> = {
  readonly items: readonly Item[]
  readonly isPrior: boolean
  readonly by: readonly number[]
}

type FusedItem<Item> = Item & { score: number; by: number[]; isPrior: boolean }

/** The usual constant of reciprocal rank fusion. */
const DAMPING = 60

/**
 * Reciprocal rank fusion; paragraphs of the prior answer come first, because the new answer builds
 * on them.
 */
export function fuse<Item extends { readonly id: string }>(
  lists: readonly RankedList<Item>[],
  most: number,
): readonly FusedItem<Item>[] {
  const byId = new Map<string, { item: Item; ranks: number[]; by: number[]; isPrior: boolean }>()
  for (const { items, isPrior, by } of lists) {
    for (const [rank, item] of items.entries()) {
      const entry = byId.get(item.id) ?? { item, ranks: [], by: [], isPrior: false }
      entry.ranks.push(rank)
      entry.by = [...new Set([...entry.by, ...by])]
      entry.isPrior ||= isPrior
      byId.set(item.id, entry)
    }
  }
  const fused = [...byId.values()].map(({ item, ranks, by, isPrior }) => {
    // Floating-point sums depend on the order of their terms; sorted, equal ranks give equal scores.
    const terms = ranks.toSorted((one, other) => one - other).map((it) => 1 / (DAMPING + it + 1))
    return { ...item, score: terms.reduce((sum, it) => sum + it, 0), by, isPrior }
  })
  const best = fused.toSorted(
    (one, other) =>
      Number(other.isPrior) - Number(one.isPrior) ||
      other.score - one.score ||
      compareText(one.id, other.id),
  )
  return best.slice(0, most)
}

/** Our own error message, or a generic text for an unexpected error. */
export function whyFailed(error: unknown): string {
  if (isAppError(error)) return error.message
  return error instanceof Error ? error.message : "It failed without an error message."
}
