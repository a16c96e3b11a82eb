/** A page of the longest messages has a few megabytes. */
export const PAGE_MESSAGES = 200

/** Poll even without an event: a change may have been announced too early, or not at all. */
export const LOOK_EVERY_MS = 1_000
