import { type Entity, entitiesOf, type Profile, profileOf } from "./entities.ts"
import { isReadable } from "./language.ts"
import { LONGEST_EVIDENCE_CHARACTERS } from "./limits.ts"
import { type Sentence, splitSentences } from "./sentences.ts"
import { type Terms, termsOf } from "./terms.ts"
import { type Token, tokensOf } from "./tokens.ts"

/** A paragraph an answer may cite, under its label in the answer. */
export type Cited = {
  /** "P1", "W2". */
  readonly label: string
  /** With its heading and number above, so that a mention of § 4.2 is grounded by it. */
  readonly text: string
  readonly id: string
}

/** A sentence of the answer, read. */
export type Statement = {
  readonly sentence: Sentence
  readonly tokens: readonly Token[]
  readonly entities: readonly Entity[]
  readonly isReadable: boolean
  /** What is asked is not said, whatever it names. */
  readonly isQuestion: boolean
}

export type Evidence = Cited & { readonly profile: Profile }

export type Reading = {
  readonly statements: readonly Statement[]
  readonly evidence: ReadonlyMap<string, Evidence>
  readonly terms: Terms
}

/** The answer's sentences and the paragraphs it has, read with the same terms. */
export function readAnswer(answer: string, cited: readonly Cited[]): Reading {
  const terms = termsOf([answer, ...cited.map((it) => it.text)])
  const evidence = cited.map((it) => {
    const profile = profileOf(it.text, terms)
    return [it.label.toUpperCase(), { ...it, profile }] as const
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

/** Whether it says something that can be held against what others say. */
export function isClaiming({ isReadable: isRead, isQuestion }: Statement): boolean {
  return isRead && !isQuestion
}

/** The paragraphs these labels stand for; without any label, all there are. */
export function evidenceFor(reading: Reading, labels: readonly string[]): readonly Evidence[] {
  const own = labels.flatMap((label) => reading.evidence.get(label) ?? [])
  return own.length > 0 ? own : [...reading.evidence.values()]
}

/** What was read, short enough to be shown. */
export function shown(evidence: readonly Cited[]): string {
  if (evidence.length === 0) return "no paragraph"
  const each = Math.max(80, Math.floor(LONGEST_EVIDENCE_CHARACTERS / Math.min(evidence.length, 5)))
  const first = evidence.slice(0, 5).map(({ label, text }) => `[${label}] ${cut(text, each)}`)
  const left = evidence.length - first.length
  return left > 0 ? `${first.join(" ")} and ${left} more` : first.join(" ")
}

function cut(text: string, most: number): string {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, " ")
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}
