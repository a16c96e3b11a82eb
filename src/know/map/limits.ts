/** Larger files were generated. (TB2b) */
export const LARGEST_TEXT_BYTES = 2_000_000

/** Longer lines are minified code or data. (TB2b) */
export const LONGEST_LINE_UNITS = 20_000

/** CPU time per file; plain code of 1.4 MB takes about this long. (TB2b) */
export const FILE_BUDGET_MS = 500

export const LONGEST_SIGNATURE_UNITS = 300

export const LONGEST_DOC_UNITS = 300

export const LONGEST_NAME_UNITS = 200

export const MOST_FACTS = 50_000

/** Few enough to share the work and to be forgotten while young, enough to save messages. */
export const MOST_BATCH_FILES = 32
export const LARGEST_BATCH_UNITS = 50_000

export const LONGEST_SEGMENT_LINES = 80

/** Enough to save round trips, few enough to prepare. */
export const ROWS_A_STATEMENT = 16

/** SQLite allows 32,766. */
export const VALUES_A_STATEMENT = 500

export const MOST_SEGMENTS = 8

export const MOST_TREES = 20

/** Unused contents are deleted when there are more of them than this and than used ones. */
export const MOST_DEAD_CONTENTS = 1_000

/** A file changed this shortly before a scan may change again with the same time. */
export const RACY_MS = 2_000

export const MOST_CONTENTS_AT_ONCE = 500

/** The ranker was trained with at most this many. */
export const MOST_PAST_COMMITS = 3_000
