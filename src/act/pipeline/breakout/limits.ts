/** Below it a message stays an answer to the pause: going on destroys nothing. */
export const BREAKOUT_BAR = 0.7

/** `{"breakout": false, "confidence": 0.98}` has about 15 tokens; the rest is room for prose. */
export const CLASSIFIER_MOST_OUTPUT_TOKENS = 200

/** The first tell what a run is about; more of them would only cost. */
export const CLASSIFIER_MOST_SUB_QUERIES = 5

/** A question has a few lines. */
export const CLASSIFIER_LONGEST_LINE_CHARACTERS = 500

/** Whoever changes the topic says so early; the rest of a pasted text need not be paid for. */
export const CLASSIFIER_LONGEST_MESSAGE_CHARACTERS = 2_000
