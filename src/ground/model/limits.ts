/** A long report is some 50,000 characters; twenty times that is a model that does not stop. */
export const LONGEST_ANSWER_CHARACTERS = 1_000_000

/** About a million tokens, the largest window there is; more could only be refused, after upload. */
export const LONGEST_PROMPT_CHARACTERS = 4_000_000

export const LONGEST_REASON_CHARACTERS = 500

/** Deeper values overflow the stack of whoever writes or compares them. */
export const DEEPEST_JSON_LEVELS = 100
