/** Limits of the knowledge room for one query and its results. */
export const LONGEST_SEARCH_CHARACTERS = 4_000
export const MOST_HITS = 100
