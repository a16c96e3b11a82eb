import type { KbContradictions, KbVerification } from "#ground/contract"
import type { StageResult, StageWork, StageWorld } from "../stage.ts"
import { NothingToVerify } from "./errors.ts"
import { feedbackOf } from "./feedback.ts"
import { judged } from "./judge.ts"
import { MOST_HITS } from "./limits.ts"
import {
  Answer,
  answerText,
  findOutput,
  NothingRetrieved,
  type Reference,
  type Scores,
} from "./outputs.ts"
import type { Cited, StagePorts } from "./ports.ts"

type Ports = Pick<StagePorts, "verify" | "knowledge">

type Draft = {
  readonly text: string
  readonly cited: readonly Cited[]
  readonly references: readonly Reference[]
}

/** Holds the newest answer against what it cites, four ways; the bars are the knowledge room's. */
export function verifyStage(ports: Ports): StageWork {
  return async (world) => {
    const draft = draftOf(world)
    if (draft.cited.length === 0) return unverifiable(world)
    const judge = await judged(world, draft, ports.verify)
    const entities = await verifying(world, STEPS.entities, async () =>
      ports.verify.entityGrounding(draft.text, draft.cited),
    )
    const citations = await verifying(world, STEPS.citations, () =>
      ports.verify.citationAccuracy(draft.text, draft.cited, judge),
    )
    const relations = await verifying(world, STEPS.relations, async () =>
      ports.verify.relationPreservation(draft.text, draft.cited, await edgesOf(draft, ports)),
    )
    const contradictions = await contradicting(world, draft, ports)
    return resultOf({ entities, citations, relations, contradictions })
  }
}

/**
 * Without a source every check would pass over nothing. No repair finds one, so none is asked for;
 * where the search itself said that it found nothing, it is not said twice.
 */
function unverifiable(world: StageWorld): StageResult {
  const output: Scores = { scores: {}, bars: {}, isPassed: false, by: NOBODY, failures: [] }
  const problem = "there is no source to hold the answer against"
  const isSaid = findOutput(world.outputs, NothingRetrieved) !== undefined
  const result = { output, summary: `not verified: ${problem}` }
  return isSaid ? result : { ...result, failed: { problems: [problem], feedback: "" } }
}

const NOBODY = "nobody"

const STEPS = {
  entities: { key: "entities", tool: "Entity Verification", title: "entity grounding" },
  citations: { key: "citations", tool: "Citation Verification", title: "citation accuracy" },
  relations: { key: "relations", tool: "Relation Verification", title: "relation preservation" },
} as const

function draftOf(world: StageWorld): Draft {
  const answer = findOutput(world.outputs, Answer)
  if (answer === undefined) throw NothingToVerify({ stage: world.stage.name })
  const { references } = answer
  // With its names: a sentence may say where a paragraph stands.
  const cited = references.map(({ label, title, citation, text, paragraph, url }) => ({
    label,
    text: [title, citation, text].join("\n"),
    id: paragraph ?? url ?? label,
  }))
  return { text: answerText(answer), cited, references }
}

type Step = { readonly key: string; readonly tool: string; readonly title: string }

function verifying(world: StageWorld, step: Step, verify: () => Promise<KbVerification>) {
  const { key, ...label } = step
  return world.effects.step(key, { ...label, kind: "other" }, async () => {
    const result = await verify()
    const detail = `${result.score.toFixed(2)} of at least ${result.bar.toFixed(2)}, ${result.checked} checked, by ${result.by}`
    return { result, detail }
  })
}

function contradicting(world: StageWorld, draft: Draft, { verify }: Ports) {
  const label = { tool: "Contradiction Verification", kind: "other", title: "contradictions" }
  return world.effects.step("contradictions", { ...label, kind: "other" }, async () => {
    const result = verify.findContradictions(draft.text, evidenceOf(draft))
    return {
      result,
      detail: `${distinctPairs(result).length} found, ${result.checked} pairs checked`,
    }
  })
}

/** What the answer cites of primary documents; a guide that is out of date convicts nobody. */
function evidenceOf({ text, references }: Draft): readonly string[] {
  return references
    .filter((it) => it.tier !== "guide" && text.includes(`[${it.label}]`))
    .map((it) => it.text)
}

/** References between the cited paragraphs; without them a relation must stand in one paragraph. */
async function edgesOf({ references }: Draft, { knowledge }: Ports) {
  const paragraphs = references.flatMap((it) => it.paragraph ?? []).slice(0, MOST_HITS)
  if (paragraphs.length === 0) return []
  try {
    const { steps } = await knowledge.trace({ paragraphs, depth: 1, limit: MOST_HITS })
    return steps.filter((it) => it.kind.startsWith("refer")).map(({ from, to }) => ({ from, to }))
  } catch {
    // A paragraph has gone since: the relation must stand in one paragraph then.
    return []
  }
}

type Verified = {
  readonly entities: KbVerification
  readonly citations: KbVerification
  readonly relations: KbVerification
  readonly contradictions: KbContradictions
}

function resultOf(verified: Verified): StageResult {
  const { entities, citations, relations, contradictions } = verified
  const failures = failuresOf(verified)
  const isPassed = [entities, citations, relations, contradictions].every((it) => it.isPassed)
  const scores = {
    "entity grounding": entities.score,
    "citation accuracy": citations.score,
    "relation preservation": relations.score,
    contradictions: distinctPairs(contradictions).length,
  }
  const bars = {
    "entity grounding": entities.bar,
    "citation accuracy": citations.bar,
    "relation preservation": relations.bar,
    contradictions: 0,
  }
  const output: Scores = { scores, bars, isPassed, by: citations.by, failures: [...failures] }
  const words = Object.entries(scores).map(([name, score]) => `${name} ${format(score)}`)
  const summary = `${isPassed ? "passed" : "not passed"}: ${words.join(", ")}`
  if (isPassed) return { output, summary }
  return { output, summary, failed: feedbackOf(output) }
}

const format = (score: number): string =>
  Number.isInteger(score) ? String(score) : score.toFixed(2)

/** Of the verifications that failed only: a sentence below the bar of one that passed may stay. */
function failuresOf(it: Verified): Scores["failures"] {
  const shares = [
    ["entity grounding", it.entities],
    ["citation accuracy", it.citations],
    ["relation preservation", it.relations],
  ] as const
  const sentences = shares.flatMap(([check, { isPassed, failed }]) =>
    isPassed ? [] : distinctSentences(failed).map((failure) => ({ check, ...failure })),
  )
  const pairs = distinctPairs(it.contradictions).map((pair) => ({
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

/** What is said in the short answer and in a section is one contradiction, not two. */
function distinctPairs({ pairs }: KbContradictions): KbContradictions["pairs"] {
  const keyOf = (pair: (typeof pairs)[number]) => [pair.one, pair.other].toSorted().join("\n")
  return [...new Map(pairs.map((it) => [keyOf(it), it])).values()]
}
