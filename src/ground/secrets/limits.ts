/** Each cap of this room, with its reason; the unit is the last word of the name. */

/**
 * The longest value a pattern reads. More than the longest key of the table that has a fixed
 * length; what follows a value that was judged a secret goes with it.
 */
export const LONGEST_JUDGED_CHARACTERS = 256

/** Entropy and the like are taken of so much of a value: more changes no verdict. */
export const SAMPLE_CHARACTERS = 128

/** A list of cookies is longer than one value, and the telling one may not be the first. */
export const LONGEST_JUDGED_COOKIES_CHARACTERS = 512

/** Charged for one try of a pattern: the longest value and the name and signs before it. */
export const PATTERN_REACH_CHARACTERS = LONGEST_JUDGED_COOKIES_CHARACTERS + 128

/** Below this a known value occurs by chance: `true`, `admin` and `8080` stand in every text. */
export const SHORTEST_KNOWN_CHARACTERS = 8

/** A longer known value is held in pieces, so that the scan looks ahead no further than this. */
export const LONGEST_KNOWN_CHARACTERS = 8_192

/** Text is fingerprinted in stretches of this length: a quarter of a megabyte of numbers. */
export const KNOWN_STRETCH_CHARACTERS = 65_536

/** Shorter runs hold fewer than 15 bytes: less than any key of the table. */
export const SHORTEST_BASE64_CHARACTERS = 20

/** Where a run of base64 may begin after a sign inside it, as in `path/<base64>`. */
export const MOST_BASE64_STARTS = 8

/** A line of this length or more continues on the next: `base64` and PEM wrap at 64 or 76. */
export const SHORTEST_WRAPPED_LINE_CHARACTERS = 60

/** Between two lines of a wrapped text: a line end and the indentation of a YAML file. */
export const WIDEST_LINE_GAP_CHARACTERS = 20

/**
 * What is found is taken out and the rest looked at again, since a replacement can free what stood
 * beside it. One more look finds nothing in practice; the cap keeps a crafted text from many.
 */
export const MOST_ROUNDS = 4

/** Settings and messages are a dozen levels deep; what lies deeper is replaced unseen. */
export const DEEPEST_JSON_LEVELS = 64

/** Values looked at in one structure: far more than any settings file or message holds. */
export const MOST_JSON_VALUES = 500_000
