/** A page of the longest messages has a few megabytes. */
export const PAGE_MESSAGES = 200

/** Poll even without an event: a change may have been announced too early, or not at all. */
export const LOOK_EVERY_MS = 1_000

export const REDRAW_EVERY_MS = 250

/** Streaming text is redrawn at most this often. */
export const DRAW_TEXT_EVERY_MS = 40

/** Rows of streaming text above the live row; the whole text follows at its end. */
export const WRITING_ROWS = 6

/** Lines of a failed tool's output. */
export const FAILURE_ROWS = 3

/** Earlier messages that are read for the titles of open activities. */
export const LOOK_BACK_MESSAGES = 400

export const QUESTION_CHARACTERS = 600

/** A server on this machine responds at once, or not at all. */
export const SERVER_TIMEOUT_MS = 10_000

/** A few rows. */
export const LONGEST_NOTE_CHARACTERS = 240

/** Narrower terminals wrap. */
export const NARROWEST_LIVE_CELLS = 24
