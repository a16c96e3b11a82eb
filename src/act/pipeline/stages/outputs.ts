import { z } from "zod"
import { isRecord, oneLine } from "#ground/base"
import { KbTier, type StageConfig } from "#ground/contract"
import type { PriorAnswer, StageInput, StageResult } from "../stage.ts"

const MOST_SUMMARY_CHARACTERS = 140

// Outputs that stages pass on. A later stage recognizes an output by its schema, not by the stage's
// name, so that recipes can name their stages freely.

export const SubQuery = z.object({
  question: z.string().min(1),
  why: z.string().default(""),
  target: z.string().default("").describe("Where to look for the answer"),
  note: z.string().optional().describe("Shown beside it in a pause"),
})
export type SubQuery = z.infer<typeof SubQuery>

export const Plan = z.object({ subQueries: z.array(SubQuery).min(1) })
export type Plan = z.infer<typeof Plan>

export const WebResult = z.object({ title: z.string(), url: z.string(), text: z.string() })
export type WebResult = z.infer<typeof WebResult>

export const WebFindings = z.object({ web: z.array(WebResult) })

export const RetrievedParagraph = z.object({
  id: z.string(),
  title: z.string(),
  citation: z.string(),
  text: z.string(),
  tier: KbTier,
  score: z.number(),
  /** Numbers of the sub-queries that found it, from 1; empty if reached by a reference. */
  by: z.array(z.int()),
  isPrior: z.boolean(),
})
export type RetrievedParagraph = z.infer<typeof RetrievedParagraph>

export const Retrieved = z.object({ paragraphs: z.array(RetrievedParagraph).min(1) })

export const Gaps = z.object({ notFound: z.array(z.string()) })

export const NothingRetrieved = Gaps.extend({ paragraphs: z.array(z.unknown()).max(0) })

export const Reference = z.object({
  label: z.string(),
  title: z.string(),
  citation: z.string(),
  text: z.string(),
  paragraph: z.string().nullable(),
  url: z.string().nullable(),
  tier: KbTier,
  isPrior: z.boolean(),
})
export type Reference = z.infer<typeof Reference>

const Section = z.object({ title: z.string(), text: z.string() })

export const Answer = z.object({
  title: z.string().default(""),
  shortAnswer: z.string().default(""),
  keyPoints: z.array(z.string()).default([]),
  sections: z.array(Section),
  references: z.array(Reference).default([]),
})
export type Answer = z.infer<typeof Answer>

export const Scores = z.object({
  scores: z.record(z.string(), z.number()),
  bars: z.record(z.string(), z.number()),
  isPassed: z.boolean(),
  by: z.string(),
  /** Why there was nothing to check. */
  notApplicable: z.string().optional(),
  failures: z.array(
    z.object({
      check: z.string(),
      sentence: z.string(),
      problem: z.string(),
      evidence: z.string(),
    }),
  ),
})
export type Scores = z.infer<typeof Scores>

type Outputs = Readonly<Record<string, unknown>>

export function findOutput<Shape extends z.ZodType>(
  outputs: Outputs,
  shape: Shape,
): z.output<Shape> | undefined {
  for (const output of Object.values(outputs).toReversed()) {
    const parsed = shape.safeParse(output)
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** One text; titles become headings, which are not statements. */
export function answerText(answer: Answer): string {
  const points = answer.keyPoints.map((it) => `- ${it}`).join("\n")
  const sections = answer.sections.map(
    (it) => `## ${it.title.replaceAll(/\s+/g, " ")}\n\n${it.text}`,
  )
  return [answer.shortAnswer, points, ...sections].filter((it) => it !== "").join("\n\n")
}

/** The repair that an output requests when its `passes` field is not true. */
export function passing(
  { passes }: Pick<StageConfig, "passes">,
  output: unknown,
): Pick<StageResult, "failed"> {
  if (passes === undefined) return {}
  const record = isRecord(output) ? output : {}
  if (record[passes] === true) return {}
  const listed = Array.isArray(record["problems"]) ? record["problems"] : []
  const problems = listed.map((it) => (typeof it === "string" ? it : JSON.stringify(it)))
  const plain = problems.length === 0 ? [`\`${passes}\` is not true`] : problems
  return { failed: { problems: plain, feedback: plain.map((it) => `- ${it}`).join("\n") } }
}

export function summarize(output: unknown): string {
  if (!isRecord(output))
    return summaryLine(typeof output === "string" ? output : JSON.stringify(output))
  const counted = [
    typeof output["clarity"] === "number" ? `clarity ${output["clarity"].toFixed(2)}` : undefined,
    countOf(output["subQueries"], ["sub-query", "sub-queries"]),
    countOf(output["sections"], ["section", "sections"]),
    countOf(output["references"], ["reference", "references"]),
    countOf(output["steps"], ["step", "steps"]),
    countOf(output["problems"], ["problem", "problems"]),
    countOf(output["remarks"], ["remark", "remarks"]),
  ].filter((it) => it !== undefined)
  if (counted.length > 0) return counted.join(", ")
  const text = Object.values(output).find((it) => typeof it === "string" && it.trim() !== "")
  return summaryLine(typeof text === "string" ? text : JSON.stringify(output))
}

export function countOf(list: unknown, [one, many]: readonly [string, string]) {
  if (!Array.isArray(list)) return undefined
  return `${list.length} ${list.length === 1 ? one : many}`
}

export function summaryLine(text: string): string {
  return oneLine(text, MOST_SUMMARY_CHARACTERS)
}

/** The earlier sections that cite one of these paragraphs. */
export function relatedSections(
  prior: PriorAnswer | undefined,
  paragraphs: ReadonlySet<string>,
): PriorAnswer["sections"] {
  const sections = prior?.sections ?? []
  return sections.filter((it) => it.paragraphs.some((id) => paragraphs.has(id)))
}

/** The earlier sections that share evidence with this run; all of them before it has any. */
export function priorOf(input: StageInput): PriorAnswer | undefined {
  const retrieved = findOutput(input.outputs, Retrieved)
  if (retrieved === undefined || input.prior === undefined) return input.prior
  const ids = new Set(retrieved.paragraphs.map((it) => it.id))
  return { ...input.prior, sections: relatedSections(input.prior, ids) }
}
