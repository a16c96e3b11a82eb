/** An operation's body: a text to count, a config value. There are no uploads. */
export const LARGEST_BODY_BYTES = 1_000_000

/** Deeper than any valid input; our own walk has a limit, JSON.parse has none. */
export const DEEPEST_JSON_LEVELS = 64
