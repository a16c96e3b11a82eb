/** A cookie list is longer than one value, and the secret cookie may not be the first. */
export const LONGEST_JUDGED_COOKIES_CHARACTERS = 512

/** Cost of one try of a pattern: the longest value and the name and punctuation before it. */
export const PATTERN_REACH_CHARACTERS = LONGEST_JUDGED_COOKIES_CHARACTERS + 128
