import type { KbVerification } from "#ground/contract"
import {
  type CitedParagraph,
  type Evidence,
  evidenceFor,
  type Failure,
  type ReadAnswer,
  readAnswer,
  reportOf,
  type Statement,
  shown,
} from "./statements.ts"
import { contentStems } from "./tokens.ts"

/** A paid call each; an answer of two pages has about forty citations. */
const MOST_JUDGED = 60

/** Several citations support a sentence together; each needs at least this. */
const PARTIAL_SUPPORT_SHARE = 0.2

/**
 * Minimum share of content words. In the labelled cases, paraphrases kept more than a third, unrelated
 * sentences a fifth.
 */
const SUPPORT_BAR_SHARE = 0.35

const CITATION_BAR = 0.75

export type Judge = (sentence: string, evidence: string) => Promise<boolean | undefined>

export async function citationAccuracy(
  answer: string,
  cited: readonly CitedParagraph[],
  judge?: Judge,
): Promise<KbVerification> {
  const reading = readAnswer(answer, cited)
  const read = reading.statements.flatMap((statement) => citationsOf(reading, statement))
  const failed = read.flatMap((it) => it.failure ?? [])
  if (read.length === 0) return withoutCitations(reading)

  const judged = judge === undefined ? undefined : await judgeAll(read, judge)
  const refused = judged?.refused ?? []
  const by = judged?.isHeard === true ? "words and model" : "words"
  return reportOf({ checked: read.length, failed: [...failed, ...refused], bar: CITATION_BAR, by })
}

function withoutCitations(reading: ReadAnswer): KbVerification {
  const bare = reading.statements.find((it) => it.entities.length > 0)
  if (bare === undefined || reading.evidence.size === 0) {
    return reportOf({ checked: 0, failed: [], bar: CITATION_BAR })
  }
  const problem = "The answer cites nothing."
  const evidence = shown([...reading.evidence.values()])
  const failed = [{ sentence: bare.sentence.text, problem, evidence }]
  return reportOf({ checked: 1, failed, bar: CITATION_BAR })
}

type Citation = {
  readonly sentence: string
  readonly evidence: string
  readonly failure: Failure | undefined
}

function citationsOf(reading: ReadAnswer, statement: Statement): readonly Citation[] {
  const { text: sentence, labels } = statement.sentence
  const existing = labels.filter((label) => reading.evidence.has(label))
  const together = existing.length === 0 ? [] : evidenceFor(reading, existing)
  return labels.map((label) => {
    const own = reading.evidence.get(label)
    const problem =
      own === undefined ? `There is no paragraph ${label}.` : unsupported(statement, own, together)
    const evidence = shown(own === undefined ? [] : [own])
    const failure = problem === undefined ? undefined : { sentence, problem, evidence }
    return { sentence, evidence: own?.text ?? "", failure }
  })
}

function unsupported(
  statement: Statement,
  own: Evidence,
  together: readonly Evidence[],
): string | undefined {
  if (!statement.isReadable) return undefined
  const words = [...new Set(contentStems(statement.tokens))]
  if (words.length === 0) return undefined
  const ofOwn = shareOf(words, [own])
  const least = together.length > 1 ? PARTIAL_SUPPORT_SHARE : SUPPORT_BAR_SHARE
  if (ofOwn < least) return `${own.label} has ${percent(ofOwn)} of the sentence's words.`
  const ofAll = shareOf(words, together)
  if (ofAll < SUPPORT_BAR_SHARE) {
    return `${own.label} and its neighbours have ${percent(ofAll)} of the sentence's words.`
  }
  return otherFigure(statement, own, together)
}

function shareOf(words: readonly string[], evidence: readonly Evidence[]): number {
  const held = words.filter((word) => evidence.some((it) => it.profile.words.has(word)))
  return held.length / words.length
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`
}

/** The answer's figure is in no cited paragraph, but another of the same kind is. */
function otherFigure(
  statement: Statement,
  own: Evidence,
  together: readonly Evidence[],
): string | undefined {
  for (const entity of statement.entities) {
    if (entity.unit === "" || together.some((it) => it.profile.keys.has(entity.key))) continue
    const values = own.profile.values.get(entity.unit)
    if (values !== undefined) return `${own.label} says ${values[0]}, not ${entity.text}.`
  }
  return undefined
}

type CitationJudgement = { readonly refused: readonly Failure[]; readonly isHeard: boolean }

async function judgeAll(read: readonly Citation[], judge: Judge): Promise<CitationJudgement> {
  const refused: Failure[] = []
  let isHeard = false
  const passed = read.filter((it) => it.failure === undefined)
  for (const { sentence, evidence } of passed.slice(0, MOST_JUDGED)) {
    const isSupported = await judge(sentence, evidence)
    isHeard ||= isSupported !== undefined
    const problem = "The model says that the paragraph does not support the sentence."
    if (isSupported === false) refused.push({ sentence, problem, evidence })
  }
  return { refused, isHeard }
}
