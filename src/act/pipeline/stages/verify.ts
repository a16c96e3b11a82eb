import { z } from "zod"
import type { KbContradictions, KbVerification } from "#ground/contract"
import { NothingToVerify } from "../errors.ts"
import type { StageInput, StageResult, StageWork } from "../stage.ts"
import { MOST_HITS } from "./limits.ts"
import {
  Answer,
  answerText,
  findOutput,
  NothingRetrieved,
  type Reference,
  type Scores,
} from "./outputs.ts"
import type { CitedText, Judge, StagePorts, Verifications } from "./ports.ts"
import { instructionsFor, promptFor, templateOf } from "./prompt.ts"

const MOST_EVIDENCE_CHARACTERS = 600

const MOST_FEEDBACK_SENTENCES = 6

type Ports = Pick<StagePorts, "verify" | "knowledge">

type DraftAnswer = {
  readonly text: string
  readonly cited: readonly CitedText[]
  readonly references: readonly Reference[]
}

export function verifyStage(ports: Ports): StageWork {
  return async (input) => {
    const draft = draftOf(input)
    if (draft.cited.length === 0) return unverifiable(input)
    if (await hasOnlyQuotes(input, draft, ports.verify)) return notApplicable()
    const judge = await judged(input, draft, ports.verify)
    const bars = input.settings.verification ?? {}
    const entities = await verifying(input, STEPS.entities, async () =>
      ports.verify.entityGrounding(draft.text, draft.cited),
    )
    const citations = await verifying(input, STEPS.citations, () =>
      ports.verify.citationAccuracy(draft.text, draft.cited, judge),
    )
    const relations = await verifying(input, STEPS.relations, async () =>
      ports.verify.relationPreservation(draft.text, draft.cited, await edgesOf(draft, ports)),
    )
    const contradictions = await contradicting(input, draft, ports)
    return resultOf({
      entities: withBar(entities, bars.entityGrounding),
      citations: withBar(citations, bars.citationAccuracy),
      relations: withBar(relations, bars.relationPreservation),
      contradictions,
      mostContradictions: bars.contradictions ?? 0,
    })
  }
}

/** The recipe's own bar. Applied after the check, so that a recorded check keeps its score. */
function withBar(result: KbVerification, bar: number | undefined): KbVerification {
  return bar === undefined ? result : { ...result, bar, isPassed: result.score >= bar }
}

/**
 * Without sources every check would pass trivially. A repair cannot find sources, so none is
 * requested; if the search already reported that it found nothing, this is not repeated.
 */
function unverifiable(input: StageInput): StageResult {
  const output: Scores = { scores: {}, bars: {}, isPassed: false, by: NOBODY, failures: [] }
  const problem = "there are no sources to check the answer against"
  const hasNoResults = findOutput(input.outputs, NothingRetrieved) !== undefined
  const result = { output, summary: `not verified: ${problem}` }
  return hasNoResults ? result : { ...result, failed: { problems: [problem], feedback: "" } }
}

const NOBODY = "nobody"

const STEPS = {
  entities: {
    key: "entities",
    tool: "Entity Verification",
    title: "entity grounding",
    bar: "entityGrounding",
  },
  citations: {
    key: "citations",
    tool: "Citation Verification",
    title: "citation accuracy",
    bar: "citationAccuracy",
  },
  relations: {
    key: "relations",
    tool: "Relation Verification",
    title: "relation preservation",
    bar: "relationPreservation",
  },
} as const

function draftOf(input: StageInput): DraftAnswer {
  const answer = findOutput(input.outputs, Answer)
  if (answer === undefined) throw NothingToVerify({ stage: input.stage.name })
  const { references } = answer
  // Including its title and citation, because a sentence may name the paragraph's location.
  const cited = references.map(({ label, title, citation, text, paragraph, url }) => ({
    label,
    text: [title, citation, text].join("\n"),
    id: paragraph ?? url ?? label,
  }))
  return { text: answerText(answer), cited, references }
}

type Step = (typeof STEPS)[keyof typeof STEPS]

function verifying(input: StageInput, step: Step, verify: () => Promise<KbVerification>) {
  const { key, tool, title } = step
  const label = { tool, title }
  return input.effects.step(key, { ...label, kind: "other" }, async () => {
    const result = await verify()
    const bar = input.settings.verification?.[step.bar] ?? result.bar
    const detail = `${result.score.toFixed(2)} of at least ${bar.toFixed(2)}, ${result.checked} checked, by ${result.by}`
    return { result, detail }
  })
}

function contradicting(input: StageInput, draft: DraftAnswer, { verify }: Ports) {
  const label = { tool: "Contradiction Verification", kind: "other", title: "contradictions" }
  return input.effects.step("contradictions", { ...label, kind: "other" }, async () => {
    const result = verify.findContradictions(draft.text, evidenceOf(draft))
    return {
      result,
      detail: `${distinctPairs(result).length} found, ${result.checked} pairs checked`,
    }
  })
}

/** Cited primary documents only; an outdated guide does not count against an answer. */
function evidenceOf({ text, references }: DraftAnswer): readonly string[] {
  return references
    .filter((it) => it.tier !== "guide" && text.includes(`[${it.label}]`))
    .map((it) => it.text)
}

