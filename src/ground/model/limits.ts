/** A long report is some 50,000 characters; twenty times that is a model that does not stop. */
export const LONGEST_ANSWER_CHARACTERS = 1_000_000

/** About a million tokens, the largest window there is; more could only be refused, after upload. */
export const LONGEST_PROMPT_CHARACTERS = 4_000_000

/**
 * What a server may send in all. A stream wraps four characters of text into some 200 bytes, so
 * that the longest answer has about 50 MB.
 */
export const LARGEST_STREAM_BYTES = 64_000_000

/** A refusal is a sentence; a server that sends more with it is not read further. */
export const LARGEST_REFUSAL_BYTES = 1_000_000

/** Of a provider's own words, so many reach a person. */
export const LONGEST_REASON_CHARACTERS = 500

/** As a server names the model that answered. */
export const LONGEST_MODEL_NAME_CHARACTERS = 200

/** The first wait before a call is tried again; each further one is twice as long. */
export const FIRST_WAIT_MS = 500
export const LONGEST_WAIT_MS = 20_000

/** Told to wait for longer than this, somebody should be told instead. */
export const LONGEST_RETRY_AFTER_MS = 60_000

/**
 * What a model thinks is counted as output. So much is added to what was asked for, or an answer
 * of 200 tokens would be cut before it begins.
 */
export const THINKING_ROOM_TOKENS = { low: 2_000, medium: 8_000, high: 24_000 } as const

/** Without figures from a provider, a token is taken for so many characters. */
export const CHARACTERS_A_TOKEN = 4

/** Deeper values overflow the stack of whoever writes or compares them. */
export const DEEPEST_JSON_LEVELS = 100

/** How often a text may be read anew from a later bracket, as a multiple of its length. */
export const MOST_READINGS = 4

/** Of what is wrong with an answer, so many places are named. */
export const MOST_NAMED_PROBLEMS = 5

/** Providers take 96 (Cohere) to 2,048 (OpenAI) texts a call; the smallest works everywhere. */
export const MOST_TEXTS_A_CALL = 96

/** About 8,000 tokens, the longest input of common embedders; the rest of a text is left out. */
export const LONGEST_EMBEDDED_CHARACTERS = 24_000

/** Common embedders have 256 to 4,096 dimensions. */
export const MOST_DIMENSIONS = 16_384
