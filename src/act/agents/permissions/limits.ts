/** A rule has a few hundred bytes; a file of five hundred is read in a moment. */
export const RULES_FILE_LIMIT_BYTES = 256 * 1024

/** Each is tried for each thing an agent does. */
export const MOST_RULES = 500

/** One digest and one path. */
export const TRUST_FILE_LIMIT_BYTES = 16 * 1024

/** Of a rule in words, as an answer names it. */
export const LONGEST_RULE_WORDS_CHARACTERS = 200

/** Digits of a rule's id: five hundred rules do not share one by chance. */
export const RULE_ID_DIGITS = 12

/** Files one answer "always" writes rules for; more is a habit, and a person's own rule. */
export const MOST_RULES_AT_ONCE = 20

/** How deep a tool's input is searched for files; real ones have two or three levels. */
export const DEEPEST_INPUT = 20
