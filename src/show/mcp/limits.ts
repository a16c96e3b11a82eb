/** Tool definitions cost tokens before the first prompt, so a set stays small. */
export const MOST_TOOLS_IN_A_SET = 12
export const MOST_TOKENS_OF_A_SET = 4_000

/** Of these, the part that a host which defers definitions still sends at once. */
export const MOST_TOKENS_ALWAYS_LOADED = 2_000

/** The `knowledge` set may be larger: its names are fixed, and a client requests it explicitly. */
export const MOST_KNOWLEDGE_TOOLS = 16

/** The instructions are in every window with our tools. */
export const MOST_TOKENS_OF_INSTRUCTIONS = 200

/** A frame on stdio: the largest return has 50,000 characters. */
export const LARGEST_FRAME_BYTES = 10_000_000

/** The package's default, stated here because we promise it. */
export const LARGEST_BODY_BYTES = 4 * 1_024 * 1_024

/** The name is shown and is part of a session's name, which has at most 200 characters. */
export const LONGEST_CLIENT_NAME_CHARACTERS = 80

/** Our lists are fixed, so these streams never send a change. */
export const MOST_SUBSCRIPTIONS = 64

/** A signature may be very long; a list has one line per symbol. */
export const LONGEST_LINE_CHARACTERS = 200

/** A random delimiter occurs in a text with probability 2^-64; a few attempts suffice. */
export const MOST_FENCES = 8
