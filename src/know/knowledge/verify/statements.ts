import { oneLine } from "#ground/base"
import type { KbVerification } from "#ground/contract"
import { type Entity, entitiesOf, type Profile, profileOf } from "./entities.ts"
import { MOST_TOLD_FAILURES } from "./limits.ts"
import { type Sentence, splitSentences } from "./sentences.ts"
import { isReadable, type Terms, termsOf } from "./terms.ts"
import { type Token, tokensOf } from "./tokens.ts"

const LONGEST_EVIDENCE_CHARACTERS = 400

export type CitedParagraph = {
  readonly label: string
  /** With its heading and number, so that a mention of § 4.2 is grounded by it. */
  readonly text: string
  readonly id: string
}

export type Statement = {
  readonly sentence: Sentence
  readonly tokens: readonly Token[]
  readonly entities: readonly Entity[]
  readonly isReadable: boolean
  readonly isQuestion: boolean
}

export type Evidence = CitedParagraph & { readonly profile: Profile }

export type ReadAnswer = {
  readonly statements: readonly Statement[]
  readonly evidence: ReadonlyMap<string, Evidence>
  readonly terms: Terms
}

export function readAnswer(answer: string, cited: readonly CitedParagraph[]): ReadAnswer {
  const terms = termsOf([answer, ...cited.map((it) => it.text)])
  const evidence = cited.map((citation) => {
    const profile = profileOf(citation.text, terms)
    return [citation.label.toUpperCase(), { ...citation, profile }] as const
  })
  return { statements: statementsOf(answer, terms), evidence: new Map(evidence), terms }
}

export function statementsOf(text: string, terms: Terms): readonly Statement[] {
  return splitSentences(text).map((sentence) => {
    const tokens = tokensOf(sentence.text)
    const isRead = isReadable(tokens)
    const entities = entitiesOf(tokens, terms).filter((it) => isRead || it.kind !== "term")
    const isQuestion = QUESTION.test(sentence.text)
    return { sentence, tokens, entities, isReadable: isRead, isQuestion }
  })
}

const QUESTION = /[?？][!?！？…]{0,8}[)\]"'”’»*_]{0,8}$/

export function isClaiming({ isReadable: isRead, isQuestion }: Statement): boolean {
  return isRead && !isQuestion
}

export function evidenceFor(reading: ReadAnswer, labels: readonly string[]): readonly Evidence[] {
  const own = labels.flatMap((label) => reading.evidence.get(label) ?? [])
  return own.length > 0 ? own : [...reading.evidence.values()]
}

export function shown(evidence: readonly CitedParagraph[]): string {
  if (evidence.length === 0) return "no paragraph"
  const each = Math.max(80, Math.floor(LONGEST_EVIDENCE_CHARACTERS / Math.min(evidence.length, 5)))
  const first = evidence.slice(0, 5).map(({ label, text }) => `[${label}] ${oneLine(text, each)}`)
  const left = evidence.length - first.length
  return left > 0 ? `${first.join(" ")} and ${left} more` : first.join(" ")
}

export type Failure = KbVerification["failed"][number]

export function reportOf(result: {
  readonly checked: number
  readonly failed: readonly Failure[]
  readonly bar: number
  readonly by?: KbVerification["by"]
}): KbVerification {
  const { checked, failed, bar, by = "words" } = result
  const score = checked === 0 ? 1 : (checked - failed.length) / checked
  return {
    score,
    bar,
    isPassed: score >= bar,
    checked,
    by,
    failed: failed.slice(0, MOST_TOLD_FAILURES),
  }
}
