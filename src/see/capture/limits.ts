/** Captures kept for one directory and host; a change a day fills more than half a year. */
export const MOST_CAPTURES_KEPT = 200

/** Characters of one item's text that are kept and shown; a screen has room for far less. */
export const LONGEST_TEXT_CHARACTERS = 200_000

/** Items among which like texts are looked for; the work grows with their words, not with pairs. */
export const MOST_COMPARED_ITEMS = 400

/** Words of one item that take part in the search for like texts. */
export const MOST_COMPARED_WORDS = 20_000

/** A run of words as long as this is no accident. */
export const SHINGLE_WORDS = 8

/** A run that this many items share is boilerplate, not a duplicate worth a line each. */
export const MOST_SHARING_ITEMS = 12

/** Part of the smaller text that must come again before it is called a duplicate. */
export const LEAST_LIKENESS = 0.3

/** Repeating less than this costs nobody anything. */
export const LEAST_REPEATED_TOKENS = 20

export const MOST_DUPLICATES_SHOWN = 20
export const MOST_BIGGEST_SHOWN = 10

/** Lines on each side of a comparison; beyond it only the counts of tokens are compared. */
export const MOST_COMPARED_LINES = 5_000

/** Edits after which two texts count as wholly different: the search costs their square. */
export const MOST_EDITS = 1_000

/** Lines shown around a change. */
export const CONTEXT_LINES = 3

/** Extra files that a setting may add. */
export const MOST_EXTRA_FILES = 100
export const EXTRA_FILE_LIMIT_BYTES = 1024 * 1024

/** How deep settings are taken apart into keys; what lies deeper is shown as JSON. */
export const DEEPEST_SETTING_LEVELS = 4

/** Characters of a server's command or address that are shown. */
export const LONGEST_COMMAND_CHARACTERS = 1_000

/** How deep settings are looked through for arguments; deeper ones are replaced by `secrets`. */
export const DEEPEST_ARGUMENT_LEVELS = 64

/** Work after which others have their turn: a megabyte takes some 80 ms to count and redact. */
export const PAUSE_AFTER_BYTES = 1024 * 1024

/** Tries of a pattern on a file for one rule; with more it is taken to match. */
export const MOST_MATCHINGS = 500_000

export const MOST_PATTERNS_SHOWN = 5
