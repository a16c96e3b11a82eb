/**
 * The longest stretch of text that is cut into words at once. V8's regular expressions run out of
 * stack on one word of some millions of characters (4 million passed, 4.5 million threw); this is
 * a twentieth of what passed. A multiple of 3 and of 1,024, so that a run of digits or of spaces is
 * cut where a token ends anyway.
 */
export const LONGEST_SLICE_CHARACTERS = 3 * 65_536

/** Words beyond this are rare and long: remembering them would spend the memory on one file. */
export const LONGEST_REMEMBERED_WORD_CHARACTERS = 64

/** Words already counted. 16,000 distinct ones occurred in 6 MB of source; four times that. */
export const MOST_REMEMBERED_WORDS = 65_536
export const MOST_REMEMBERED_WORD_BYTES = 8_000_000

/** A text below this is counted in less time than its hash and its place in the cache cost. */
export const SHORTEST_CACHED_TEXT_CHARACTERS = 1_024

/** Texts already counted: a repository of 50,000 files fits, at about 200 bytes a text. */
export const MOST_CACHED_TEXTS = 50_000
export const MOST_CACHED_TEXT_BYTES = 16_000_000

/** One call counts at most so many files, so that its answer stays readable. */
export const MOST_COUNTED_PATHS = 10_000

/** The widest bar that is laid out: no terminal and no screen has more cells. */
export const WIDEST_BAR_CELLS = 10_000
