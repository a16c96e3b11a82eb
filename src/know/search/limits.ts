/** Longer ones are keys, hashes and encoded data. */
export const LONGEST_TERM_UNITS = 80

/** A longer task is a log or a file; its beginning contains the request. */
export const LONGEST_TASK_UNITS = 100_000

export const MOST_QUERY_TERMS = 512

/** The ranker was trained with at most this many. */
export const MOST_COMMITS = 3_000

/** An array indexed by it has 64 MB. */
export const LARGEST_CONTENT_NUMBER = 2 ** 24
