export const LARGEST_DOCUMENT_BYTES = 5_000_000

/** All paragraphs are in memory during a search, about 1 kB each. */
export const MOST_PARAGRAPHS = 200_000
export const MOST_PARAGRAPHS_OF_A_DOCUMENT = 20_000

export const LONGEST_PARAGRAPH_UNITS = 20_000
