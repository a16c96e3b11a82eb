/**
 * The largest payload that is read. With an edit Claude Code sends the whole file as it was before,
 * and a file of more than that is none that people edit.
 */
export const LARGEST_PAYLOAD_BYTES = 8_000_000

/** How long a host may take to write the payload. It has it ready: this guards against a hang. */
export const STDIN_DEADLINE_MS = 2_000

/** How long all rules together may think. The work waits for them, so they say less instead. */
export const JUDGES_DEADLINE_MS = 2_000

/**
 * The largest line that is written. Hosts cut context silently at 10,000 characters and a line cut
 * in two is no JSON; twice that leaves room for escapes, and fits a pipe nobody reads from yet.
 */
export const LARGEST_ANSWER_BYTES = 20_000

/** How deep text is looked for in what a tool answered; theirs have three or four levels. */
export const DEEPEST_TEXT_LEVELS = 12

/** Files of one patch that are looked at; each costs a look at its claims. */
export const MOST_PATCHED_FILES = 200

/** A fetch is tried once in this time, whether it works or not. */
export const FETCH_EVERY_MS = 10 * 60_000

/** What takes longer waits for a network that is not there. */
export const FETCH_TIMEOUT_MS = 60_000

/** Of what git says only the end of it is of use, to whoever debugs. */
export const FETCH_OUTPUT_BYTES = 64_000

/** A file that names one program. */
export const RUNTIME_FILE_BYTES = 16_000
