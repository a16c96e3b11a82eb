/** "Harbour Office of the Port" has five words. */
export const LONGEST_TERM_WORDS = 5

/** A long answer has a few hundred. */
export const MOST_COMPARED_PAIRS = 20_000

/** The score counts all failures. */
export const MOST_TOLD_FAILURES = 100
