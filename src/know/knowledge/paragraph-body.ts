import { z } from "zod"
import { LONGEST_EMBEDDED_UNITS } from "./limits.ts"

/** What a row keeps of a paragraph besides its id and its place. */
export const ParagraphBody = z.object({
  text: z.string(),
  line: z.int().positive(),
  headings: z.array(z.string()),
  number: z.string().nullable(),
  citation: z.string(),
  anchors: z.array(z.string()),
})
export type ParagraphBody = z.infer<typeof ParagraphBody>

/** Undefined for a row that another version wrote, or nobody. */
export function bodyOf(json: string): ParagraphBody | undefined {
  try {
    return ParagraphBody.safeParse(JSON.parse(json)).data
  } catch {
    return undefined
  }
}

/** What an embedder is given: short paragraphs say little without what stands above them. */
export function embeddedText({ headings, text }: ParagraphBody): string {
  return [...headings, text].join("\n").slice(0, LONGEST_EMBEDDED_UNITS).toWellFormed()
}