/**
 * References between the cited paragraphs; without them both sides of a relation must be in one
 * paragraph.
 */
async function edgesOf({ references }: DraftAnswer, { knowledge }: Ports) {
  const paragraphs = references.flatMap((it) => it.paragraph ?? []).slice(0, MOST_HITS)
  if (paragraphs.length === 0) return []
  try {
    const { steps } = await knowledge.trace({ paragraphs, depth: 1, limit: MOST_HITS })
    return steps.filter((it) => it.kind.startsWith("refer")).map(({ from, to }) => ({ from, to }))
  } catch {
    // A cited paragraph was removed, so a relation must be in one paragraph.
    return []
  }
}

/**
 * "The documents say nothing about this", followed by the closest paragraphs word for word. Quotes
 * cannot be wrong, so the scores of such an answer would all be 1.
 */
async function hasOnlyQuotes(
  input: StageInput,
  { cited, references }: DraftAnswer,
  verify: Verifications,
): Promise<boolean> {
  const answer = findOutput(input.outputs, Answer)
  if (answer === undefined || answer.shortAnswer === "" || answer.keyPoints.length > 0) return false
  if (LABELS.test(answer.shortAnswer)) return false
  const textByLabel = new Map(references.map((it) => [it.label, withoutSpace(it.text)]))
  const sections = answer.sections.map((it) => ({
    ...it,
    text: withoutQuotes(it.text, textByLabel),
  }))
  const rest = answerText({ ...answer, sections })
  if (LABELS.test(rest)) return false
  const citations = await verify.citationAccuracy(rest, cited, undefined)
  const others = [verify.entityGrounding(rest, cited), verify.relationPreservation(rest, cited, [])]
  return [citations, ...others].every((it) => it.checked === 0)
}

const LABELS = /\[[PW]\d+\]/

function withoutQuotes(text: string, textByLabel: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /(?<![^[\]])([^[\]]+)\[([PW]\d+)\]/g,
    (whole, quote: string, label: string) =>
      textByLabel.get(label)?.includes(withoutSpace(quote)) === true ? "" : whole,
  )
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, "")

type VerifyResult = {
  readonly entities: KbVerification
  readonly citations: KbVerification
  readonly relations: KbVerification
  readonly contradictions: KbContradictions
  readonly mostContradictions: number
}

/** An answer that says only that the documents say nothing would pass every check. */
function notApplicable(): StageResult {
  const reason = "the answer states nothing that the documents could support"
  const output: Scores = {
    scores: {},
    bars: {},
    isPassed: true,
    by: NOBODY,
    notApplicable: reason,
    failures: [],
  }
  return { output, summary: `not applicable: ${reason}` }
}

function resultOf(verified: VerifyResult): StageResult {
  const { entities, citations, relations, contradictions, mostContradictions } = verified
  const checks = [entities, citations, relations]
  if (checks.every((it) => it.checked === 0) && contradictions.isPassed) return notApplicable()
  const failures = failuresOf(verified)
  const pairs = distinctPairs(contradictions).length
  const isPassed = checks.every((it) => it.isPassed) && pairs <= mostContradictions
  const scores = {
    "entity grounding": entities.score,
    "citation accuracy": citations.score,
    "relation preservation": relations.score,
    contradictions: pairs,
  }
  const bars = {
    "entity grounding": entities.bar,
    "citation accuracy": citations.bar,
    "relation preservation": relations.bar,
    contradictions: mostContradictions,
  }
  const output: Scores = { scores, bars, isPassed, by: citations.by, failures: [...failures] }
  const parts = Object.entries(scores).map(([name, score]) => `${name} ${format(score)}`)
  const summary = `${isPassed ? "passed" : "not passed"}: ${parts.join(", ")}`
  if (isPassed) return { output, summary }
  return { output, summary, failed: feedbackOf(output) }
}

const format = (score: number): string =>
  Number.isInteger(score) ? String(score) : score.toFixed(2)

/** Only of failed verifications: if one passed, single sentences below its bar may stay. */
function failuresOf(result: VerifyResult): Scores["failures"] {
  const shares = [
    ["entity grounding", result.entities],
    ["citation accuracy", result.citations],
    ["relation preservation", result.relations],
  ] as const
  const sentences = shares.flatMap(([check, { isPassed, failed }]) =>
    isPassed ? [] : distinctSentences(failed).map((failure) => ({ check, ...failure })),
  )
  const opposedPairs = distinctPairs(result.contradictions)
  const tooMany = opposedPairs.length > result.mostContradictions ? opposedPairs : []
  const pairs = tooMany.map((pair) => ({
    check: "contradictions",
    sentence: pair.one,
    problem: `It contradicts another sentence (${pair.kind}).`,
    evidence: pair.other,
  }))
  return [...sentences, ...pairs]
}

function distinctSentences(failed: KbVerification["failed"]): KbVerification["failed"] {
  return [...new Map(failed.map((it) => [`${it.sentence}\n${it.problem}`, it])).values()]
}

