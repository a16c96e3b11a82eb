/** How many files deep imports are followed; in the fifth they stay names. */
export const DEEPEST_IMPORT_LEVELS = 5

/** How deep a folder of skills is searched: the folder itself and one below. */
export const DEEPEST_SKILL_LEVELS = 1

/** One text with its imports; the same file may be named again and again, and each time is put in. */
export const LONGEST_EXPANDED_UNITS = 16_000_000
