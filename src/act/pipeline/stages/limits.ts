/** Evidence quoted for one sentence. */
export const MOST_EVIDENCE_CHARACTERS = 600

/** What the knowledge room takes as one question, and gives as one answer. */
export const LONGEST_SEARCH_CHARACTERS = 4_000
export const MOST_HITS = 100
