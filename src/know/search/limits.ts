/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** Longer ones are keys, hashes and encoded data: nobody searches for them, and they fill tables. */
export const LONGEST_TERM_UNITS = 80

/** A task longer than this is a log or a file; what it is about is said at its beginning. */
export const LONGEST_TASK_UNITS = 100_000

/** A commit message longer than this quotes a log; 3,000 messages must be read in an instant. */
export const LONGEST_MESSAGE_UNITS = 10_000

/** Distinct terms of a task that are searched for. A long issue has about 200. */
export const MOST_QUERY_TERMS = 512

/** The ranker was trained with at most so many commits before the task. */
export const MOST_COMMITS = 3_000

/** A longer list of modifiers is no declaration; without a limit the search for them is quadratic. */
export const MOST_MODIFIERS = 12

/** A hundred times the largest file of the ranker that we ship would still be read in a second. */
export const LARGEST_FUSION_BYTES = 1_000_000
export const LARGEST_VOCABULARY_BYTES = 8_000_000
export const LARGEST_TABLE_BYTES = 64_000_000

/** Of one term in a reason; the rest says nothing more to a reader. */
export const LONGEST_SHOWN_TERM_UNITS = 40

/** Reasons of one file: the strongest ones, so that they are read. */
export const MOST_REASONS = 3

/** Contents are looked up in an array by number; this one takes 64 MB, and no repository so many. */
export const LARGEST_CONTENT_NUMBER = 2 ** 24
