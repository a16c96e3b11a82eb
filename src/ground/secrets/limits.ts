/** A list of cookies is longer than one value, and the telling one may not be the first. */
export const LONGEST_JUDGED_COOKIES_CHARACTERS = 512

/** Charged for one try of a pattern: the longest value and the name and signs before it. */
export const PATTERN_REACH_CHARACTERS = LONGEST_JUDGED_COOKIES_CHARACTERS + 128