/** The short answer and a section may repeat the same contradiction. */
function distinctPairs({ pairs }: KbContradictions): KbContradictions["pairs"] {
  const keyOf = (pair: (typeof pairs)[number]) => [pair.one, pair.other].toSorted().join("\n")
  return [...new Map(pairs.map((it) => [keyOf(it), it])).values()]
}

export function feedbackOf(scores: Scores): {
  readonly problems: readonly string[]
  readonly feedback: string
} {
  const checks = Object.keys(scores.scores).filter((it) => hasFailed(it, scores))
  const problems = checks.map((it) => `${it} ${scores.scores[it]}, needed ${scores.bars[it]}`)
  const blocks = checks.map((check) => {
    const failures = scores.failures.filter((it) => it.check === check)
    const shown = failures.slice(0, MOST_FEEDBACK_SENTENCES).map(describe)
    const more = failures.length - shown.length
    const rest = more > 0 ? [`And ${more} more sentences of this kind.`] : []
    return [headline(check, scores), ...shown, ...rest].join("\n")
  })
  return { problems, feedback: blocks.join("\n\n") }
}

function hasFailed(check: string, { scores, bars }: Scores): boolean {
  const score = scores[check] ?? 0
  const bar = bars[check] ?? 0
  return check === "contradictions" ? score > bar : score < bar
}

function headline(check: string, { scores, bars }: Scores): string {
  const most = check === "contradictions" ? "at most" : "at least"
  return `${check}: ${scores[check]} where ${most} ${bars[check]} is needed.`
}

type Failure = Scores["failures"][number]

function describe({ sentence, problem, evidence }: Failure): string {
  const read = evidence.slice(0, MOST_EVIDENCE_CHARACTERS).replaceAll(/\s+/g, " ")
  return [
    `${SENTENCE}${sentence.replaceAll(/\s+/g, " ")}`,
    `  Problem: ${problem}`,
    `  Evidence read: ${read === "" ? "none" : read}`,
  ].join("\n")
}

const SENTENCE = "- Sentence: "

export function sentencesNamed(feedback: string): readonly string[] {
  return feedback
    .split("\n")
    .filter((it) => it.startsWith(SENTENCE))
    .map((it) => it.slice(SENTENCE.length).trim())
}

const MOST_JUDGED_PAIRS = 60

type DraftSentence = { readonly text: string; readonly cited: readonly CitedText[] }
type Pair = { readonly sentence: string; readonly evidence: string }

const Verdicts = z.object({
  verdicts: z.array(z.object({ number: z.int(), isSupported: z.boolean() })),
})

const SCHEMA = {
  type: "object",
  required: ["verdicts"],
  properties: {
    verdicts: {
      type: "array",
      items: {
        type: "object",
        required: ["number", "isSupported"],
        properties: { number: { type: "integer" }, isSupported: { type: "boolean" } },
      },
    },
  },
} as const

/**
 * A model judges all citations that passed the word check in one call; a call per sentence would
 * cost more than the answer. Without a prompt there is no judge.
 */
async function judged(
  input: StageInput,
  draft: DraftSentence,
  verify: Pick<Verifications, "citationAccuracy">,
): Promise<Judge | undefined> {
  if (input.stage.prompt === undefined) return undefined
  const pairs = await pairsOf(draft, verify)
  if (pairs.length === 0) return undefined
  const { value } = await input.effects.ask("judge", {
    title: `does each of ${pairs.length} citations support its sentence`,
    instructions: instructionsFor(input),
    prompt: promptFor(input, templateOf(input), { pairs: pairs.map(describePair).join("\n\n") }),
    schema: SCHEMA,
    effort: input.stage.effort,
    maxOutputTokens: input.stage.maxOutputTokens,
  })
  return judgeFrom(pairs, value)
}

/** Runs the verification to collect the pairs it would ask about. */
async function pairsOf(draft: DraftSentence, verify: Pick<Verifications, "citationAccuracy">) {
  const pairs: Pair[] = []
  await verify.citationAccuracy(draft.text, draft.cited, async (sentence, evidence) => {
    if (pairs.length < MOST_JUDGED_PAIRS) pairs.push({ sentence, evidence })
    return undefined
  })
  return pairs
}

function describePair({ sentence, evidence }: Pair, index: number): string {
  const read = evidence.slice(0, MOST_EVIDENCE_CHARACTERS)
  return `${index + 1}. Sentence: ${sentence}\n   Evidence: ${read}`
}

/** Pairs without a judgement count by the word check, and the report says so. */
function judgeFrom(pairs: readonly Pair[], value: unknown): Judge | undefined {
  const parsed = Verdicts.safeParse(value)
  if (!parsed.success) return undefined
  const verdicts = new Map<string, boolean>()
  for (const { number, isSupported } of parsed.data.verdicts) {
    const pair = pairs[number - 1]
    if (pair !== undefined) verdicts.set(keyOf(pair.sentence, pair.evidence), isSupported)
  }
  return async (sentence, evidence) => verdicts.get(keyOf(sentence, evidence))
}

const keyOf = (sentence: string, evidence: string): string => `${sentence}\0${evidence}`
