import type { Format } from "./readers/read.ts"

const LARGEST_TEXT_BYTES = 5_000_000

/** Most of such a file is pictures. */
const LARGEST_BINARY_BYTES = 50_000_000

export function largestBytes(format: Format): number {
  return format === "pdf" || format === "docx" ? LARGEST_BINARY_BYTES : LARGEST_TEXT_BYTES
}

/** All paragraphs are in memory during a search, about 1 kB each. */
export const MOST_PARAGRAPHS = 200_000
export const MOST_PARAGRAPHS_OF_A_DOCUMENT = 20_000

export const LONGEST_PARAGRAPH_UNITS = 20_000
