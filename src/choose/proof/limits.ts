/** Words that must be left of a message: with fewer nobody could find the files either. */
export const FEWEST_WORDS = 3

/** More source files than these are a sweep, which no list of ten can answer. */
export const MOST_TRUE_FILES = 8

/** Files of any kind that a task may change: beyond, it was a tool that changed them. */
export const MOST_CHANGED_FILES = 50

/**
 * Commits that are looked at for tasks: enough for 150 of either half where few touch code, and not
 * so many that the oldest trees are another program.
 */
export const MOST_LOOKED_AT_COMMITS = 3_000

/** The ends of an interval stay within a tenth of a point between seeds. */
export const BOOTSTRAP_RESAMPLES = 10_000

/** Rounds of page rank: at a damping of 0.85 what moves after these is below a thousandth. */
export const MOST_RANK_ROUNDS = 40

/** Texts that are kept from task to task, in characters: what a large repository has twice over. */
export const MOST_REMEMBERED_TEXT_UNITS = 300_000_000

export const MEGABYTE = 1_000_000

/** Another tool on a large tree took half a minute; after ten it is stuck. */
export const LONGEST_PEER_MS = 600_000

/** What another tool says is looked at for one paragraph at its end. */
export const MOST_PEER_OUTPUT_BYTES = 1_000_000
