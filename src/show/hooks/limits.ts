/** The largest payload that is read. An edit of a megabyte is no edit a rule could judge. */
export const LARGEST_PAYLOAD_BYTES = 1_000_000

/** How long a host may take to write the payload. It has it ready: this guards against a hang. */
export const STDIN_DEADLINE_MS = 2_000

/** How long all judges together may think. The work waits for them, so they say less instead. */
export const JUDGES_DEADLINE_MS = 2_000

/**
 * The largest line that is written. Hosts cut context silently at 10,000 characters and a line cut
 * in two is no JSON; twice that leaves room for escapes, and fits a pipe nobody reads from yet.
 */
export const LARGEST_ANSWER_BYTES = 20_000
