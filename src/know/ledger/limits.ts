/** Longer than a long pause of an agent; after a crash, the longest time a path stays blocked. */
export const LEASE_MS = 15 * 60_000

/** Clocks of two machines may differ by this much. */
export const CLOCK_MARGIN_MS = 5 * 60_000

/** A whole change, not a whole repository; a folder covers more. */
export const MOST_PATHS_AT_ONCE = 200

export const KEPT_TURNS = 6

export const LONGEST_PART_UNITS = 20_000

export const MOST_SESSIONS_A_DAY = 999

export const MOST_INDEXED_FILES = 20_000

export const LARGEST_INDEXED_FILE_BYTES = 1024 ** 2

export const LONGEST_INDEX_LINE_UNITS = 160

export const LEAST_LIKENESS_SHARE = 0.7
