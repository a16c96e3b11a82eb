/** Messages read at once; a page of the longest ones is some megabytes. */
export const PAGE_MESSAGES = 200

/** Without a word from the journal we look anyway: a change that was told too early, or not at all. */
export const LOOK_EVERY_MS = 1_000

export const REDRAW_EVERY_MS = 250

/** Text that streams in is drawn at most so often; a terminal shows no more. */
export const DRAW_TEXT_EVERY_MS = 40

/** Rows of streaming text above the live line; the whole text follows when it is done. */
export const WRITING_ROWS = 6

/** Lines of a failed tool's output that are shown below it. */
export const FAILURE_ROWS = 3

/** Messages before the first shown one that are read for the names of what they began. */
export const LOOK_BACK_MESSAGES = 400

/** Characters of a question's input that are shown. */
export const QUESTION_CHARACTERS = 600

/** A server on this machine answers at once, or it does not. */
export const SERVER_TIMEOUT_MS = 10_000

/** Characters of a note that are shown: a few rows. */
export const LONGEST_NOTE_CHARACTERS = 240

/** Narrower than this nothing can be laid out; what is narrower still wraps. */
export const NARROWEST_LIVE_CELLS = 24
