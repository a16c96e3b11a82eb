import path from "node:path"
import { offlineBrain } from "#act/pipeline"
import type { ScriptedBrain } from "#ground/model"
import type { KnowledgeDeps } from "#know/knowledge"
import { HARBOUR } from "#test/handbook"
import { newResearch } from "#test/research"
import {
  DEFINED_QUESTIONS,
  LATER_QUESTIONS,
  type LabelledQuestion,
  QUESTIONS,
} from "../../bench/research/questions.ts"
import { RERANKERS } from "./rerank.ts"

const NORTHGATE = path.join(import.meta.dirname, "../../bench/research/corpus/northgate")

const CORPORA = [
  { name: "harbour", folder: HARBOUR, questions: QUESTIONS.harbour },
  { name: "northgate", folder: NORTHGATE, questions: QUESTIONS.northgate },
] as const

/** A corpus with a glossary; only searched. */
const LENDING = path.join(import.meta.dirname, "../../bench/research/corpus/lending")

type CorpusName = (typeof CORPORA)[number]["name"] | "lending"

export type SearchRow = LabelledQuestion & {
  readonly corpus: CorpusName
  /** Rank of the last decisive paragraph, from 1; undefined if one is not among 20. */
  readonly rank: number | undefined
}

export type RunRow = LabelledQuestion & {
  readonly corpus: CorpusName
  readonly fresh: RunResult
  readonly followUp: RunResult
}

type RunResult = {
  readonly cited: number
  readonly isVerified: boolean
  /** References of the document that lead to a paragraph with the same citation. */
  readonly references: number
  readonly right: number
}

type Research = Awaited<ReturnType<typeof newResearch>>

const MOST_RANKED = 20

/** No word has a vector: abbreviations, other forms and the order of tiers remain. */
const NO_VECTORS = { dimensions: 1, rowByWord: new Map(), vectors: new Int8Array() }

/** Parts of the search, from words alone to all of them. */
export const VARIANTS = [
  { name: "words", vectors: async () => undefined, hops: 0 },
  { name: "words, hops", vectors: async () => undefined, hops: 1 },
  { name: "words, abbreviations, rules first", vectors: async () => NO_VECTORS, synonyms: false },
  { name: "… and synonyms of the corpus", vectors: async () => NO_VECTORS },
  { name: "… and related words, without synonyms", synonyms: false },
  { name: "… and related words, with synonyms" },
  { name: "… and hops, without synonyms", synonyms: false, hops: 1 },
  { name: "… and hops, with synonyms (as shipped)", hops: 1 },
  { name: "as shipped, reranked by covered words", hops: 1, rerank: "coverage" },
  { name: "as shipped, reranked by mean vectors", hops: 1, rerank: "cosine" },
] as const satisfies readonly Variant[]

type Variant = {
  readonly name: string
  readonly vectors?: KnowledgeDeps["wordVectors"]
  readonly synonyms?: boolean
  readonly hops?: number
  readonly rerank?: keyof typeof RERANKERS
}

/** The 60 questions; 20 that were written later; 20 whose words the corpus itself defines. */
export type QuestionSet = "labelled" | "later" | "defined"

/** Only the search: where are the decisive paragraphs among 20? */
export async function evaluateSearch(
  variant: Variant,
  set: QuestionSet,
): Promise<readonly SearchRow[]> {
  const rows: SearchRow[] = []
  for (const { name, folder, questions } of searched(set)) {
    const { vectors: wordVectors, synonyms = true, hops = 0, rerank } = variant
    await using room = await newResearch({
      corpus: folder,
      knowledge: { synonyms, ...(wordVectors === undefined ? {} : { wordVectors }) },
    })
    for (const it of questions) {
      const { hits } = await room.knowledge.search({ query: it.question, limit: MOST_RANKED, hops })
      const ordered = rerank === undefined ? hits : await RERANKERS[rerank](it.question, hits)
      const citations = ordered.map((hit) => hit.paragraph.citation)
      const ranks = it.decisive.map((citation) => citations.indexOf(citation) + 1)
      const rank = ranks.includes(0) ? undefined : Math.max(...ranks)
      rows.push({ ...it, corpus: name, rank })
    }
  }
  return rows
}

function searched(set: QuestionSet) {
  if (set === "defined") {
    return [{ name: "lending" as const, folder: LENDING, questions: DEFINED_QUESTIONS }]
  }
  if (set === "labelled") return CORPORA
  return CORPORA.map((it) => ({ ...it, questions: LATER_QUESTIONS[it.name] }))
}

/** The whole pipeline, each question in a new session and after another one. */
export async function evaluateRuns(model: "offline" | "reader"): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for (const { name, folder, questions } of CORPORA) {
    let decisive: readonly string[] = []
    const reader = readerBrain(() => decisive)
    const brain = model === "offline" ? offlineBrain : reader
    await using room = await newResearch({ corpus: folder, brain })
    for (const it of questions) {
      const ask = async (question: string, session: string) => {
        const run = await room.goes(question, { session, depth: "standard" })
        return resultOf(run.id, it, room)
      }
      decisive = it.decisive
      const fresh = await ask(it.question, `fresh-${it.id}`)
      await ask(it.after, `follow-${it.id}`)
      const followUp = await ask(it.question, `follow-${it.id}`)
      rows.push({ ...it, corpus: name, fresh, followUp })
    }
  }
  return rows
}

async function resultOf(
  run: string,
  { decisive }: LabelledQuestion,
  room: Research,
): Promise<RunResult> {
  const { references } = await room.document(run)
  const { stages } = await room.show(run).then((it) => it.run)
  const citations = references.map((it) => it.citation)
  const ids = references.flatMap((it) => it.paragraph ?? [])
  const paragraphs = new Map((await room.knowledge.paragraphs(ids)).map((it) => [it.id, it]))
  const right = references.filter(
    (it) => paragraphs.get(it.paragraph ?? "")?.citation === it.citation,
  )
  return {
    cited: decisive.filter((it) => citations.includes(it)).length,
    isVerified: stages.find((it) => it.name === "verify")?.summary?.startsWith("passed") ?? false,
    references: references.length,
    right: right.length,
  }
}

/**
 * A model that reads everything it is given: it copies the decisive paragraphs if they are in its
 * context, and otherwise the first two. So it measures what the stages before it found.
 */
function readerBrain(decisive: () => readonly string[]): ScriptedBrain {
  return async (ask) => {
    const properties = JSON.stringify(ask.schema ?? {})
    if (!properties.includes("shortAnswer")) return offlineBrain(ask)
    const all = [...ask.prompt.matchAll(PARAGRAPH)].map(
      ([, label = "", citation = "", text = ""]) => ({
        label,
        citation: plain(citation),
        text: plain(text),
      }),
    )
    const answers = all.filter((it) => decisive().includes(it.citation))
    const chosen = answers.length > 0 ? answers : all.slice(0, 2)
    const sections = chosen.map(({ label, citation, text }) => ({
      title: citation,
      text: `${text.replace(/^[\d.]+\s+/, "").replaceAll("\n", " ")} [${label}]`,
    }))
    return { text: JSON.stringify({ title: "", shortAnswer: "", keyPoints: [], sections }) }
  }
}

const PARAGRAPH =
  /<paragraph label="(P\d+)" id="[^"]*" citation="([^"]*)"[^>]*>([^<]*)<\/paragraph>/g

function plain(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
}
