import { truncate } from "#ground/base"
import type { PipelineLine } from "#ground/contract"
import type { PriorAnswer } from "../stage.ts"
import { Answer, findOutput } from "../stages/outputs.ts"
import type { RunResults } from "./summary.ts"

const LONGEST_SECTION_CHARACTERS = 20_000

const MOST_PRIOR_SECTIONS = 30

export type PriorCandidate = Pick<
  PipelineLine,
  "id" | "agent" | "session" | "query" | "endedAt" | "hasDocument"
>

/**
 * The newest run of the same session and recipe that shares a content word, else the newest of the
 * recipe that shares half of them. Only sections that answer a part of the new question are used
 * later.
 */
export function findPrior<Candidate extends PriorCandidate>(input: {
  readonly runs: readonly Candidate[]
  readonly session: string | null
  readonly agent: string
  readonly query: string
}): Candidate | undefined {
  const answered = input.runs
    .filter((it) => it.agent === input.agent && it.endedAt !== null && it.hasDocument)
    .toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
  const ofSession = answered.find(
    (it) => it.session !== null && it.session === input.session && isRelated(it.query, input.query),
  )
  return ofSession ?? answered.find((it) => isAlike(it.query, input.query))
}

/** A follow-up question repeats little of the first question, but at least one content word. */
function isRelated(earlier: string, query: string): boolean {
  return !contentWords(earlier).isDisjointFrom(contentWords(query))
}

/** One common word is a coincidence unless the question has only one. */
function isAlike(earlier: string, query: string): boolean {
  const before = contentWords(earlier)
  const shared = before.intersection(contentWords(query)).size
  return shared >= Math.min(2, before.size) && shared > 0 && shared >= before.size / 2
}

function contentWords(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]{3,}/gu) ?? []
  return new Set(words.filter((it) => !EMPTY_WORDS.has(it)))
}

const EMPTY_WORDS = new Set(
  `the and for are was were what which who whom whose when where why how does did has have had can
  could should would will shall may might must with without from into about that this these those
  there their they them our your you not any all its than then been being also please tell give
  more between after before under over`.split(/\s+/),
)

export function answerOf(results: RunResults): PriorAnswer {
  const answer = findOutput(results.outputs, Answer)
  const paragraphs = new Map(answer?.references.map((it) => [it.label, it.paragraph]))
  const sections = (answer?.sections ?? []).slice(0, MOST_PRIOR_SECTIONS).map((section) => {
    const cited = labelsIn(section.text).map((label) => paragraphs.get(label) ?? undefined)
    return {
      title: section.title,
      text: truncate(section.text, LONGEST_SECTION_CHARACTERS),
      paragraphs: cited.filter((it) => it !== undefined),
    }
  })
  return { run: results.run.id, query: results.run.query, sections }
}

function labelsIn(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(/\[([PW]\d{1,4})\]/g), (it) => it[1] ?? ""))]
}
