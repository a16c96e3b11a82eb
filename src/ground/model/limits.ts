/** A long report has about 50,000 characters; twenty times that is a model that does not stop. */
export const LONGEST_ANSWER_CHARACTERS = 1_000_000

/**
 * About a million tokens, the largest context window; a longer prompt would be refused after the
 * upload.
 */
export const LONGEST_PROMPT_CHARACTERS = 4_000_000

export const LONGEST_REASON_CHARACTERS = 500

/** Deeper values overflow the stack of code that writes or compares them. */
export const DEEPEST_JSON_LEVELS = 100
