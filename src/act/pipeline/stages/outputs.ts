import { z } from "zod"
import { KbTier } from "#ground/contract"

// What stages hand on to each other. A later stage knows an output by its shape, not by the name
// of its stage, so that an agent of one's own may call its stages as it likes.

export const SubQuery = z.object({
  question: z.string().min(1),
  why: z.string().default(""),
  target: z.string().default("").describe("Where the answer is looked for"),
  note: z.string().optional().describe("Said beside it in a pause"),
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
  /** Numbers of the sub-queries that found it, from 1; none: reached over a reference. */
  by: z.array(z.int()),
  isPrior: z.boolean(),
})
export type RetrievedParagraph = z.infer<typeof RetrievedParagraph>

export const Retrieved = z.object({ paragraphs: z.array(RetrievedParagraph).min(1) })

/** Sub-queries that nothing was found for. */
export const Gaps = z.object({ notFound: z.array(z.string()) })

/** A search that found nothing at all, and said so. */
export const NothingRetrieved = Gaps.extend({ paragraphs: z.array(z.unknown()).max(0) })

/** What an answer may cite, under the label it has in the text. */
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

export const Section = z.object({ title: z.string(), text: z.string() })
export type Section = z.infer<typeof Section>

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

/** The newest output of a shape; stages are in the order in which they ran. */
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

/** The answer as one text, for whoever reads all of it; titles as headings, which state nothing. */
export function answerText(answer: Answer): string {
  const points = answer.keyPoints.map((it) => `- ${it}`).join("\n")
  const sections = answer.sections.map(
    (it) => `## ${it.title.replaceAll(/\s+/g, " ")}\n\n${it.text}`,
  )
  return [answer.shortAnswer, points, ...sections].filter((it) => it !== "").join("\n\n")
}
